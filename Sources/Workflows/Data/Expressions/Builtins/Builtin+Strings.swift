extension Builtin {
    static let strings: [String: Builtin] = [
        "explode/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            guard case .string(let text) = input else { throw .failure("explode input must be a string") }
            try evaluation.step(text.utf8.count >> 3)
            let codes = Value.array(text.unicodeScalars.map { .integer(Int($0.value)) })
            try evaluation.built(codes, count: text.utf8.count)
            return codes
        },
        "implode/0": .native(implode),
        "split/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .string(let text) = input, case .string(let separator) = arguments[0] else {
                throw .failure("split input and separator must be strings")
            }
            return try text.split(separator, evaluation)
        },
        "join/1": .native(join),
        "ascii_downcase/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            guard case .string(let text) = input else { throw .failure("ascii_downcase input must be a string") }
            return try mapBytes(text, evaluation) { (65...90).contains($0) ? $0 + 32 : $0 }
        },
        "ascii_upcase/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            guard case .string(let text) = input else { throw .failure("ascii_upcase input must be a string") }
            return try mapBytes(text, evaluation) { (97...122).contains($0) ? $0 - 32 : $0 }
        },
        "startswith/1": .native { (_: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .string(let text) = input, case .string(let start) = arguments[0] else {
                throw .failure("startswith() requires string inputs")
            }
            return .bool(text.utf8.starts(with: start.utf8))
        },
        "endswith/1": .native { (_: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .string(let text) = input, case .string(let end) = arguments[0] else {
                throw .failure("endswith() requires string inputs")
            }
            return .bool(text.hasByteSuffix(end))
        },
        "ltrimstr/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try trimmed(input, arguments[0], atStart: true, atEnd: false, evaluation)
        },
        "rtrimstr/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try trimmed(input, arguments[0], atStart: false, atEnd: true, evaluation)
        },
        "trimstr/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try trimmed(input, arguments[0], atStart: true, atEnd: true, evaluation)
        },
        "trim/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            try trimmedSpace(input, atStart: true, atEnd: true, evaluation)
        },
        "ltrim/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            try trimmedSpace(input, atStart: true, atEnd: false, evaluation)
        },
        "rtrim/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            try trimmedSpace(input, atStart: false, atEnd: true, evaluation)
        },
        "format/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .string(let name) = arguments[0], let format = Format(rawValue: name) else {
                throw .failure("\(arguments[0].string ?? arguments[0].json()) is not a valid format")
            }
            return .string(try format.apply(input, evaluation))
        },
    ]

    private static func mapBytes(
        _ text: String, _ evaluation: Evaluation, _ transform: (UInt8) -> UInt8
    ) throws(Signal) -> Value {
        try evaluation.step(text.utf8.count >> 6)
        try evaluation.allocate(text.utf8.count)
        return .string(String(decoding: text.utf8.map(transform), as: UTF8.self))
    }

    private static func implode(_ evaluation: Evaluation, _ input: Value, _: [Value]) throws(Signal) -> Value {
        guard case .array(let codes) = input else { throw .failure("implode input must be an array") }
        try evaluation.step(codes.count >> 3)
        try evaluation.allocate(codes.count * 2)
        var text = String.UnicodeScalarView()
        for code in codes {
            guard let number = code.double, !number.isNaN else {
                throw .failure("\(code.named) can't be imploded, unicode codepoint needs to be numeric")
            }
            text.append(UInt32(exactly: number.rounded(.towardZero)).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}")
        }
        return .string(String(text))
    }

    private static func join(
        _ evaluation: Evaluation, _ input: Value, _ arguments: [Value]
    ) throws(Signal) -> Value {
        let elements: [Value]
        switch input {
        case .array(let array): elements = array
        case .object(let members): elements = members.values
        default: throw .failure("Cannot iterate over \(input.named)")
        }
        guard !elements.isEmpty else { return "" }
        var text = Value.null
        for element in elements {
            try evaluation.step()
            if text.isNull { text = "" } else { try text.add(arguments[0], evaluation) }
            switch element {
            case .null: break
            case .bool, .integer, .double: try text.add(.string(element.json()), evaluation)
            default: try text.add(element, evaluation)
            }
        }
        return text
    }

    private static func trimmed(
        _ input: Value, _ part: Value, atStart: Bool, atEnd: Bool, _ evaluation: Evaluation
    ) throws(Signal) -> Value {
        guard case .string(let text) = input, case .string(let part) = part else {
            throw .failure("\(atStart ? "startswith" : "endswith")() requires string inputs")
        }
        var rest = text.utf8[...]
        if atStart, rest.starts(with: part.utf8) { rest = rest.dropFirst(part.utf8.count) }
        if atEnd, !part.isEmpty, rest.count >= part.utf8.count, rest.suffix(part.utf8.count).elementsEqual(part.utf8) {
            rest = rest.dropLast(part.utf8.count)
        }
        try evaluation.allocate(rest.count)
        return .string(String(Substring(rest)))
    }

    private static func trimmedSpace(
        _ input: Value, atStart: Bool, atEnd: Bool, _ evaluation: Evaluation
    ) throws(Signal) -> Value {
        guard case .string(let text) = input else { throw .failure("\(input.named) cannot be trimmed") }
        var rest = text.unicodeScalars[...]
        if atStart { rest = rest.drop(while: \.properties.isWhitespace) }
        while atEnd, let last = rest.last, last.properties.isWhitespace { rest = rest.dropLast() }
        try evaluation.allocate(rest.count)
        return .string(String(rest))
    }
}

extension String {
    fileprivate func hasByteSuffix(_ end: String) -> Bool {
        utf8.count >= end.utf8.count && utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
    }
}
