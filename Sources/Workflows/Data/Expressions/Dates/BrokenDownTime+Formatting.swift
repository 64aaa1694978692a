extension BrokenDownTime {
    /// What a formatted time may have, in bytes: a width in the format asks for any number of blanks.
    private static let longest = 1 << 20

    /// The C library's `strftime` in the C locale; nil if the text would be longer than a megabyte.
    ///
    /// - Parameters:
    ///   - zone: What `%Z` stands for.
    ///   - offset: How many seconds the zone is ahead of UTC.
    func formatted(_ format: String, zone: String = "UTC", offset: Int = 0) -> String? {
        // The C library would read '%s' in the time zone of the process.
        let format = Self.replacingMoments(in: format, by: secondsSince1970 - offset)
        var texts: [String] = []
        // A format ends at U+0000 in C.
        for part in format.split(separator: "\0", omittingEmptySubsequences: false) {
            guard let text = text(of: part, zone, offset) else { return nil }
            texts.append(text)
        }
        return texts.joined(separator: "\0")
    }

    private func text(of format: Substring, _ zone: String, _ offset: Int) -> String? {
        // Without the blank, no text and too long a text could not be told apart.
        let format = " " + format
        var size = 256 + 4 * format.utf8.count
        while size <= 4 * Self.longest {
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                unsafe zone.withCString { zone in
                    var time = unsafe tm(
                        tm_sec: Int32(second), tm_min: Int32(minute), tm_hour: Int32(hour), tm_mday: Int32(day),
                        tm_mon: Int32(month), tm_year: Int32(clamping: year - 1900), tm_wday: Int32(weekday),
                        tm_yday: Int32(yearDay), tm_isdst: 0, tm_gmtoff: offset, tm_zone: zone)
                    count = unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
                        unsafe strftime(buffer.baseAddress, size, format, &time)
                    }
                }
            }
            guard bytes.isEmpty else { return String(decoding: bytes.dropFirst(), as: UTF8.self) }
            size *= 4
        }
        return nil
    }

    /// Replaces `%s`, with flags and a width, by the seconds since 1970.
    private static func replacingMoments(in format: String, by seconds: Int) -> String {
        guard format.contains("s") else { return format }
        var result = ""
        var rest = format[...]
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            let flags = rest[percent...].dropFirst().prefix { "-_0^#".contains($0) }
            let width = rest[flags.endIndex...].prefix { $0.isASCII && $0.isNumber }
            let modifier = rest[width.endIndex...].prefix { $0 == "E" || $0 == "O" }
            let conversion = rest[modifier.endIndex...].prefix(1)
            if conversion == "s" {
                let digits = String(seconds)
                let count = min(flags.last == "-" ? 0 : Int(width) ?? (width.isEmpty ? 0 : longest), longest)
                let fill = String(repeating: flags.last == "_" || !flags.contains("0") ? " " : "0", count: count)
                result += fill.dropLast(min(digits.count, count)) + digits
            } else {
                result += rest[percent..<conversion.endIndex]
            }
            rest = rest[conversion.endIndex...]
        }
        return result + rest
    }
}
