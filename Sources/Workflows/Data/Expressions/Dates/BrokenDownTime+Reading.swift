extension BrokenDownTime {
    /// `strptime` in the C locale, which may leave white space at the end.
    static func read(_ text: String, format: String) throws(Signal) -> BrokenDownTime {
        var reader = Reader(text: Array(text.utf8)[...])
        guard reader.read(Array(format.utf8)[...]), reader.text.allSatisfy(Reader.isSpace),
            let time = try reader.completed(format)
        else { throw .failure("date \"\(text)\" does not match format \"\(format)\"") }
        return time
    }

    private struct Reader {
        var text: ArraySlice<UInt8>
        var time = BrokenDownTime()
        private var isAfternoon: Bool?
        private var century: Int?
        private var yearOfCentury: Int?
        private var hasYear = false
        private var hasMonth = false
        private var hasDay = false
        private var hasYearDay = false
        /// The number of the week, and the weekday that weeks begin with.
        private var week: (number: Int, start: Int)?
        private var weekYear: Int?
        private var weekOfWeekYear: Int?

        init(text: ArraySlice<UInt8>) { self.text = text }

        /// The time with everything that follows from what was read; nil for a day that its year does not have.
        func completed(_ format: String) throws(Signal) -> BrokenDownTime? {
            var result = time
            if let isAfternoon { result.hour = result.hour % 12 + (isAfternoon ? 12 : 0) }
            if let century { result.year = century * 100 + (yearOfCentury ?? 0) }
            if let day = dayNumber(in: result) {
                let read = result
                result.setDate(dayNumber: day.number)
                if hasYearDay { result.yearDay = read.yearDay }
                // As in C, a day that its month does not have stays as it was read.
                if hasDay, hasMonth || !hasYearDay {
                    result.month = read.month
                    result.day = read.day
                }
                return CivilDate.date(ofDay: day.anchor).year == day.year ? result : nil
            }
            // A time alone has no date.
            guard !hasYear, !hasMonth, week == nil, weekYear == nil, weekOfWeekYear == nil else {
                throw .failure("strptime/1 needs a day, such as %d or %j: the format \"\(format)\" has none")
            }
            return result
        }

        /// The day that was read, with a day that has to be in its year; nil if no day was read.
        private func dayNumber(in time: BrokenDownTime) -> (number: Int, anchor: Int, year: Int)? {
            let newYear = days(year: time.year, month: 0, day: 1)
            if hasYearDay, !hasMonth || !hasDay {
                let day = newYear + time.yearDay
                return (day, day, time.year)
            }
            if hasDay { return (days(year: time.year, month: time.month, day: time.day), newYear, time.year) }
            guard time.weekday < 8 else { return nil }
            if let week {
                let first = newYear + (7 - CivilDate.weekday(ofDay: newYear) + week.start) % 7
                let day = first + 7 * (week.number - 1) + (time.weekday - week.start + 7) % 7
                return (day, day, time.year)
            }
            guard let weekYear, let weekOfWeekYear else { return nil }
            // The week with 4 January is the first, and a week belongs to the year of its Thursday.
            let fourth = days(year: weekYear, month: 0, day: 4)
            let monday = fourth - (CivilDate.weekday(ofDay: fourth) + 6) % 7 + 7 * (weekOfWeekYear - 1)
            return (monday + (time.weekday + 6) % 7, monday + 3, weekYear)
        }

        mutating func read(_ format: ArraySlice<UInt8>) -> Bool {
            var format = format
            while let byte = format.popFirst() {
                if Self.isSpace(byte) {
                    skipSpace()
                } else if byte != UInt8(ascii: "%") {
                    guard text.first == byte else { return false }
                    text.removeFirst()
                } else {
                    guard var conversion = format.popFirst() else { return false }
                    while "-_0^#EO".utf8.contains(conversion), let next = format.popFirst() { conversion = next }
                    guard convert(conversion) else { return false }
                }
            }
            return true
        }

        private mutating func convert(_ conversion: UInt8) -> Bool {
            switch Unicode.Scalar(conversion) {
            case "a", "A": return name(CivilDate.weekdays) { $0.weekday = $1 }
            case "b", "B", "h":
                hasMonth = true
                return name(CivilDate.months) { $0.month = $1 }
            case "c": return read(Array("%a %b %e %H:%M:%S %Y".utf8)[...])
            case "C":
                guard let number = number(0...99, digits: 2) else { return false }
                century = number
                hasYear = true
                return true
            case "d", "e":
                hasDay = true
                return set(1...31, 2) { $0.day = $1 }
            case "D", "x": return read(Array("%m/%d/%y".utf8)[...])
            case "F": return read(Array("%Y-%m-%d".utf8)[...])
            case "H", "k": return set(0...23, 2) { $0.hour = $1 }
            case "I", "l": return set(1...12, 2) { $0.hour = $1 % 12 }
            case "j":
                hasYearDay = true
                return set(1...366, 3) { $0.yearDay = $1 - 1 }
            case "m":
                hasMonth = true
                return set(1...12, 2) { $0.month = $1 - 1 }
            case "M": return set(0...59, 2) { $0.minute = $1 }
            case "n", "t":
                skipSpace()
                return true
            case "p", "P": return half()
            case "r": return read(Array("%I:%M:%S %p".utf8)[...])
            case "R": return read(Array("%H:%M".utf8)[...])
            case "s": return epoch()
            case "S": return set(0...61, 2) { $0.second = Double($1) }
            case "T", "X": return read(Array("%H:%M:%S".utf8)[...])
            case "u": return set(1...7, 1) { $0.weekday = $1 % 7 }
            case "w": return set(0...6, 1) { $0.weekday = $1 }
            case "U", "W":
                guard let number = number(0...53, digits: 2) else { return false }
                week = (number, conversion == UInt8(ascii: "W") ? 1 : 0)
                return true
            case "g": return number(0...99, digits: 2) != nil
            case "G":
                weekYear = number(0...9999, digits: 4)
                return weekYear != nil
            case "V":
                weekOfWeekYear = number(0...53, digits: 2)
                return weekOfWeekYear != nil
            case "y":
                guard let number = number(0...99, digits: 2) else { return false }
                yearOfCentury = number
                time.year = number < 69 ? 2000 + number : 1900 + number
                hasYear = true
                return true
            case "Y":
                hasYear = true
                return set(0...9999, 4) { $0.year = $1 }
            case "z": return zone()
            case "Z":
                skipSpace()
                while let byte = text.first, !Self.isSpace(byte) { text.removeFirst() }
                return true
            case "%":
                guard text.first == conversion else { return false }
                text.removeFirst()
                return true
            default: return false
            }
        }

        private mutating func set(
            _ range: ClosedRange<Int>, _ digits: Int, _ change: (inout BrokenDownTime, Int) -> Void
        ) -> Bool {
            guard let number = number(range, digits: digits) else { return false }
            change(&time, number)
            return true
        }

        private mutating func number(_ range: ClosedRange<Int>, digits: Int) -> Int? {
            skipSpace()
            var number = 0
            var count = 0
            while count < digits, let byte = text.first, (48...57).contains(byte) {
                number = number * 10 + Int(byte) - 48
                count += 1
                text.removeFirst()
            }
            return count > 0 && range.contains(number) ? number : nil
        }

        private mutating func name(_ names: [String], _ change: (inout BrokenDownTime, Int) -> Void) -> Bool {
            for (position, name) in names.enumerated() {
                for candidate in [name, String(name.prefix(3))] where startsWith(candidate) {
                    text = text.dropFirst(candidate.utf8.count)
                    change(&time, position)
                    return true
                }
            }
            return false
        }

        private func startsWith(_ name: String) -> Bool {
            text.count >= name.utf8.count
                && zip(text, name.utf8).allSatisfy { left, right in left | 0x20 == right | 0x20 }
        }

        private mutating func half() -> Bool {
            guard startsWith("AM") || startsWith("PM") else { return false }
            isAfternoon = startsWith("PM")
            text = text.dropFirst(2)
            return true
        }

        private mutating func epoch() -> Bool {
            var number = 0
            var count = 0
            while count < 15, let byte = text.first, (48...57).contains(byte) {
                number = number * 10 + Int(byte) - 48
                count += 1
                text.removeFirst()
            }
            guard count > 0, let parts = try? BrokenDownTime(secondsSince1970: Double(number)) else { return false }
            time = parts
            hasDay = true
            return true
        }

        /// `Z`, `+hh`, `+hhmm` or `+hh:mm`, which, as in jq, is read but not applied.
        private mutating func zone() -> Bool {
            skipSpace()
            if text.first == UInt8(ascii: "Z") {
                text.removeFirst()
                return true
            }
            guard let sign = text.popFirst(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
                return false
            }
            guard number(0...99, digits: 2) != nil else { return false }
            if text.first == UInt8(ascii: ":") { text.removeFirst() }
            if let byte = text.first, (48...57).contains(byte) { return number(0...59, digits: 2) != nil }
            return true
        }

        private mutating func skipSpace() {
            while let byte = text.first, Self.isSpace(byte) { text.removeFirst() }
        }

        static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
    }
}
