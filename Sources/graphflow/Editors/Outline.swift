/// The parts of a text: symbols, folds, and links to files.
struct Outline {
    /// Kinds of symbols, as the protocol numbers them.
    private enum Kind: Int {
        case module = 2
        case namespace = 3
        case method = 6
        case function = 12
        case variable = 13
        case constant = 14
    }

    private struct Symbol {
        let name: String
        let kind: Kind
        let whole: Range<Int>
        let title: Range<Int>
        let children: [Symbol]
    }

    private let analysis: Analysis

    init(_ analysis: Analysis) { self.analysis = analysis }

    /// - Parameter isTree: Whether the client takes symbols inside symbols.
    func symbols(isTree: Bool) -> Value {
        let all = analysis.kind == .tests ? cases : sections
        return .array(isTree ? all.map(tree) : all.flatMap { flat($0, in: nil) })
    }

    private func tree(_ symbol: Symbol) -> Value {
        [
            "name": .string(symbol.name), "kind": .integer(symbol.kind.rawValue),
            "range": analysis.text.range(symbol.whole), "selectionRange": analysis.text.range(symbol.title),
            "children": .array(symbol.children.map(tree)),
        ]
    }

    private func flat(_ symbol: Symbol, in container: String?) -> [Value] {
        let own: Value = .members([
            ("name", .string(symbol.name)), ("kind", .integer(symbol.kind.rawValue)),
            ("location", analysis.location(symbol.whole)), ("containerName", container.map(Value.string)),
        ])
        return [own] + symbol.children.flatMap { flat($0, in: symbol.name) }
    }

    private func symbol(_ name: String, _ kind: Kind, _ pointer: JSONPointer, _ children: [Symbol] = []) -> Symbol? {
        guard let value = analysis.document.bytes(of: pointer) else { return nil }
        let title = analysis.document.keyBytes(of: pointer) ?? value
        // A merged member is elsewhere.
        let end = max(value.upperBound, title.upperBound)
        let shown = PlainText.line(name, limit: 200)
        return Symbol(
            name: shown.isEmpty ? "(no name)" : shown, kind: kind,
            whole: title.lowerBound..<max(end, title.upperBound), title: title, children: children)
    }

    private var cases: [Symbol] {
        (analysis.document.value["cases"]?.array ?? []).enumerated().compactMap { index, test in
            symbol(test["name"]?.string ?? "", .method, JSONPointer(["cases", "\(index)"]))
        }
    }

    private var sections: [Symbol] {
        (analysis.document.value.object ?? [:]).compactMap { name, value -> Symbol? in
            let pointer = JSONPointer([name])
            let inner: [Symbol] =
                switch name {
                case "do": tasks(value, pointer)
                case "use":
                    (value.object ?? [:]).flatMap { kind, definitions in
                        (definitions.object ?? [:]).compactMap { name, _ in
                            symbol(name, .constant, pointer.appending(kind).appending(name))
                        }
                    }
                default: []
                }
            return symbol(name, .module, pointer, inner)
        }
    }

    /// Where a task has others.
    private static let inner = [
        ["do"], ["try"], ["catch", "do"], ["fork", "branches"], ["foreach", "do"], ["with", "do"],
    ]

    private func tasks(_ list: Value, _ pointer: JSONPointer) -> [Symbol] {
        (list.array ?? []).enumerated().flatMap { index, element in
            (element.object ?? [:]).compactMap { name, task in
                let place = pointer.appending(index).appending(name)
                let children = Self.inner.flatMap { path -> [Symbol] in
                    let inside = JSONPointer(place.tokens + path)
                    return task[JSONPointer(path)].map { tasks($0, inside) } ?? []
                }
                let kind: Kind =
                    task["call"] != nil || task["run"] != nil ? .function : task["set"] != nil ? .variable : .namespace
                return symbol(name, kind, place, children)
            }
        }
    }

    // MARK: Folds and links

    var folds: Value {
        var lines: [Int: Int] = [:]
        func look(_ value: Value, _ pointer: JSONPointer) {
            let members: [(String, Value)] =
                value.object?.map { ($0.key, $0.value) }
                ?? (value.array ?? []).enumerated().map { ("\($0.offset)", $0.element) }
            for (name, inner) in members {
                let place = pointer.appending(name)
                guard let bytes = analysis.document.bytes(of: place), !bytes.isEmpty else { continue }
                let start = (analysis.document.keyBytes(of: place) ?? bytes).lowerBound
                let (first, last) = (
                    analysis.text.lineNumber(at: start), analysis.text.lineNumber(at: bytes.upperBound - 1)
                )
                if last > first { lines[first] = max(lines[first] ?? 0, last) }
                look(inner, place)
            }
        }
        if analysis.kind != .other { look(analysis.document.value, .root) }
        return .array(
            lines.sorted { $0.key < $1.key }.map { ["startLine": .integer($0.key), "endLine": .integer($0.value)] })
    }

    var links: Value {
        .array(
            Names(analysis).all.compactMap { found -> Value? in
                guard case .file(let name) = found.target else { return nil }
                let path = analysis.path(of: name)
                return ["range": analysis.text.range(found.bytes), "target": .string(EditedText.uri(of: path))]
            } + pages)
    }

    /// Microsoft's pages of the requests to Graph.
    private var pages: [Value] {
        (analysis.model?.outline.allTasks ?? []).compactMap { task in
            guard case .call(let call) = task.action, call.function == "graph",
                let page = KnownGraphCall(graph: call.literal)?.operation?.page,
                let bytes = analysis.document.bytes(of: task.reference.appending("with").appending("path"))
            else { return nil }
            return [
                "range": analysis.text.range(bytes), "target": .string(page),
                "tooltip": "Microsoft's page of the resource",
            ]
        }
    }
}

/// The colours of expressions.
struct ExpressionColours {
    private static let kinds: [WrittenExpression.Token.Kind: Int] = [
        .variable: 0, .property: 1, .function: 2, .keyword: 3, .string: 4, .number: 5, .operator: 6,
    ]
    static let legend: Value = [
        "tokenTypes": ["variable", "property", "function", "keyword", "string", "number", "operator"],
        "tokenModifiers": [],
    ]

    private let analysis: Analysis

    init(_ analysis: Analysis) { self.analysis = analysis }

    var tokens: Value {
        var found: [(line: Int, start: Int, length: Int, kind: Int)] = []
        look(at: analysis.document.value, .root) { expression, characters in
            for token in expression.tokens {
                let (first, last) = (
                    token.range.lowerBound + expression.offset, token.range.upperBound + expression.offset
                )
                guard let kind = Self.kinds[token.kind], first < last, last < characters.count else { continue }
                let (start, end) = (
                    analysis.text.position(at: characters[first]), analysis.text.position(at: characters[last])
                )
                // A token is on one line.
                guard start["line"] == end["line"], let line = start["line"]?.integer,
                    let column = start["character"]?.integer, let after = end["character"]?.integer, after > column
                else { continue }
                found.append((line, column, after - column, kind))
            }
        }
        var (line, column) = (0, 0)
        var data: [Value] = []
        for token in found.sorted(by: { ($0.line, $0.start) < ($1.line, $1.start) }) {
            let isSame = token.line == line
            // Merged members are at one place.
            if isSame, token.start < column { continue }
            data += [token.line - line, isSame ? token.start - column : token.start, token.length, token.kind, 0]
                .map(Value.integer)
            (line, column) = (token.line, token.start)
        }
        return ["data": .array(data)]
    }

    private func look(
        at value: Value, _ pointer: JSONPointer, _ take: (WrittenExpression, [Int]) -> Void
    ) {
        switch value {
        case .object(let members): for member in members { look(at: member.value, pointer.appending(member.key), take) }
        case .array(let elements):
            for (index, element) in elements.enumerated() { look(at: element, pointer.appending(index), take) }
        case .string(let text):
            let inside = WrittenExpression.all(in: text)
            let all = inside.isEmpty && analysis.isBareExpression(pointer) ? [WrittenExpression(text)] : inside
            guard !all.isEmpty else { return }
            let characters = analysis.document.characters(of: pointer)
            for expression in all { take(expression, characters) }
        case .null, .bool, .integer, .double, .marked: break
        }
    }
}
