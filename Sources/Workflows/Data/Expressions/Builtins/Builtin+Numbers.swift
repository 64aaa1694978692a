extension Builtin {
    static let numbers: [String: Builtin] = [
        "abs/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            switch input {
            // Negative zero and not-a-number are unchanged.
            case .integer, .double: return (input.double ?? 0) < 0 ? input.absolute : input
            case .null, .bool(_): return try input.compared(to: 0, evaluation) < 0 ? try input.negated() : input
            default: return input
            }
        },
        "significand/0": one { $0 == 0 || !$0.isFinite ? $0 : ($0.sign == .minus ? -$0.significand : $0.significand) },
        "frexp/0": .native { (_: Evaluation, input: Value, _: [Value]) throws(Signal) in
            let number = try number(input)
            if number == 0 || !number.isFinite { return [.number(number), 0] }
            // Swift's frexp loses the sign.
            let (fraction, exponent) = frexp(number.magnitude)
            return [.number(copysign(fraction, number)), .integer(exponent)]
        },
        "modf/0": .native { (_: Evaluation, input: Value, _: [Value]) throws(Signal) in
            let number = try number(input)
            if number.isInfinite { return [.number(number.sign == .minus ? -0.0 : 0), .double(number)] }
            let whole = number.rounded(.towardZero)
            return [.number(number - whole), .number(whole)]
        },
        "lgamma_r/0": .native { (_: Evaluation, input: Value, _: [Value]) throws(Signal) in
            let number = try number(input)
            let isNegative = number < 0 && Int(exactly: number.rounded(.down))?.isMultiple(of: 2) == false
            return [.number(lgamma(number)), .integer(isNegative ? -1 : 1)]
        },
        "drem/2": two { remainder($0, $1) },
        "ldexp/2": two { scalbn($0, exponent($1)) },
        "remainder/2": two { remainder($0, $1) },
        "jn/2": two { jn(Int32(clamping: exponent($0)), $1) },
        "yn/2": two { yn(Int32(clamping: exponent($0)), $1) },
        "scalb/2": two { $0 * exp2($1) },
        "scalbln/2": two { scalbn($0, exponent($1)) },
        "fma/3": .native { (_: Evaluation, _: Value, arguments: [Value]) throws(Signal) in
            .number(fma(try number(arguments[0]), try number(arguments[1]), try number(arguments[2])))
        },
    ]

    /// Exponents beyond every double are clamped.
    private static func exponent(_ double: Double) -> Int {
        double.isNaN ? 0 : Int(Swift.min(Swift.max(double, -5_000), 5_000))
    }

    static func one(_ body: @escaping @Sendable (Double) -> Double) -> Builtin {
        .native { (_: Evaluation, input: Value, _: [Value]) throws(Signal) in .number(body(try number(input))) }
    }

    static func two(_ body: @escaping @Sendable (Double, Double) -> Double) -> Builtin {
        .native { (_: Evaluation, _: Value, arguments: [Value]) throws(Signal) in
            .number(body(try number(arguments[0]), try number(arguments[1])))
        }
    }
}
