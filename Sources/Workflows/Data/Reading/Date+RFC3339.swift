extension Date {
    /// A time of RFC 3339, as services write it; nil for another text, and for a time that does not exist.
    ///
    /// No date can hold a leap second.
    package init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 64, DateFormats.isDateTime(bytes) else { return nil }
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1) - 48 } }
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard second < 60 else { return nil }
        let isUniversal = bytes[bytes.count - 1] | 0x20 == UInt8(ascii: "z")
        let end = bytes.count - (isUniversal ? 1 : 6)
        var shift = 0
        if !isUniversal {
            let minutes = number(end + 1..<end + 3) * 60 + number(end + 4..<end + 6)
            shift = bytes[end] == UInt8(ascii: "-") ? -minutes : minutes
        }
        let day = CivilDate.day(year: number(0..<4), month: number(5..<7), day: number(8..<10))
        let seconds = day * 86_400 + (hour * 60 + minute - shift) * 60 + second
        let fraction = Double("0" + String(decoding: bytes[19..<end], as: UTF8.self)) ?? 0
        self.init(timeIntervalSince1970: Double(seconds) + fraction)
    }
}
