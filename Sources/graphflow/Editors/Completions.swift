/// What can be written at a place, with the words of the schema, the functions and the data.
struct Completions {
    /// Kinds of items, as the protocol numbers them.
    private enum Kind: Int {
        case function = 3
        case variable = 6
        case property = 10
        case value = 12
        case keyword = 14
        case file = 17
        case reference = 18
    }

    private let analysis: Analysis
    private let guide: SchemaGuide?

    init(_ analysis: Analysis) {
        self.analysis = analysis
        guide = analysis.guide
    }

    private var isJSON: Bool { analysis.text.path.hasSuffix(".json") }

    private func scalar(_ text: String) -> String { isJSON ? Value.string(text).json() : text.asScalar }

    func items(at offset: Int) -> [Value] {
        if let place = ExpressionPlace(analysis, at: offset) { return items(in: place) }
        guard let guide, let place = analysis.document.place(at: offset) else { return [] }
        switch place.kind {
        case .key: return keys(of: place.pointer.parent ?? .root, guide, place.bytes, typed: place.pointer.tokens.last)
        case .inside:
            if case .array? = analysis.document.value[place.pointer] {
                let element = place.pointer.appending(Int.max)
                return values(of: element, guide, place.bytes) + graph(at: element, place.bytes, offset)
            }
            return keys(of: place.pointer, guide, place.bytes, typed: nil)
        case .value:
            // Alone on a line, a word may become a key.
            let line = analysis.text.line(analysis.text.lineNumber(at: offset))
            let before = analysis.text[line.lowerBound..<max(line.lowerBound, place.bytes.lowerBound)]
            let isAlone = before.allSatisfy { $0 == " " || $0 == "-" }
            let words = values(of: place.pointer, guide, place.bytes) + graph(at: place.pointer, place.bytes, offset)
            return words + (isAlone ? keys(of: place.pointer, guide, place.bytes, typed: nil) : [])
        }
    }

    // MARK: Keys and values

    private func keys(
        of pointer: JSONPointer, _ guide: SchemaGuide, _ bytes: Range<Int>, typed: String?
    ) -> [Value] {
        let written = typed.map { analysis.document.value.removing(pointer.appending($0)) } ?? analysis.document.value
        let present = written[pointer]?.object ?? [:]
        let hasColon = analysis.text[bytes.upperBound..<bytes.upperBound + 1] == ":"
        func text(_ name: String) -> String {
            (isJSON ? Value.string(name).json() : name.asScalar) + (hasColon ? "" : ": ")
        }
        let graph = GraphWords(analysis, at: pointer)?.suggestions(typed: "") ?? []
        let known = graph.filter { !present.contains($0.name) }.map { member in
            item(member.name, .property, bytes, inserting: text(member.name), detail: member.detail, nil)
        }
        return known
            + guide.members(at: pointer, in: written).filter { !present.contains($0.name) }.map { member in
                item(
                    member.name, .property, bytes, inserting: text(member.name),
                    detail: member.isRequired ? "required" : nil, guide.words(member.schema),
                    order: member.isRequired ? "0" : "1")
            }
    }

    private func values(of pointer: JSONPointer, _ guide: SchemaGuide, _ bytes: Range<Int>) -> [Value] {
        let written = analysis.document.value.removing(pointer)
        let schemas = guide.values(at: pointer, in: written)
        var items = schemas.map { value, words in
            let text = value.string ?? value.json()
            return item(text, .value, bytes, inserting: value.string.map(scalar) ?? text, detail: nil, words)
        }
        let names = Names(analysis).candidates(at: pointer)
        items += names.map { item($0, .reference, bytes, inserting: scalar($0), detail: nil, nil, order: "0") }
        if guide.description(at: pointer, in: written)?.lowercased().contains("file") == true, schemas.isEmpty {
            items += files.map { item($0, .file, bytes, inserting: scalar($0), detail: nil, nil) }
        }
        return items
    }

    /// What Microsoft Graph has here: paths, properties and values.
    private func graph(at pointer: JSONPointer, _ bytes: Range<Int>, _ offset: Int) -> [Value] {
        guard let words = GraphWords(analysis, at: pointer),
            case let end = min(max(offset, bytes.lowerBound), bytes.upperBound)
        else { return [] }
        let typed = analysis.text[bytes.lowerBound..<end].drop { $0 == "\"" || $0 == "'" }
        let found = words.suggestions(typed: String(typed)) + words.values.map { .init(name: $0, detail: "") }
        return found.map { item($0.name, .value, bytes, inserting: scalar($0.name), detail: $0.detail, nil) }
    }

    /// The files in the folder of the text and its sub-folders; few are expected.
    private var files: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: analysis.folder)) ?? []
        let own = analysis.text.path.dropFirst(analysis.folder.count)
        return names.sorted().filter { !$0.hasPrefix(".") && $0 != own }
    }

    // MARK: Expressions

    private func items(in place: ExpressionPlace) -> [Value] {
        guard let word = place.expression.word(at: place.cursor) else { return [] }
        let bytes = place.bytes(word.range)
        switch word.kind {
        case .member:
            let type = place.known(at: word)?.members ?? .anything
            return type.members.map { member in
                item(
                    member.name, .property, bytes,
                    inserting: member.name.isVariableName ? member.name : Value.string(member.name).json(),
                    detail: member.type.words + (member.isCertain ? "" : ", may be missing"), nil)
            }
        case .variable:
            let own = place.known(at: word)?.variables ?? []
            return own.union(place.variables).sorted().map { name in
                item(name, .variable, bytes, inserting: name, detail: place.scope.variables[name]?.words, nil)
            }
        case .format:
            return WrittenExpression.formats.map { item($0, .function, bytes, inserting: $0, detail: nil, nil) }
        case .function:
            let scope = place.scope
            let variables = place.variables.map { name in
                item(
                    "$\(name)", .variable, bytes, inserting: "$\(name)", detail: scope.variables[name]?.words, nil,
                    order: "0")
            }
            let functions = WrittenExpression.functions.map { function in
                item(
                    function.signature, .function, bytes, inserting: function.name, detail: nil, nil,
                    filter: function.name)
            }
            return variables + functions
                + WrittenExpression.keywords.map {
                    item($0, .keyword, bytes, inserting: $0, detail: nil, nil, order: "2")
                }
        }
    }

    private func item(
        _ label: String, _ kind: Kind, _ bytes: Range<Int>, inserting text: String, detail: String?, _ words: String?,
        order: String = "1", filter: String? = nil
    ) -> Value {
        // Editors compare it with what is written, the quote included.
        let quote = String(analysis.text[bytes].prefix(1))
        let written: String? = quote == "\"" || quote == "'" ? quote + label : filter
        return .members([
            ("label", .string(label)), ("kind", .integer(kind.rawValue)), ("detail", detail.map(Value.string)),
            ("documentation", words.map(Value.string)), ("sortText", .string(order + label)),
            ("filterText", written.map(Value.string)),
            ("textEdit", ["range": analysis.text.range(bytes), "newText": .string(text)]),
        ])
    }
}

extension Analysis {
    /// The schema of the text; nil for other texts.
    var guide: SchemaGuide? {
        switch kind {
        case .workflow: .workflow
        case .tests: .tests
        case .other: nil
        }
    }
}

extension SchemaGuide {
    /// What a schema says about itself.
    func words(_ schema: Value) -> String? { schema["description"]?.string ?? schema["title"]?.string }
}

extension Value {
    /// Without the member at a path.
    fileprivate func removing(_ pointer: JSONPointer) -> Value { removing(pointer.tokens[...]) }

    private func removing(_ path: ArraySlice<String>) -> Value {
        guard let name = path.first else { return .null }
        switch self {
        case .object(var members):
            if path.count == 1 {
                members[name] = nil
            } else {
                members[name] = members[name]?.removing(path.dropFirst())
            }
            return .object(members)
        case .array(var elements):
            guard let index = Int(name), elements.indices.contains(index) else { return self }
            elements[index] = elements[index].removing(path.dropFirst())
            return .array(elements)
        default: return self
        }
    }
}

extension String {
    /// The text as a scalar of YAML: as it is where that means the same, else in quotes.
    var asScalar: String {
        if let document = try? Document(text: "- \(self)\n- x", name: ""), document.value == [.string(self), "x"],
            !contains("#"), !hasPrefix("'"), !hasPrefix("\"")
        {
            return self
        }
        return "'\(replacing("'", with: "''"))'"
    }
}
