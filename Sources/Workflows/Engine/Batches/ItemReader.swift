/// Reads the items of a source one by one, and knows the places in the last one.
protocol ItemReader: Sendable {
    /// Findings about all items, such as a missing column.
    var findings: [Diagnostic] { get }

    var line: Int { get }

    /// Whether the last item is a row without any text.
    var isEmptyRow: Bool { get }

    /// The next item as the source writes it; nil after the last one; an error does not end the source.
    mutating func next() throws(ReadingError) -> Value?

    /// What the names in an item mean.
    func meanings(of item: Object, _ names: InputNames) -> [String]

    /// The item as a part of a run's input, and the names of the properties that it lacks because of a mistake.
    func converted(
        _ item: Value, _ names: InputNames, _ findings: inout FirstFindings
    ) -> (input: Value, lacks: [String])

    /// A finding about a value in the item, or about its name.
    func diagnostic(
        id: String, _ message: String, hint: String?, at pointer: JSONPointer, part: Document.Part
    ) -> Diagnostic

    /// Whether the findings about all items include the violation.
    func isKnown(_ violation: JSONSchema.Violation) -> Bool
}

extension ItemReader {
    var findings: [Diagnostic] { [] }

    var isEmptyRow: Bool { false }

    func meanings(of item: Object, _ names: InputNames) -> [String] { names.meanings(of: item.keys) }

    func converted(
        _ item: Value, _ names: InputNames, _ findings: inout FirstFindings
    ) -> (input: Value, lacks: [String]) {
        guard case .object(let members) = item else { return (item, []) }
        let new = Set(members.keys.filter { findings.isNew($0) })
        for remark in new.isEmpty ? [] : names.remarks(on: members.keys) where new.contains(remark.name) {
            findings.warn {
                diagnostic(
                    id: "unknown-column", remark.message, hint: nil, at: JSONPointer([remark.name]), part: .key)
            }
        }
        return (.object(names.renamed(members)), [])
    }

    func isKnown(_ violation: JSONSchema.Violation) -> Bool { false }
}

extension ItemSource {
    /// Opens the source; `hash` gets all its bytes.
    func reader(of items: BatchItems, hash: Locked<SHA256>? = nil) throws(ReadingError) -> any ItemReader {
        switch format {
        case .csv, .tsv:
            let rows = try SeparatedReader(
                table: name, separator: separator, usual: format == .tsv ? .tab : .comma,
                isColumn: items.names.contains(nearly:), loading(hash))
            return TableItemReader(rows, of: items)
        case .jsonl: return try JSONLinesReader(name: name, loading(hash))
        case .json:
            var elements = try JSONArrayReader(name: name, loading(hash))
            if try elements.beginsAnArray() { return elements }
            // The file has no array; the document reports that best.
            return ElementItemReader(document: try document(nil))
        case .yaml, .text: return ElementItemReader(document: try document(hash))
        }
    }
}

private struct TableItemReader: ItemReader {
    private var rows: SeparatedReader
    private let properties: [InputProperty]
    let findings: [Diagnostic]
    /// The required properties without a column, and the columns without a property.
    private let missing: Set<String>
    private let unknown: Set<String>

    init(_ rows: SeparatedReader, of items: BatchItems) {
        let schema = items.workflow.input.schema?.document
        let read = Object(items.names.meanings(of: rows.columns).map { ($0, .null) })
        let required = (schema?["required"]?.array ?? []).compactMap(\.string)
        let missing = required.filter { !read.contains($0) && !items.common.contains($0) }
        var unknown: [(column: Int, name: String)] = []
        let names = schema?["properties"]?.object ?? [:]
        if schema?["additionalProperties"]?.bool == false, schema?["patternProperties"] == nil {
            unknown = rows.columns.enumerated().filter { !names.contains($0.element) }.map { ($0.offset, $0.element) }
        }
        let others = Array(read.keys.filter { !names.contains($0) }.prefix(100))
        var findings = missing.map { name in
            rows.diagnostic(
                id: "missing-column", "there is no column '\(PlainText.exact(name, limit: 60))', which the input needs",
                hint: InputNames.nearest(to: name, among: others).map { other in
                    "did you mean '\(name)' instead of '\(PlainText.exact(other, limit: 60))'?"
                }, column: -1)
        }
        findings += unknown.prefix(FirstFindings.most).map { column, name in
            rows.diagnostic(
                id: "unknown-column", "the input has no property '\(PlainText.exact(name, limit: 60))'",
                hint: InputNames.nearest(to: name, among: names.keys.filter { rows.column(named: $0) == nil })
                    .map { "did you mean '\($0)'?" }, column: column)
        }
        findings += items.names.remarks(on: rows.columns).map { name, message in
            var warning = rows.diagnostic(id: "unknown-column", message, column: rows.column(named: name) ?? -1)
            warning.severity = .warning
            return warning
        }
        self.rows = rows
        self.findings = findings
        self.missing = Set(missing)
        self.unknown = Set(unknown.map(\.name))
        properties = read.keys.map { InputProperty($0, of: items.workflow) }
        // Such a row lacks what an item needs.
        if required.contains(where: { read.contains($0) }) { self.rows.skipEmptyRows() }
    }

    var line: Int { rows.line }

    var isEmptyRow: Bool { rows.isEmptyRow }

    func meanings(of item: Object, _ names: InputNames) -> [String] { properties.map(\.name) }

    mutating func next() throws(ReadingError) -> Value? { try rows.next().map(Value.object) }

    func converted(
        _ item: Value, _ names: InputNames, _ findings: inout FirstFindings
    ) -> (input: Value, lacks: [String]) {
        guard case .object(let row) = item else { return (item, []) }
        var input = Object()
        var lacks: [String] = []
        input.reserveCapacity(row.count)
        for (column, property) in properties.enumerated() {
            let text = row[column].value.string ?? ""
            if text.isEmpty, !property.isText { continue }
            if let value = property.value(of: text) {
                input.append(property.name, value)
            } else {
                lacks.append(property.name)
                findings.add { rows.diagnostic(id: "input", property.problem(with: text), column: column) }
            }
        }
        return (.object(input), lacks)
    }

    func diagnostic(
        id: String, _ message: String, hint: String?, at pointer: JSONPointer, part: Document.Part
    ) -> Diagnostic {
        let column = pointer.tokens.first.flatMap { name in properties.firstIndex { $0.name.hasSameScalars(as: name) } }
        return rows.diagnostic(id: id, message, hint: hint, column: column ?? -1)
    }

    func isKnown(_ violation: JSONSchema.Violation) -> Bool {
        if case .missing(let name) = violation.cause { return violation.instance == .root && missing.contains(name) }
        return violation.part == .key && violation.instance.tokens.count == 1
            && unknown.contains(violation.instance.tokens[0])
    }
}

extension JSONLinesReader: ItemReader {}

extension JSONArrayReader: ItemReader {}

/// The elements of an array in a YAML file, which is small.
private struct ElementItemReader: ItemReader {
    let document: Document
    private var position = -1

    init(document: Document) { self.document = document }

    var line: Int { document.range(of: JSONPointer([String(position)]))?.start.line ?? 1 }

    mutating func next() throws(ReadingError) -> Value? {
        position += 1
        return document.value[position]
    }

    func diagnostic(
        id: String, _ message: String, hint: String?, at pointer: JSONPointer, part: Document.Part
    ) -> Diagnostic {
        let place = JSONPointer([String(position)] + pointer.tokens)
        return document.diagnostic(id: id, message, hint: hint, at: place, part: part)
    }
}
