extension Date {
    private static let millisecondsOfDay = 86_400_000

    /// The date in ISO 8601, in UTC, rounded to the nearest millisecond.
    ///
    /// Foundation truncates to milliseconds, which would change a date that is read back and written again.
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

    package init?(iso8601 text: String) {
        var text = text
        let parts = text.withUTF8 { unsafe Self.parts($0) }
        guard let (year, month, day, time) = parts else { return nil }
        let days = CivilDate.day(year: year, month: month, day: day)
        self.init(milliseconds: days * Self.millisecondsOfDay + time)
        // A month out of range would be read as a different date.
        guard CivilDate.date(ofDay: days) == (year, month, day), year > 0 || iso8601 == text else { return nil }
    }

    /// The parts of a date in this form, and the milliseconds of its day; nil for another form, or an hour out of
    /// range.
    private static func parts(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> (year: Int, month: Int, day: Int, milliseconds: Int)? {
        guard bytes.count == pattern.count else { return nil }
        for index in pattern.indices {
            let byte = unsafe bytes[index]
            guard pattern[index] == 48 ? 48...57 ~= byte : pattern[index] == byte else { return nil }
        }
        func number(_ range: Range<Int>) -> Int {
            var number = 0
            for index in range { number = unsafe number &* 10 &+ Int(bytes[index]) &- 48 }
            return number
        }
        let (hours, minutes, seconds) = (number(11..<13), number(14..<16), number(17..<19))
        guard hours < 24, minutes < 60, seconds < 60 else { return nil }
        return (
            number(0..<4), number(5..<7), number(8..<10),
            ((hours * 60 + minutes) * 60 + seconds) * 1_000 + number(20..<23)
        )
    }

    private static let pattern = Array("0000-00-00T00:00:00.000Z".utf8)

    package var inWholeMilliseconds: Date {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        return Int(exactly: milliseconds).map { Date(milliseconds: $0) } ?? self
    }

    private init(milliseconds: Int) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
