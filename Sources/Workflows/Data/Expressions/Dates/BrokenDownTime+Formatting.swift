extension BrokenDownTime {
    /// `strftime` in the C locale.
    ///
    /// - Parameter offset: How many seconds the zone is ahead of UTC.
    func formatted(_ format: String, zone: String = "UTC", offset: Int = 0) -> String {
        var text = ""
        var scalars = Array(format.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            guard scalar == "%", var conversion = scalars.popFirst() else {
                text.unicodeScalars.append(scalar)
                continue
            }
            var padding: Unicode.Scalar?
            if "-_0^#".unicodeScalars.contains(conversion), let next = scalars.popFirst() {
                padding = conversion
                conversion = next
            }
            if conversion == "E" || conversion == "O", let next = scalars.popFirst() { conversion = next }
            text += converted(conversion, padding, zone, offset)
        }
        return text
    }

    private func converted(
        _ conversion: Unicode.Scalar, _ padding: Unicode.Scalar?, _ zone: String, _ offset: Int
    ) -> String {
        func two(_ number: Int, _ fill: Character = "0") -> String { Self.padded(number, 2, fill, padding) }
        let hourOfHalf = hour % 12 == 0 ? 12 : hour % 12
        let seconds = Int(second)
        switch conversion {
        case "a": return String(Self.name(weekday, CivilDate.weekdays).prefix(3))
        case "A": return Self.name(weekday, CivilDate.weekdays)
        case "b", "h": return String(Self.name(month, CivilDate.months).prefix(3))
        case "B": return Self.name(month, CivilDate.months)
        case "c": return formatted("%a %b %e %H:%M:%S %Y", zone: zone, offset: offset)
        case "C": return two(year.floored(by: 100).quotient)
        case "d": return two(day)
        case "D", "x": return formatted("%m/%d/%y", zone: zone, offset: offset)
        case "e": return two(day, " ")
        case "F": return formatted("%Y-%m-%d", zone: zone, offset: offset)
        case "g": return two(weekYear.year % 100)
        case "G": return String(weekYear.year)
        case "H": return two(hour)
        case "I": return two(hourOfHalf)
        case "j": return Self.padded(yearDay + 1, 3, "0", padding)
        case "k": return two(hour, " ")
        case "l": return two(hourOfHalf, " ")
        case "m": return two(month + 1)
        case "M": return two(minute)
        case "n": return "\n"
        case "p": return hour < 12 ? "AM" : "PM"
        case "P": return hour < 12 ? "am" : "pm"
        case "r": return formatted("%I:%M:%S %p", zone: zone, offset: offset)
        case "R": return formatted("%H:%M", zone: zone, offset: offset)
        case "s": return String(secondsSince1970 - offset)
        case "S": return two(seconds)
        case "t": return "\t"
        case "T", "X": return formatted("%H:%M:%S", zone: zone, offset: offset)
        case "u": return String(weekday == 0 ? 7 : weekday)
        case "U": return two((yearDay + 7 - weekday) / 7)
        case "V": return two(weekYear.week)
        case "w": return String(weekday)
        case "W": return two((yearDay + 7 - (weekday + 6) % 7) / 7)
        case "y": return two(year.floored(by: 100).remainder)
        case "Y": return String(year)
        case "z":
            let minutes = abs(offset) / 60
            return (offset < 0 ? "-" : "+") + Self.padded(minutes / 60, 2, "0", nil)
                + Self.padded(minutes % 60, 2, "0", nil)
        case "Z": return zone
        case "%": return "%"
        default: return "%" + (padding.map { String(Character($0)) } ?? "") + String(Character(conversion))
        }
    }

    private var weekYear: (year: Int, week: Int) {
        let dayFromMonday = (weekday + 6) % 7
        let week = (yearDay - dayFromMonday + 10) / 7
        if week < 1 { return (year - 1, Self.weeks(in: year - 1)) }
        if week > Self.weeks(in: year) { return (year + 1, 1) }
        return (year, week)
    }

    private static func weeks(in year: Int) -> Int {
        let firstWeekday = CivilDate.weekday(ofDay: days(year: year, month: 0, day: 1))
        return firstWeekday == 4 || firstWeekday == 3 && CivilDate.isLeap(year) ? 53 : 52
    }

    private static func name(_ number: Int, _ names: [String]) -> String {
        names.indices.contains(number) ? names[number] : "?"
    }

    private static func padded(
        _ number: Int, _ width: Int, _ fill: Character, _ padding: Unicode.Scalar?
    ) -> String {
        let digits = String(number)
        let character: Character
        switch padding {
        case "-": return digits
        case "_": character = " "
        case "0": character = "0"
        default: character = fill
        }
        return String(repeating: character, count: max(0, width - digits.count)) + digits
    }
}
