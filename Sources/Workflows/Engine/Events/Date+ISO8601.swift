package import Essentials

extension Date {
    private static let millisecondsOfDay = 86_400_000

    /// The date in ISO 8601, in UTC, rounded to the nearest millisecond.
    ///
    /// Foundation truncates to milliseconds, so a date that is read back and written again would change.
    package var iso8601: String {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        // The years 1 to 9999.
        guard (-62_135_596_800_000..<253_402_300_800_000).contains(milliseconds) else {
            return formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        let (days, time) = Int(milliseconds).floored(by: Self.millisecondsOfDay)
        let (year, month, day) = CivilDate.date(ofDay: days)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        func add(_ number: Int, digits: Int, end: Unicode.Scalar) {
            var power = 1
            for _ in 1..<digits { power *= 10 }
            while power > 0 {
                bytes.append(UInt8(48 + number / power % 10))
                power /= 10
            }
            bytes.append(UInt8(ascii: end))
        }
        add(year, digits: 4, end: "-")
        add(month, digits: 2, end: "-")
        add(day, digits: 2, end: "T")
        add(time / 3_600_000, digits: 2, end: ":")
        add(time / 60_000 % 60, digits: 2, end: ":")
        add(time / 1_000 % 60, digits: 2, end: ".")
        add(time % 1_000, digits: 3, end: "Z")
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads what ``iso8601`` wrote; nil for anything else.
    package init?(iso8601 text: String) {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00.000Z".utf8)
        guard bytes.count == pattern.count,
            zip(bytes, pattern).allSatisfy({ $1 == 48 ? (48...57).contains($0) : $0 == $1 })
        else { return nil }
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1) - 48 } }
        let (hours, minutes, seconds) = (number(11..<13), number(14..<16), number(17..<19))
        let days = CivilDate.day(year: number(0..<4), month: number(5..<7), day: number(8..<10))
        let time = ((hours * 60 + minutes) * 60 + seconds) * 1_000 + number(20..<23)
        self.init(milliseconds: days * Self.millisecondsOfDay + time)
        // A month or an hour out of range would be read as a different date.
        guard iso8601 == text else { return nil }
    }

    /// The date rounded to the nearest millisecond.
    package var inWholeMilliseconds: Date {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        return Int(exactly: milliseconds).map { Date(milliseconds: $0) } ?? self
    }

    private init(milliseconds: Int) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
