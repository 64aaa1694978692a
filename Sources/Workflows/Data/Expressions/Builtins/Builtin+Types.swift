extension Builtin {
    static let types: [String: Builtin] = [
        "type/0": simple { .string($0.typeName) },
        "length/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            switch input {
            case .null: return .integer(0)
            case .bool: throw .failure("\(input.named) has no length")
            case .integer, .double: return input.absolute
            case .string(let text):
                try evaluation.step(text.utf8.count >> 8)
                return .integer(text.scalarCount)
            case .array(let elements): return .integer(elements.count)
            case .object(let members): return .integer(members.count)
            case .marked: throw .failure("\(input.named) has no length")
            }
        },
        "utf8bytelength/0": .native { (_: Evaluation, input: Value, _: [Value]) throws(Signal) in
            guard case .string(let text) = input else {
                throw .failure("\(input.named) only strings have UTF-8 byte length")
            }
            return .integer(text.utf8.count)
        },
        "tostring/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            .string(try input.text(evaluation))
        },
        "tojson/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            .string(try input.jsonText(evaluation))
        },
        "fromjson/0": .native(fromJSON),
        "tonumber/0": .native(toNumber),
        "toboolean/0": .native(toBoolean),
        "tobool/0": .native(toBoolean),
        "toarray/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            if case .array = input { return input }
            let array = Value.array([input])
            try evaluation.built(array, count: 1)
            return array
        },
        "isvalid/1": .node { TryNode(PipeNode($0[0], ConstantNode(true)), handler: ConstantNode(false)) },
        "infinite/0": .node { _ in ConstantNode(.double(.infinity)) },
        "nan/0": .node { _ in ConstantNode(.double(.nan)) },
        "null/0": .node { _ in ConstantNode(.null) },
        "true/0": .node { _ in ConstantNode(true) },
        "false/0": .node { _ in ConstantNode(false) },
        "isinfinite/0": simple { .bool($0.double?.isInfinite ?? false) },
        "isnan/0": simple { .bool($0.double?.isNaN ?? false) },
        "isnormal/0": simple { .bool($0.double?.isNormal ?? false) },
        "isfinite/0": simple { .bool($0.double.map { !$0.isInfinite } ?? false) },
    ]

    /// A function of only its input that never fails.
    static func simple(_ body: @escaping @Sendable (Value) -> Value) -> Builtin {
        .native { (_: Evaluation, input: Value, _: [Value]) throws(Signal) in body(input) }
    }

    static func number(_ value: Value) throws(Signal) -> Double {
        guard let number = value.double else { throw .failure("\(value.named) number required") }
        return number
    }

    private static func fromJSON(
        _ evaluation: Evaluation, _ input: Value, _: [Value]
    ) throws(Signal) -> Value {
        guard case .string(let text) = input else { throw .failure("\(input.named) only strings can be parsed") }
        try evaluation.step(1 + text.utf8.count >> 4)
        try evaluation.allocate(text.utf8.count * 4)
        try evaluation.require(levels: text.bracketLevels)
        do {
            let value = try Value(json: text) { $0.jsonNumber }
            try evaluation.built(value, count: 0, levels: max(1, text.bracketLevels))
            return value
        } catch let signal as Signal {
            throw signal
        } catch let error as ReadingError {
            let reason = error.diagnostics.first?.message ?? "invalid JSON"
            throw .failure("\(reason) (while parsing '\(PlainText.cut(text, to: 100))')")
        } catch {
            throw .failure("\(error) (while parsing '\(PlainText.cut(text, to: 100))')")
        }
    }

    private static func toNumber(_ evaluation: Evaluation, _ input: Value, _: [Value]) throws(Signal) -> Value {
        switch input {
        case .integer, .double: return input
        case .string(let text):
            guard let number = text.jsonNumber else {
                throw .failure("Cannot parse '\(PlainText.cut(text, to: 64))' as a number")
            }
            return number
        default: throw .failure("\(input.named) cannot be parsed as a number")
        }
    }

    private static func toBoolean(_ evaluation: Evaluation, _ input: Value, _: [Value]) throws(Signal) -> Value {
        switch input {
        case .bool: return input
        case .string("true"): return true
        case .string("false"): return false
        default: throw .failure("\(input.named) cannot be parsed as a boolean")
        }
    }
}

extension String {
    /// The deepest nesting of brackets and braces outside strings.
    fileprivate var bracketLevels: Int {
        var level = 0
        var deepest = 0
        var isString = false
        var isEscaped = false
        for byte in utf8 {
            if isEscaped {
                isEscaped = false
            } else if isString {
                isEscaped = byte == UInt8(ascii: "\\")
                isString = byte != UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "\"") {
                isString = true
            } else if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
                level += 1
                deepest = max(deepest, level)
            } else if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
                level -= 1
            }
        }
        return deepest
    }

    /// A number as jq reads it: also with `+`, without digits on one side of the point, and not-a-number.
    fileprivate var jsonNumber: Value? {
        var digits = 0
        var sawPoint = false
        var rest = utf8[...]
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        switch String(Substring(rest)).lowercased() {
        case "nan": return .double(.nan)
        case "inf", "infinity": return .double(hasPrefix("-") ? -.infinity : .infinity)
        default: break
        }
        while let byte = rest.first {
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                digits += 1
            } else if byte == UInt8(ascii: "."), !sawPoint {
                sawPoint = true
            } else {
                break
            }
            rest = rest.dropFirst()
        }
        guard digits > 0 else { return nil }
        if let byte = rest.first, byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard !rest.isEmpty else { return nil }
            while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                rest = rest.dropFirst()
            }
        }
        guard rest.isEmpty else { return nil }
        if let integer = Int(self), integer != 0 || !hasPrefix("-") { return .integer(integer) }
        guard let double = Double(self) else { return nil }
        return .literal(double, written: utf8)
    }
}
