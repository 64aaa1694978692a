/// Finds the names in a text.
///
/// It reads the file's data, and so includes what does not decode yet.
struct NameSearch {
    private let analysis: Analysis
    private(set) var found: [Names.Occurrence] = []

    init(_ analysis: Analysis) { self.analysis = analysis }

    // MARK: Tasks

    private static let lists: Set<String> = ["do", "try", "branches"]

    /// The place of the innermost task that contains a place, or is it.
    static func task(around pointer: JSONPointer) -> JSONPointer? {
        let tokens = pointer.tokens
        for index in tokens.indices.reversed() where index > 0 && index + 1 < tokens.count {
            if Int(tokens[index]) != nil, lists.contains(tokens[index - 1]) {
                return JSONPointer(Array(tokens[...(index + 1)]))
            }
        }
        return tokens.count > 2 && tokens[0] == "use" && tokens[1] == "functions"
            ? JSONPointer(Array(tokens[..<3])) : nil
    }

    static func taskNames(_ list: Value) -> [String] { (list.array ?? []).compactMap { $0.object?.keys.first } }

    /// The names in `use` of a kind.
    static func definitions(_ kind: String, in value: Value) -> [String] {
        let definitions = value["use"]?[kind]
        return definitions?.object?.keys ?? (definitions?.array ?? []).compactMap(\.string)
    }

    // MARK: Scalars

    /// What a scalar at a place names; nil if it is only data.
    static func target(of text: String, at pointer: JSONPointer, in analysis: Analysis) -> Names.Target? {
        let tokens = pointer.tokens
        guard analysis.kind == .workflow else {
            if tokens == ["workflow"] { return .file(text) }
            guard tokens.first == "cases", tokens.count > 2 else { return nil }
            switch Array(tokens[2...]) {
            case ["name"]: return .test(text)
            case let path where path.count == 3 && path[0] == "approvals" && path[2] == "task",
                let path where path.count == 3 && path[0] == "expect" && path[1] == "tasks":
                return .task(list: nil, text)
            default: return nil
            }
        }
        if tokens == ["timeout"] { return .use("timeouts", text) }
        if tokens == ["document", "name"] {
            return .workflow(namespace: analysis.document.value["document"]?["namespace"]?.string ?? "", text)
        }
        if tokens.count == 3, tokens[0] == "use", tokens[1] == "secrets" { return .use("secrets", text) }
        if tokens.suffix(2) == ["authentication", "use"] { return .use("authentications", text) }
        guard let task = task(around: pointer) else { return nil }
        let list = JSONPointer(Array(task.tokens.dropLast(2)))
        switch Array(tokens.dropFirst(task.tokens.count)) {
        case ["then"], ["catch", "then"]: return .task(list: list, text)
        case let path where path.count == 4 && path[0] == "switch" && path[3] == "then": return .task(list: list, text)
        case ["timeout"]: return .use("timeouts", text)
        case ["catch", "retry"]: return .use("retries", text)
        case ["raise", "error"]: return .use("errors", text)
        case ["call"]: return .use("functions", text)
        case ["run", "workflow", "name"], ["with", "workflow", "name"]:
            let around = analysis.document.value[pointer.parent ?? .root]
            return .workflow(namespace: around?["namespace"]?.string ?? "", text)
        default: return nil
        }
    }

    // MARK: Search

    mutating func look(at value: Value, _ pointer: JSONPointer) {
        switch value {
        case .object(let members):
            for member in members {
                let place = pointer.appending(member.key)
                declare(member.key, at: place)
                look(at: member.value, place)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() { look(at: element, pointer.appending(index)) }
        case .string(let text): look(atText: text, pointer)
        case .null, .bool, .integer, .double, .marked: break
        }
    }

    private mutating func declare(_ name: String, at pointer: JSONPointer) {
        guard let bytes = analysis.document.keyBytes(of: pointer) else { return }
        let tokens = pointer.tokens
        guard analysis.kind == .workflow else { return }
        if tokens.count == 3, tokens[0] == "use" {
            found.append(Names.Occurrence(target: .use(tokens[1], name), bytes: bytes, isDeclaration: true))
        } else if Self.task(around: pointer) == pointer {
            let list = JSONPointer(Array(tokens.dropLast(2)))
            found.append(Names.Occurrence(target: .task(list: list, name), bytes: bytes, isDeclaration: true))
        } else if tokens.dropLast().suffix(2) == ["export", "as"] {
            found.append(Names.Occurrence(target: .context(name), bytes: bytes, isDeclaration: true))
        }
    }

    private mutating func look(atText text: String, _ pointer: JSONPointer) {
        if let bytes = analysis.document.bytes(of: pointer), !bytes.isEmpty {
            if let target = Self.target(of: text, at: pointer, in: analysis) {
                if isKnown(target) {
                    let tokens = pointer.tokens
                    let isDeclaration =
                        tokens == ["document", "name"] || tokens.starts(with: ["use", "secrets"])
                        || tokens.first == "cases" && tokens.last == "name"
                    found.append(Names.Occurrence(target: target, bytes: bytes, isDeclaration: isDeclaration))
                }
            } else if let variable = declaredVariable(text, at: pointer) {
                found.append(Names.Occurrence(target: variable, bytes: bytes, isDeclaration: true))
            } else if isFile(text, pointer) {
                found.append(Names.Occurrence(target: .file(text), bytes: bytes, isDeclaration: false))
            }
        }
        guard text.contains("$"), analysis.kind == .workflow else { return }
        let expressions = WrittenExpression.all(in: text)
        let all = expressions.isEmpty && analysis.isBareExpression(pointer) ? [WrittenExpression(text)] : expressions
        if !all.isEmpty { look(at: all, pointer) }
    }

    private func isKnown(_ target: Names.Target) -> Bool {
        switch target {
        case .task(let list?, let name):
            analysis.document.value[list].map(Self.taskNames)?.contains(name) ?? false
        case .use(let kind, let name): Self.definitions(kind, in: analysis.document.value).contains(name)
        default: true
        }
    }

    private func isFile(_ text: String, _ pointer: JSONPointer) -> Bool {
        guard let model = analysis.model, !text.isEmpty, text.utf8.count < 1_000, !text.contains("${"),
            let task = Self.task(around: pointer), pointer.tokens.dropFirst(task.tokens.count).first == "with"
        else { return false }
        // Most texts are none, and looking for one costs less than resolving its links.
        return FileManager.default.fileExists(atPath: analysis.folder + text)
            && (try? model.workflow.files.locate(text)) != nil
    }

    // MARK: Variables

    /// Where tasks name their variables, with the names that they have by default.
    private static let variables: [(path: [String], name: String)] = [
        (["for", "each"], "item"), (["for", "at"], "index"), (["catch", "as"], "error"),
        (["foreach", "item"], "item"), (["foreach", "at"], "index"),
    ]
    private static let scopes: [String: Set<String>] = [
        "for": ["do", "while"], "catch": ["catch"], "foreach": ["foreach"],
    ]

    private func declaredVariable(_ text: String, at pointer: JSONPointer) -> Names.Target? {
        guard let task = Self.task(around: pointer) else { return nil }
        let path = Array(pointer.tokens.dropFirst(task.tokens.count))
        return Self.variables.contains { $0.path == path } ? .variable(task: task, text) : nil
    }

    /// The variables that the tasks around a place give to it.
    func locals(at pointer: JSONPointer) -> [String] {
        var names: [String] = []
        var place = Self.task(around: pointer)
        while let task = place {
            let part = pointer.tokens.dropFirst(task.tokens.count).first ?? ""
            for variable in Self.variables where Self.scopes[variable.path[0]]?.contains(part) ?? false {
                guard let body = analysis.document.value[task]?[variable.path[0]] else { continue }
                names.append(body[variable.path[1]]?.string ?? variable.name)
            }
            place = Self.task(around: JSONPointer(Array(task.tokens.dropLast(2))))
        }
        return names
    }

    /// The innermost task that gives a variable to a place.
    private func owner(of name: String, at pointer: JSONPointer) -> JSONPointer? {
        var place = Self.task(around: pointer)
        while let task = place {
            let part = pointer.tokens.dropFirst(task.tokens.count).first ?? ""
            for variable in Self.variables {
                guard let body = analysis.document.value[task]?[variable.path[0]],
                    Self.scopes[variable.path[0]]?.contains(part) ?? false,
                    (body[variable.path[1]]?.string ?? variable.name) == name
                else { continue }
                return task
            }
            place = Self.task(around: JSONPointer(Array(task.tokens.dropLast(2))))
        }
        return nil
    }

    private mutating func look(at expressions: [WrittenExpression], _ pointer: JSONPointer) {
        let characters = analysis.document.characters(of: pointer)
        for expression in expressions {
            func bytes(_ range: Range<Int>) -> Range<Int>? {
                let (start, end) = (range.lowerBound + expression.offset, range.upperBound + expression.offset)
                return start <= end && end < characters.count ? characters[start]..<characters[end] : nil
            }
            guard let compiled = try? Workflows.Expression(expression.source) else { continue }
            for read in compiled.variableReads {
                let name = read.offset + 1..<read.offset + 1 + read.name.unicodeScalars.count
                guard let owner = owner(of: read.name, at: pointer), let bytes = bytes(name) else { continue }
                found.append(
                    Names.Occurrence(
                        target: .variable(task: owner, read.name), bytes: bytes, isDeclaration: false,
                        isInExpression: true))
            }
            let tokens = expression.tokens
            if pointer.tokens.suffix(2) == ["export", "as"] {
                for (token, next) in zip(tokens, tokens.dropFirst())
                where token.kind == .function && expression.text(next.range) == ":" {
                    guard let bytes = bytes(token.range) else { continue }
                    found.append(
                        Names.Occurrence(
                            target: .context(expression.text(token.range)), bytes: bytes, isDeclaration: true,
                            isInExpression: true))
                }
            }
            for (token, next) in zip(tokens, tokens.dropFirst())
            where token.kind == .variable && next.kind == .property
                && next.range.lowerBound == token.range.upperBound + 1
            {
                let variable = expression.text(token.range)
                let name = expression.text(next.range)
                guard let bytes = bytes(next.range), variable == "$secrets" || variable == "$context" else { continue }
                let target: Names.Target = variable == "$secrets" ? .use("secrets", name) : .context(name)
                found.append(
                    Names.Occurrence(target: target, bytes: bytes, isDeclaration: false, isInExpression: true))
            }
        }
    }
}
