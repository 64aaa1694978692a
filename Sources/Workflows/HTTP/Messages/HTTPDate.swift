/// The three date formats of HTTP, as defined in RFC 9110 section 5.6.7.
package enum HTTPDate {
    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
    package static func parse(_ text: String) -> Date? {
        guard text.utf8.count <= 64 else { return nil }
        let words = text.lowercased().split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        switch words.count {
        case 6 where words[5] == "gmt" || words[5] == "utc":
            return date(day: words[1], month: words[2], year: words[3], time: words[4])
        case 5:
            return date(day: words[2], month: words[1], year: words[4], time: words[3])
        default: return nil
        }
    }

    private static func date(day: String, month: String, year: String, time: String) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0)) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24, minute < 60, second <= 60, let day = number(day), let year = fullYear(year),
            let index = CivilDate.months.firstIndex(where: { $0.prefix(3).lowercased() == month }),
            1...CivilDate.days(inMonth: index + 1, of: year) ~= day
        else { return nil }
        let days = CivilDate.day(year: year, month: index + 1, day: day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3_600 + minute * 60 + second))
    }

    private static func number(_ text: String) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// A two-digit year is in this century up to 69, otherwise in the last one.
    private static func fullYear(_ text: String) -> Int? {
        guard let year = number(text) else { return nil }
        switch text.utf8.count {
        case 2: return year < 70 ? 2000 + year : 1900 + year
        case 4: return year
        default: return nil
        }
    }
}

extension HTTPHeaders {
    package var date: Date? { self["Date"].flatMap(HTTPDate.parse) }
}
