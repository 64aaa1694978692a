extension Effect {
    /// The effect as JSON; unknown members are null.
    public var value: Value { markedValue.mapMarks(\.drawn) }

    /// The effect as JSON, in which secrets are marked.
    package var markedValue: Value {
        var value: Object = ["kind": .string(kind.rawValue)]
        value["task"] = task.map { .string($0.description) } ?? .null
        if !rounds.isEmpty { value["rounds"] = .string(rounds) }
        value["summary"] = words?.holdsSecret ?? false ? words : .string(summary)
        value["count"] = count.value
        value["condition"] = condition.map(Value.string) ?? .null
        value["once"] = .bool(isOnce)
        value["undo"] = .string(undo.rawValue)
        if mostTries != 1 { value["tries"] = mostTries.map(Value.integer) ?? .null }
        for (name, member) in details.members { value[name] = member.known }
        let names = itemNames.compactMap { id, name in id.string.map { ($0, name.known) } }
        if !names.isEmpty { value["names"] = .object(Object(names.sorted { $0.0 < $1.0 })) }
        if let object { value["object"] = object.value }
        value["identity"] = identity.map(Value.string)
        for (name, member) in others { value[name] = member }
        return .object(value)
    }

    private static let common: Set<String> = [
        "kind", "task", "rounds", "summary", "count", "condition", "once", "undo", "tries", "names", "object",
        "identity",
    ]

    package init?(_ value: Value) {
        guard let members = value.object, let kind = members["kind"]?.string.flatMap(Kind.init(rawValue:)) else {
            return nil
        }
        self.init(Details(kind, members))
        let known = details.members
        others = members.filter { name, member in !Self.common.contains(name) && known[name] != member }
        words = members["summary"]
        task = members["task"]?.string.flatMap { JSONPointer(rfc6901: $0) }
        rounds = members["rounds"]?.string ?? ""
        count = members["count"].map(Count.init) ?? .one
        condition = members["condition"]?.string
        isOnce = members["once"]?.bool ?? false
        mostTries = members["tries"].map { $0.integer } ?? 1
        itemNames = Dictionary((members["names"]?.object ?? [:]).map { (.string($0), $1) }, uniquingKeysWith: { $1 })
        identity = members["identity"]?.string
        object = members["object"].flatMap { ObjectVersion(recorded: $0) }
        // Without what is kept, it could be undone in part.
        isFormerKept = undo == .partly && members["undo"]?.string == Undo.exact.rawValue
    }
}

extension Effect.Count {
    /// The count as JSON.
    public var value: Value { ["atLeast": .integer(atLeast), "atMost": atMost.map(Value.integer) ?? .null] }

    fileprivate init(_ value: Value) {
        self.init(atLeast: value["atLeast"]?.integer ?? 0, atMost: value["atMost"]?.integer)
    }
}

extension Value {
    fileprivate var known: Value {
        switch self {
        case .null, .bool, .integer, .double, .string: self
        case .array(let elements): .array(elements.map(\.known))
        case .object(let members): .object(Object(members.map { ($0.key, $0.value.known) }))
        case .marked: holdsUnknown ? .null : self
        }
    }
}
