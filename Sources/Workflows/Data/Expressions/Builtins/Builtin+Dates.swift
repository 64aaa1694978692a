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
            try formatted(parts(input, "strftime/1"), by: arguments[0], "strftime/1", in: .utc)
        },
        "strflocaltime/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            let zone = try evaluation.timeZone()
            if let seconds = input.double {
                let time = try local(seconds, evaluation)
                let parts = try BrokenDownTime(secondsSince1970: seconds + Double(time.offset))
                return try formatted(parts, by: arguments[0], "strflocaltime/1", in: time)
            }
            // A broken-down time is local. In the gap when clocks go forward it is read with the time before the gap.
            let local = try parts(input, "strflocaltime/1").secondsSince1970
            // As in C, seconds beyond a minute pass after the moment that the rest shows.
            let seconds = input.array.flatMap { $0.count > 5 ? $0[5].double : nil }.map { Int($0) } ?? 0
            let beyond = seconds - min(max(seconds, 0), 59)
            let wall = local - beyond
            let moment = beyond + (zone.moments(showing: wall).last ?? wall - zone.time(at: wall - 86_400).offset)
            let time = zone.time(at: moment)
            let parts = try BrokenDownTime(secondsSince1970: Double(moment + time.offset))
            return try formatted(parts, by: arguments[0], "strflocaltime/1", in: time)
        },
        "strptime/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .string(let text) = input, case .string(let format) = arguments[0] else {
                throw .failure("strptime/1 requires string inputs and arguments")
            }
            try evaluation.step(1 + (text.utf8.count + format.utf8.count) >> 4)
            return try BrokenDownTime.read(text, format: format).value
        },
    ]

    private static func formatted(
        _ time: BrokenDownTime, by format: Value, _ function: String, in zone: SystemTimeZone.LocalTime
    ) throws(Signal) -> Value {
        guard case .string(let format) = format else { throw .failure("\(function) requires a string format") }
        guard let text = time.formatted(format, zone: zone.abbreviation, offset: zone.offset) else {
            throw .failure("\(function) makes a text that is too long")
        }
        return .string(text)
    }

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
