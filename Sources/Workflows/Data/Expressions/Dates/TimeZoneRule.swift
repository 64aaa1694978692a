/// A rule for yearly clock changes, as in POSIX's `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct TimeZoneRule: Sendable {
    private struct Change {
        enum Day {
            /// The day of a year without 29 February, from 1.
            case julian(Int)
            /// The day of the year, from 0.
            case ordinal(Int)
            /// A weekday of a month; week 5 is the last one.
            case month(Int, week: Int, weekday: Int)
        }

        var day: Day
        var seconds = 7_200

        func wallTime(in year: Int) -> Int { number(in: year) * 86_400 + seconds }

        private func number(in year: Int) -> Int {
            let start = CivilDate.day(year: year, month: 1, day: 1)
            switch day {
            case .julian(let day): return start + day - (CivilDate.isLeap(year) && day > 59 ? 0 : 1)
            case .ordinal(let day): return start + day
            case .month(let month, let week, let weekday):
                let first = CivilDate.day(year: year, month: month, day: 1)
                let day = (weekday - CivilDate.weekday(ofDay: first) + 7) % 7 + (week - 1) * 7
                return first + (day < CivilDate.days(inMonth: month, of: year) ? day : day - 7)
            }
        }
    }

    private let standard: SystemTimeZone.LocalTime
    private let daylight: (time: SystemTimeZone.LocalTime, start: Change, end: Change)?

    func time(at moment: Int) -> SystemTimeZone.LocalTime {
        guard let daylight else { return standard }
        let year = CivilDate.date(ofDay: (moment + standard.offset).floored(by: 86_400).quotient).year
        // A change can be some days outside its year. If the next one follows at once, daylight saving never ends.
        let changes = ((year - 1)...(year + 1)).flatMap { year in
            [
                (moment: daylight.start.wallTime(in: year) - standard.offset, order: 1),
                (moment: daylight.end.wallTime(in: year) - daylight.time.offset, order: 0),
            ]
        }
        let last = changes.filter { $0.moment <= moment }.max { $0 < $1 }
        return last?.order == 1 ? daylight.time : standard
    }
}

extension TimeZoneRule {
    init?(_ text: some Sequence<UInt8>) {
        var reader = Reader(rest: Array(text)[...])
        guard let name = reader.name(), let offset = reader.offset(hours: 24) else { return nil }
        standard = SystemTimeZone.LocalTime(offset: -offset, abbreviation: name)
        if reader.rest.isEmpty {
            daylight = nil
            return
        }
        guard let other = reader.name() else { return nil }
        var ahead = offset - 3_600
        if let byte = reader.rest.first, byte != UInt8(ascii: ",") {
            guard let given = reader.offset(hours: 24) else { return nil }
            ahead = given
        }
        let time = SystemTimeZone.LocalTime(offset: -ahead, abbreviation: other)
        if reader.rest.isEmpty {
            // The C library's default, the rule of the United States.
            daylight = (
                time, Change(day: .month(3, week: 2, weekday: 0)), Change(day: .month(11, week: 1, weekday: 0))
            )
            return
        }
        guard let start = reader.change(), let end = reader.change(), reader.rest.isEmpty else { return nil }
        daylight = (time, start, end)
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func accept(_ character: Unicode.Scalar) -> Bool {
            guard let byte = rest.first, UInt32(byte) == character.value else { return false }
            rest.removeFirst()
            return true
        }

        mutating func name() -> String? {
            let isQuoted = accept("<")
            let name = rest.prefix { byte in
                byte.isLetterOrDigit && (isQuoted || byte.decimalDigit == nil)
                    || isQuoted && (byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"))
            }
            rest = rest.dropFirst(name.count)
            guard name.count >= 3, !isQuoted || accept(">") else { return nil }
            return String(decoding: name, as: UTF8.self)
        }

        /// `[+-]hh[:mm[:ss]]` in seconds.
        mutating func offset(hours most: Int) -> Int? {
            let sign = accept("-") ? -1 : 1
            if sign == 1 { _ = accept("+") }
            guard let hours = number(), hours <= most else { return nil }
            var seconds = hours * 3_600
            for unit in [60, 1] where accept(":") {
                guard let number = number(), number < 60 else { return nil }
                seconds += number * unit
            }
            return sign * seconds
        }

        /// `,Mm.w.d`, `,Jn` or `,n`, with `/time`.
        mutating func change() -> Change? {
            guard accept(","), let day = day() else { return nil }
            var change = Change(day: day)
            if accept("/") {
                guard let seconds = offset(hours: 167) else { return nil }
                change.seconds = seconds
            }
            return change
        }

        private mutating func day() -> Change.Day? {
            if accept("J") {
                guard let day = number(), (1...365).contains(day) else { return nil }
                return .julian(day)
            }
            if accept("M") {
                guard let month = number(), (1...12).contains(month), accept("."), let week = number(),
                    (1...5).contains(week), accept("."), let weekday = number(), weekday <= 6
                else { return nil }
                return .month(month, week: week, weekday: weekday)
            }
            guard let day = number(), day <= 365 else { return nil }
            return .ordinal(day)
        }

        private mutating func number() -> Int? {
            let digits = rest.prefix { $0.decimalDigit != nil }
            guard (1...3).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
    }
}
