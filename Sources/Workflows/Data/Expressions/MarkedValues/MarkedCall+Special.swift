extension MarkedCall {
    /// A function's result with marked values; nil if the function computes it under its ``MarkPolicy``.
    typealias Special = @Sendable (MarkedCall, Evaluation, Value, [Value]) throws(Signal) -> Value?

    private static let asIfUnmarked: Special = { call, evaluation, input, _ throws(Signal) in
        try call.function(evaluation, input, [])
    }

    static let special: [String: Special] = [
        "builtins/0": asIfUnmarked,
        "format/1": { (call: MarkedCall, evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .string(let name) = arguments[0], let format = Format(rawValue: name) else { return nil }
            return try format.marked(input, evaluation)
        },
        "has/1": { (call: MarkedCall, evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try call.has(evaluation, input, arguments[0])
        },
        "index/1": { (call: MarkedCall, evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try call.places(evaluation, input, arguments)
        },
        "indices/1": { (call: MarkedCall, evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try call.places(evaluation, input, arguments)
        },
        "_indices/1": { (call: MarkedCall, evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try call.places(evaluation, input, arguments)
        },
        "rindex/1": { (call: MarkedCall, evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try call.places(evaluation, input, arguments)
        },
        "join/1": { (call: MarkedCall, evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try call.joined(evaluation, input, by: arguments[0])
        },
        "length/0": { (call: MarkedCall, evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            try call.length(evaluation, input)
        },
        "localtime/0": { (call: MarkedCall, evaluation: Evaluation, _: Value, _: [Value]) throws(Signal) in
            guard let planning = evaluation.planning else { return nil }
            return planning.pending(.array(planning.pending(.number)))
        },
        "not/0": { (call: MarkedCall, evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            if let truth = input.decidedTruth { return .bool(!truth) }
            return try call.planning(evaluation).pending(.boolean, fails: false)
        },
        "now/0": asIfUnmarked,
        "strflocaltime/1": { (call: MarkedCall, evaluation: Evaluation, _: Value, _: [Value]) throws(Signal) in
            guard let planning = evaluation.planning else { return nil }
            return planning.pending(.text)
        },
        "toarray/0": { (call: MarkedCall, evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            switch input.unknown?.shape {
            case .any?:
                return try call.planning(evaluation).pending(
                    .array(try call.planning(evaluation).pending()), fails: false)
            case .array?: return input
            default: return try call.function(evaluation, input, [])
            }
        },
        "toboolean/0": { (_: MarkedCall, evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            input.unknown?.shape == .boolean ? input : Optional<Value>.none
        },
        "tobool/0": { (_: MarkedCall, evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            input.unknown?.shape == .boolean ? input : Optional<Value>.none
        },
        "tonumber/0": { (_: MarkedCall, evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            input.unknown?.shape == .number ? input : Optional<Value>.none
        },
        "tostring/0": { (call: MarkedCall, evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            try Format.text.marked(input, evaluation)
        },
        "type/0": { (call: MarkedCall, evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            if input.unknown?.shape == .any { return try call.planning(evaluation).pending(.text, fails: false) }
            return .string(input.typeName)
        },
        "_match/3": { (call: MarkedCall, evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try call.matches(evaluation, input, arguments)
        },
        "_pattern/1": { (call: MarkedCall, evaluation: Evaluation, _: Value, arguments: [Value]) throws(Signal) in
            if arguments[0].textParts != nil { return [arguments[0], .null] }
            if arguments[0].unknown != nil {
                let planning = try call.planning(evaluation)
                return planning.pending(.array(planning.pending()))
            }
            return try call.function(evaluation, .null, arguments)
        },
    ]

    func planning(_ evaluation: Evaluation) throws(Signal) -> Planning {
        guard let planning = evaluation.planning else {
            throw .failure("\(title) needs data that is only known at run time")
        }
        return planning
    }

    private func has(_ evaluation: Evaluation, _ input: Value, _ key: Value) throws(Signal) -> Value? {
        let key = key.revealed
        if input.unknown == nil, !key.isMarked { return try function(evaluation, input, [key]) }
        if case .object(let members)? = input.unknown?.shape, case .string(let name) = key, members.contains(name) {
            return true
        }
        return try planning(evaluation).pending(.boolean)
    }

    /// Positions are not secret; in an object, `index` looks up a member.
    private func places(_ evaluation: Evaluation, _ input: Value, _ arguments: [Value]) throws(Signal) -> Value? {
        if input.holdsUnknown || arguments[0].holdsUnknown { return try planning(evaluation).pending() }
        switch input.revealed {
        case .string, .array: return try revealed(evaluation, input, arguments) { value, _ in value }
        default: return try function(evaluation, input, arguments.map(\.revealed))
        }
    }

    private func length(_ evaluation: Evaluation, _ input: Value) throws(Signal) -> Value? {
        guard case .marked = input else { return try function(evaluation, input, []) }
        if let unknown = input.unknown {
            if unknown.shape == .boolean { throw .failure("\(input.named) has no length") }
            return try planning(evaluation).pending(.number, fails: unknown.shape == .any)
        }
        if input.holdsUnknown { return try planning(evaluation).pending(.number, fails: false) }
        // A number's length is its absolute value.
        return try revealed(evaluation, input, []) { input.textParts == nil ? $0.concealed(of: $1) : $0 }
    }

    /// The texts of marked elements remain parts of the joined text.
    private func joined(_ evaluation: Evaluation, _ input: Value, by separator: Value) throws(Signal) -> Value? {
        let elements: [Value]
        switch input {
        case .array(let array): elements = array
        case .object(let members): elements = members.values
        case .marked where input.unknown != nil: return try planning(evaluation).pending(.text)
        default: return try function(evaluation, input, [separator])
        }
        guard (elements + [separator]).contains(where: \.isMarked) else {
            return try function(evaluation, input, [separator])
        }
        if elements.isEmpty { return "" }
        var text: Value = ""
        for (position, element) in elements.enumerated() {
            try evaluation.step()
            if position > 0 { try text.add(separator, evaluation) }
            switch element {
            case .null: break
            case .bool, .integer, .double: try text.add(.string(element.json()), evaluation)
            case .marked(let marked):
                switch marked.content {
                case .unknown(let unknown) where unknown.shape == .number || unknown.shape == .boolean:
                    guard let parts = text.textParts else { return try planning(evaluation).pending(.text) }
                    text = try evaluation.text(parts + [.unknown(unknown)])
                case .secret: try text.add(try Format.text.marked(element, evaluation), evaluation)
                case .unknown, .text: try text.add(element, evaluation)
                }
            default: try text.add(element, evaluation)
            }
        }
        return text
    }

    /// A match's texts are secret; whether, where and how long it is, are not.
    private func matches(_ evaluation: Evaluation, _ input: Value, _ arguments: [Value]) throws(Signal) -> Value? {
        if input.holdsUnknown || arguments.contains(where: \.holdsUnknown) {
            let isTest = arguments[2].decidedTruth == true
            return try planning(evaluation).pending(
                isTest ? .boolean : .array(try planning(evaluation).pending(.object([:]))))
        }
        guard input.holdsSecret || arguments.contains(where: \.holdsSecret) else { return nil }
        let isPatternSecret = arguments.contains(where: \.holdsSecret)
        return try revealed(evaluation, input, arguments) { value, names in
            value.concealedMatch(of: names, isPatternSecret: isPatternSecret)
        }
    }
}

extension Value {
    /// Matches with secret texts, and secret group names if the pattern is secret.
    fileprivate func concealedMatch(of names: [String], isPatternSecret: Bool) -> Value {
        switch self {
        case .array(let matches):
            return .array(matches.map { $0.concealedMatch(of: names, isPatternSecret: isPatternSecret) })
        case .object(let members):
            return .object(
                Object(
                    members.map { key, value in
                        switch key {
                        case "string": (key, value.concealed(of: names))
                        case "name": (key, isPatternSecret ? value.concealed(of: names) : value)
                        default: (key, value.concealedMatch(of: names, isPatternSecret: isPatternSecret))
                        }
                    }))
        default: return self
        }
    }
}
