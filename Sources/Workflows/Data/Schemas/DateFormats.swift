/// Dates, times and durations as defined in RFC 3339.
enum DateFormats {
    static func isDateTime(_ text: [UInt8]) -> Bool {
        guard text.count > 11, text[10] | 0x20 == UInt8(ascii: "t") else { return false }
        return isDate(text[..<10]) && isTime(text[11...])
    }

    /// `full-date`; the day must exist in its month.
    static func isDate(_ text: ArraySlice<UInt8>) -> Bool {
        let text = Array(text)
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = number(text[0..<4]), let month = number(text[5..<7]), let day = number(text[8..<10]),
            1...12 ~= month
        else { return false }
        return 1...CivilDate.days(inMonth: month, of: year) ~= day
    }

    /// `full-time`; second 60 is valid only where a leap second can occur.
    static func isTime(_ text: ArraySlice<UInt8>) -> Bool {
        let text = Array(text)
        guard text.count >= 9, text[2] == UInt8(ascii: ":"), text[5] == UInt8(ascii: ":"),
            let hour = number(text[0..<2]), let minute = number(text[3..<5]), let second = number(text[6..<8]),
            hour < 24, minute < 60, second <= 60
        else { return false }
        var offset = 8
        if text[offset] == UInt8(ascii: ".") {
            offset += 1
            let first = offset
            while offset < text.count, text[offset].decimalDigit != nil { offset += 1 }
            guard offset > first else { return false }
        }
        guard offset < text.count else { return false }
        var shift = 0
        switch text[offset] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            guard offset + 1 == text.count else { return false }
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard offset + 6 == text.count, text[offset + 3] == UInt8(ascii: ":"),
                let hours = number(text[(offset + 1)..<(offset + 3)]),
                let minutes = number(text[(offset + 4)..<(offset + 6)]), hours < 24, minutes < 60
            else { return false }
            shift = (text[offset] == UInt8(ascii: "+") ? -1 : 1) * (hours * 60 + minutes)
        default: return false
        }
        let universal = (hour * 60 + minute + shift + 2 * 1440) % 1440
        return second < 60 || universal == 1439
    }

    /// The duration grammar of RFC 3339, appendix A: no unit may be skipped between two others.
    static func isDuration(_ text: [UInt8]) -> Bool {
        var rest = text[...]
        guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return false }
        if rest.last == UInt8(ascii: "W") { return rest.count > 1 && number(rest.dropLast()) != nil }
        let parts = rest.split(separator: UInt8(ascii: "T"), omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return false }
        if !parts[0].isEmpty, !isRun(parts[0], of: "YMD") { return false }
        if parts.count == 2 { return isRun(parts[1], of: "HMS") }
        return !parts[0].isEmpty
    }

    /// Whether these are numbers with adjacent units in order.
    private static func isRun(_ text: ArraySlice<UInt8>, of units: String) -> Bool {
        var units = Array(units.utf8)[...]
        var rest = text
        var isFirst = true
        guard !rest.isEmpty else { return false }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.decimalDigit != nil }
            rest = rest.dropFirst(digits.count)
            guard !digits.isEmpty, let unit = rest.popFirst(), let place = units.firstIndex(of: unit),
                isFirst || place == units.startIndex
            else { return false }
            units = units[(place + 1)...]
            isFirst = false
        }
        return true
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        var number = 0
        for byte in digits {
            guard let digit = byte.decimalDigit else { return nil }
            number = min(number * 10 + Int(digit), 1_000_000_000)
        }
        return number
    }
}
