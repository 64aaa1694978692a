/// Reads the items of a source one by one, and knows the places in the last one.
protocol ItemReader: Sendable {
    /// Findings about all items, such as a missing column.
    var findings: [Diagnostic] { get }

    var line: Int { get }

    /// The next item as the source writes it; nil after the last one; an error does not end the source.
    mutating func next() throws(ReadingError) -> Value?

    /// The item as a part of a run's input, and the names of the properties that it lacks because of a mistake.
    func converted(_ item: Value, _ findings: inout FirstFindings) -> (input: Value, lacks: [String])

    /// A finding about a value in the item, or about its name.
    func diagnostic(
        id: String, _ message: String, hint: String?, at pointer: JSONPointer, part: Document.Part
    ) -> Diagnostic

    /// Whether the findings about all items include the violation.
    func isKnown(_ violation: JSONSchema.Violation) -> Bool
}

extension ItemReader {
    var findings: [Diagnostic] { [] }

    func converted(_ item: Value, _ findings: inout FirstFindings) -> (input: Value, lacks: [String]) { (item, []) }

    func isKnown(_ violation: JSONSchema.Violation) -> Bool { false }
}

extension ItemSource {
    /// Opens the source; `hash` gets all its bytes.
    func reader(
        for workflow: Workflow, common: Object, hash: Locked<SHA256>? = nil
    ) throws(ReadingError) -> any ItemReader {
        switch format {
        case .csv, .tsv:
            let rows = try SeparatedReader(name: name, separator: format == .tsv ? .tab : .comma, loading(hash))
            return TableItemReader(rows, for: workflow, common: common)
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

    init(_ rows: SeparatedReader, for workflow: Workflow, common: Object) {
        let schema = workflow.input.schema?.document
        let missing = (schema?["required"]?.array ?? []).compactMap(\.string)
            .filter { rows.column(named: $0) == nil && !common.contains($0) }
        var unknown: [(column: Int, name: String)] = []
        let names = schema?["properties"]?.object ?? [:]
        if schema?["additionalProperties"]?.bool == false, schema?["patternProperties"] == nil {
            unknown = rows.columns.enumerated().filter { !names.contains($0.element) }.map { ($0.offset, $0.element) }
        }
        var findings = missing.map { name in
            rows.diagnostic(
                id: "missing-column", "there is no column '\(PlainText.exact(name, limit: 60))', which the input needs",
                hint: Diagnostic.didYouMean(name, among: unknown.prefix(100).map(\.name)), column: -1)
        }
        findings += unknown.prefix(FirstFindings.most).map { column, name in
            rows.diagnostic(
                id: "unknown-column", "the input has no property '\(PlainText.exact(name, limit: 60))'",
                hint: Diagnostic.didYouMean(name, among: names.keys.filter { rows.column(named: $0) == nil }),
                column: column)
        }
        self.rows = rows
        self.findings = findings
        self.missing = Set(missing)
        self.unknown = Set(unknown.map(\.name))
        properties = rows.columns.map { InputProperty($0, of: workflow) }
    }

    var line: Int { rows.line }

    mutating func next() throws(ReadingError) -> Value? { try rows.next().map(Value.object) }

    func converted(_ item: Value, _ findings: inout FirstFindings) -> (input: Value, lacks: [String]) {
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
                findings.add {
                    let (message, hint) = property.problem(with: text)
                    return rows.diagnostic(id: "input", message, hint: hint, column: column)
                }
            }
        }
        return (.object(input), lacks)
    }

    func diagnostic(
        id: String, _ message: String, hint: String?, at pointer: JSONPointer, part: Document.Part
    ) -> Diagnostic {
        let column = pointer.tokens.first.flatMap { rows.column(named: $0) }
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
