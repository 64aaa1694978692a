extension Builtin {
    static let patterns: [String: Builtin] = [
        "_match/3": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .string(let text) = input else {
                throw .failure("\(input.named) cannot be matched, as it is not a string")
            }
            let expression = try expression(arguments[0], arguments[1], evaluation)
            let subject = PatternSubject(text)
            let matches = try expression.matches(in: subject.scalars, evaluation)
            if try arguments[2].truth() { return .bool(!matches.isEmpty) }
            var values: [Value] = []
            for match in matches {
                try evaluation.allocate(200 + expression.groupNames.count * 200)
                values.append(subject.value(of: match, expression))
            }
            return .array(values)
        },
        "_pattern/1": .native { (_: Evaluation, _: Value, arguments: [Value]) throws(Signal) in
            switch arguments[0] {
            case .string: return [arguments[0], .null]
            case .array(let parts) where parts.count > 1: return [parts[0], parts[1]]
            case .array(let parts) where parts.count == 1: return [parts[0], .null]
            default: throw .failure("\(arguments[0].typeName) not a string or array")
            }
        },
        "_captures/0": .native { (_: Evaluation, input: Value, _: [Value]) throws(Signal) in
            var object = Object()
            for capture in input["captures"]?.array ?? [] {
                guard case .string(let name)? = capture["name"] else { continue }
                object[name] = capture["string"] ?? .null
            }
            return .object(object)
        },
        "split/2": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .string(let text) = input else {
                throw .failure("\(input.named) cannot be matched, as it is not a string")
            }
            let flags = try flags(arguments[1])
            let expression = try expression(arguments[0], .string("g" + flags), evaluation)
            let subject = PatternSubject(text)
            var parts: [Value] = []
            var start = 0
            for match in try expression.matches(in: subject.scalars, evaluation) {
                parts.append(.string(subject.text(start, match[0])))
                start = match[1]
            }
            parts.append(.string(subject.text(start, subject.scalars.count)))
            try evaluation.built(.array(parts), count: parts.count)
            return .array(parts)
        },
        "sub/2": .node { SubstitutionNode($0[0], $0[1], flags: ConstantNode(.null), isGlobal: false) },
        "sub/3": .node { SubstitutionNode($0[0], $0[1], flags: $0[2], isGlobal: false) },
        "gsub/2": .node { SubstitutionNode($0[0], $0[1], flags: ConstantNode(.null), isGlobal: true) },
        "gsub/3": .node { SubstitutionNode($0[0], $0[1], flags: $0[2], isGlobal: true) },
    ]

    static func flags(_ value: Value) throws(Signal) -> String {
        switch value {
        case .null: return ""
        case .string(let flags): return flags
        default: throw .failure("\(value.named) is not a string")
        }
    }

    static func expression(
        _ source: Value, _ flags: Value, _ evaluation: Evaluation
    ) throws(Signal) -> RegularExpression {
        guard case .string(let text) = source else {
            throw .failure("\(source.named) cannot be matched, as it is not a string")
        }
        return try evaluation.regularExpression(text, flags: try Self.flags(flags))
    }
}
