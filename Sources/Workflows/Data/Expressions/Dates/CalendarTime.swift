/// A time as a calendar has it: what clocks show, with an offset from UTC or without.
package struct CalendarTime: Sendable, Hashable, Comparable {
    /// The forms: `2026-12-01`, `2026-12-01T09:00`, `2026-12-01T09:00:00.0000000`, and these times with `Z` or `+01:00`.
    package static let pattern =
        #"^\d{4}-\d\d-\d\d([Tt]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?)?$"#

    private static let day = 86_400

    /// In seconds since 1970, as if clocks showed UTC.
    private var wall: Int
    /// The rest in 100 nanoseconds, which is what Microsoft Graph writes.
    private var fraction = 0
    /// Seconds ahead of UTC; nil if the time does not say it.
    package private(set) var offset: Int?

    /// Reads a time; nil for another form, and for one that does not exist.
    package init?(_ text: String) {
        var rest = text.utf8[...]
        func take(_ characters: String) -> UInt8? {
            guard let first = rest.first, characters.utf8.contains(first) else { return nil }
            return rest.removeFirst()
        }
        func number(upTo most: Int, digits: Int = 2) -> Int? {
            var number = 0
            for _ in 0..<digits {
                guard let digit = take("0123456789") else { return nil }
                number = number * 10 + Int(digit) - 48
            }
            return number <= most ? number : nil
        }
        guard let year = number(upTo: 9999, digits: 4), year > 0, take("-") != nil, let month = number(upTo: 12),
            month > 0, take("-") != nil, let day = number(upTo: CivilDate.days(inMonth: month, of: year)), day > 0
        else { return nil }
        wall = CivilDate.day(year: year, month: month, day: day) * Self.day
        if take("Tt") != nil {
            guard let hour = number(upTo: 23), take(":") != nil, let minute = number(upTo: 59) else { return nil }
            wall += hour * 3_600 + minute * 60
            if take(":") != nil {
                guard let second = number(upTo: 59) else { return nil }
                wall += second
                if take(".") != nil {
                    var unit = 1_000_000
                    guard rest.first.map({ (48...57).contains($0) }) == true else { return nil }
                    while let digit = take("0123456789") {
                        fraction += (Int(digit) - 48) * unit
                        unit /= 10
                    }
                }
            }
            if take("Zz") != nil {
                offset = 0
            } else if let sign = take("+-") {
                guard let hours = number(upTo: 23) else { return nil }
                _ = take(":")
                guard let minutes = number(upTo: 59) else { return nil }
                offset = (sign == UInt8(ascii: "-") ? -60 : 60) * (hours * 60 + minutes)
            }
        }
        guard rest.isEmpty else { return nil }
    }

    /// Whether a text has one of the forms, also of a time that does not exist.
    package static func hasForm(_ text: String) -> Bool {
        let digits = text.unicodeScalars.map { ("0"..."9").contains($0) ? "1" : Character($0) }
        return CalendarTime(String(digits)) != nil
    }

    /// The same moment as clocks in a zone show it, with the name of that zone.
    ///
    /// It is in UTC if the system does not know the zone, such as one of Windows, or if clocks show the time twice.
    package func local(in zone: String) -> (time: CalendarTime, zone: String) {
        guard let offset else { return (self, zone) }
        var time = self
        time.offset = nil
        time.wall -= offset
        guard let known = try? SystemTimeZone(identifier: zone) else { return (time, "UTC") }
        let shown = time.wall + known.time(at: time.wall).offset
        guard known.moments(showing: shown) == [time.wall] else { return (time, "UTC") }
        time.wall = shown
        return (time, zone)
    }

    /// Whether the day begins.
    package var isMidnight: Bool { wall.isMultiple(of: Self.day) && fraction == 0 }

    /// Whether it is at least a day after another time, by the clocks.
    package func isDayAfter(_ other: CalendarTime) -> Bool { wall - other.wall >= Self.day }

    package static func < (one: CalendarTime, other: CalendarTime) -> Bool {
        (one.wall, one.fraction) < (other.wall, other.fraction)
    }

    /// The time without an offset, as Microsoft Graph takes it: `2026-12-01T09:00:00`.
    package var text: String {
        let (days, seconds) = wall.floored(by: Self.day)
        let (year, month, day) = CivilDate.date(ofDay: days)
        func padded(_ number: Int, to width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { padded($0, to: 2) }
        let date = "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
        let rest = fraction == 0 ? "" : "." + padded(fraction, to: 7)
        return date + "T" + parts.joined(separator: ":") + rest
    }
}
