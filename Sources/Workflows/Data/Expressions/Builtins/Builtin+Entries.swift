extension Builtin {
    static let entries: [String: Builtin] = [
        "keys/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            try keys(input, evaluation) { $0.sortedKeys }
        },
        "keys_unsorted/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            try keys(input, evaluation) { $0.keys }
        },
        "has/1": .native { (_: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            switch (input, arguments[0]) {
            case (.object(let members), .string(let name)): return .bool(members.contains(name))
            case (.array(let elements), .integer(let position)): return .bool(elements.indices.contains(position))
            case (.array(let elements), .double(let position, _)):
                // Cut towards 0, as an index is.
                return .bool(position > -1 && position.rounded(.towardZero) < Double(elements.count))
            case (.null, .string), (.null, .integer), (.null, .double): return false
            default:
                throw .failure("Cannot check whether \(input.typeName) has a \(arguments[0].typeName) key")
            }
        },
        "to_entries/0": .native(toEntries),
        "from_entries/0": .native(fromEntries),
    ]

    private static func keys(
        _ input: Value, _ evaluation: Evaluation, _ names: (Object) -> [String]
    ) throws(Signal) -> Value {
        let keys: [Value]
        switch input {
        case .object(let members):
            try evaluation.step(members.count)
            keys = names(members).map { .string($0) }
        case .array(let elements):
            try evaluation.step(elements.count >> 4)
            keys = elements.indices.map { .integer($0) }
        default: throw .failure("\(input.named) has no keys")
        }
        try evaluation.built(.array(keys), count: keys.count)
        return .array(keys)
    }

    private static func toEntries(_ evaluation: Evaluation, _ input: Value, _: [Value]) throws(Signal) -> Value {
        var entries: [Value] = []
        func append(_ key: Value, _ value: Value) throws(Signal) {
            try evaluation.step()
            let entry = Value.object(["key": key, "value": value])
            try evaluation.built(entry, count: 5)
            entries.append(entry)
        }
        switch input {
        case .object(let members): for member in members { try append(.string(member.key), member.value) }
        case .array(let elements):
            for (position, element) in elements.enumerated() { try append(.integer(position), element) }
        default: throw .failure("\(input.named) has no keys")
        }
        return .array(entries)
    }

    private static func fromEntries(_ evaluation: Evaluation, _ input: Value, _: [Value]) throws(Signal) -> Value {
        let entries: [Value]
        switch input {
        case .array(let elements): entries = elements
        case .object(let members): entries = members.values
        default: throw .failure("Cannot iterate over \(input.named)")
        }
        var object = Object()
        for entry in entries {
            try evaluation.step()
            var key = Value.null
            for name in ["key", "Key", "name", "Name"] {
                key = try entry.member(name, evaluation)
                if try key.truth() { break }
            }
            guard case .string(let name) = key else {
                if key.holdsUnknown { throw .undecided }
                if key.textParts != nil { throw .secretName }
                throw .failure("Cannot use \(key.named) as object key")
            }
            guard case .object(let members) = entry else {
                if entry.holdsUnknown { throw .undecided }
                throw .failure("Cannot check whether \(entry.typeName) has a string key")
            }
            let value = members["value"] ?? members["Value"] ?? .null
            try evaluation.allocate(64 + name.utf8.count)
            object[name] = value
        }
        return .object(object)
    }
}
