extension Builtin {
    static let dates: [String: Builtin] = [
        "mktime/0": .native { (_: Evaluation, input: Value, _: [Value]) throws(Signal) in
            .integer(try BrokenDownTime(input, for: "mktime").secondsSince1970)
        },
        "gmtime/0": .native { (_: Evaluation, input: Value, _: [Value]) throws(Signal) in
            guard let seconds = input.double else { throw .failure("gmtime() requires numeric inputs") }
            return try BrokenDownTime(secondsSince1970: seconds).value
        },
        "localtime/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            guard let seconds = input.double else { throw .failure("localtime() requires numeric inputs") }
            return try BrokenDownTime(secondsSince1970: seconds + Double(local(seconds, evaluation).offset)).value
        },
        "strftime/1": .native { (_: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .string(let format) = arguments[0] else {
                throw .failure("strftime/1 requires a string format")
            }
            return .string(try parts(input, "strftime/1").formatted(format))
        },
        "strflocaltime/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .string(let format) = arguments[0] else {
                throw .failure("strflocaltime/1 requires a string format")
            }
            guard let seconds = input.double else {
                return .string(try parts(input, "strflocaltime/1").formatted(format))
            }
            let time = try local(seconds, evaluation)
            let parts = try BrokenDownTime(secondsSince1970: seconds + Double(time.offset))
            return .string(parts.formatted(format, zone: time.abbreviation, offset: time.offset))
        },
        "strptime/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .string(let text) = input, case .string(let format) = arguments[0] else {
                throw .failure("strptime/1 requires string inputs and arguments")
            }
            try evaluation.step(1 + (text.utf8.count + format.utf8.count) >> 4)
            guard let time = BrokenDownTime.read(text, format: format) else {
                throw .failure("date \"\(text)\" does not match format \"\(format)\"")
            }
            return time.value
        },
    ]

    private static func parts(_ input: Value, _ function: String) throws(Signal) -> BrokenDownTime {
        if let seconds = input.double { return try BrokenDownTime(secondsSince1970: seconds) }
        guard case .array = input else { throw .failure("\(function) requires parsed datetime inputs") }
        return try BrokenDownTime(input, for: function)
    }

    private static func local(
        _ seconds: Double, _ evaluation: Evaluation
    ) throws(Signal) -> SystemTimeZone.LocalTime {
        // Times farther from 1970 are refused when they are broken down.
        try evaluation.timeZone().time(at: abs(seconds) < 1e15 ? Int(seconds.rounded(.down)) : 0)
    }
}
