/// The kinds of requests that a call with unknown arguments can make, depending on the unknown arguments.
struct PlannedArguments {
    struct Kind: Sendable {
        /// When a run makes requests of this kind, in words; nil if always.
        var words: String?
        var arguments: Value
        /// The parameters for which null is not a separate kind: it is an error, or leaves out a header field.
        var plain: Set<String> = []
    }

    /// The maximum number of planned kinds for one call, or for one operation of a document.
    static let mostKinds = 24

    /// The kinds, of which a run makes one.
    private(set) var kinds: [Kind]
    /// Whether there are more kinds than are planned.
    private(set) var isCut = false

    init(_ kinds: [Kind], of function: Function) {
        let each = kinds.map { PlannedArguments($0, of: function) }
        self.kinds = each.flatMap(\.kinds)
        isCut = each.contains(where: \.isCut)
    }

    private init(_ kind: Kind, of function: Function) {
        kinds = [kind]
        guard let members = kind.arguments.object, kind.arguments.holdsUnknown else { return }
        let required = function.input["required"]?.array?.compactMap(\.string) ?? []
        // What only changes a member of the body stays unknown in it.
        let plain =
            switch function.name {
            case "sendMail": ["importance", "attachments"]
            case "mcp": ["parameters", "client", "timeout"]
            default: [String]()
            }
        for (name, schema) in function.input["properties"]?.object ?? [:] where !plain.contains(name) {
            guard let unknown = members[name]?.unknown else { continue }
            add(
                Self.choices(of: unknown, schema, isRequired: required.contains(name)), of: unknown,
                at: [name], isList: schema["type"] == "array")
        }
        for outer in ["http": "query", "openapi": "parameters"] where outer.key == function.name {
            for (name, value) in members[outer.value]?.object ?? [:] where !kind.plain.contains(name) {
                guard let unknown = value.unknown, unknown.shape == .any else { continue }
                add(
                    [("\(name) has a value", nil), ("\(name) has no value", .null)], of: unknown,
                    at: [outer.value, name], isList: outer.value == "query")
            }
        }
    }

    /// The possible kinds of an argument, in words, with its value, or nil if it stays unknown.
    private static func choices(
        of unknown: Unknown, _ schema: Value, isRequired: Bool
    ) -> [(words: String, value: Value?)] {
        var choices: [(words: String, value: Value?)] = []
        if let words = schema["enum"]?.array {
            choices = words.map { ("is \($0.string ?? $0.json())", $0) }
        } else if schema["type"] == "boolean" {
            choices = [("is true", true), ("is false", false)]
        }
        if !isRequired, unknown.mayBeNull || unknown.mayBeEmpty(schema) {
            if choices.isEmpty { choices = [("is given", nil)] }
            choices.append(("is not given", .null))
        }
        return choices
    }

    private mutating func add(
        _ choices: [(words: String, value: Value?)], of unknown: Unknown, at path: [String], isList: Bool
    ) {
        guard choices.count > 1 else {
            if let only = choices.first, let value = only.value {
                for index in kinds.indices {
                    kinds[index].arguments = kinds[index].arguments.setting(value, at: path[...])
                }
            }
            return
        }
        guard kinds.count * choices.count <= Self.mostKinds else {
            isCut = true
            return
        }
        kinds = kinds.flatMap { kind in
            choices.map { choice in
                let own = path.count == 1 ? "\(path[0]) \(choice.words)" : choice.words
                return Kind(
                    words: kind.words.map { "\($0) and \(own)" } ?? "if \(own)",
                    arguments: choice.value.map { kind.arguments.setting($0, at: path[...]) } ?? kind.arguments)
            }
        }
    }
}

extension Unknown {
    fileprivate var mayBeNull: Bool { shape == .any }

    /// Whether it can be an empty array, which counts as absent.
    fileprivate func mayBeEmpty(_ schema: Value) -> Bool {
        guard case .array = shape else { return false }
        return schema["type"] == "array"
    }
}

extension Value {
    /// The data with another value at a path of names; null removes it.
    func setting(_ value: Value, at path: ArraySlice<String>) -> Value {
        guard let name = path.first, var members = object else { return value }
        let inner = path.count == 1 ? value : members[name]?.setting(value, at: path.dropFirst()) ?? value
        members[name] = inner.isNull ? nil : inner
        return .object(members)
    }
}
