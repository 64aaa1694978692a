/// A duration that is literal, or computed when it is needed.
package enum DurationSource: Sendable {
    case literal(Duration)
    /// An expression that returns an ISO 8601 duration or an object of days, hours, minutes, seconds, milliseconds.
    case expression(Expression)
}

extension Duration {
    /// Reads a duration as the standard has it: `PT1M30S`, or an object such as `{ minutes: 1, seconds: 30 }`.
    ///
    /// A year counts as 365 days and a month as 30, because neither has a fixed length.
    package init?(_ value: Value) {
        switch value {
        case .string(let text): self.init(iso8601: text)
        case .object(let object):
            guard !object.isEmpty else { return nil }
            var sum = Duration.zero
            for (name, value) in object {
                guard let unit = Self.units[name], let count = value.integer, count >= 0,
                    let length = unit.multiplied(by: count)
                else { return nil }
                sum += length
            }
            self = sum
        default: return nil
        }
    }

    static let units: [String: Duration] = [
        "days": .seconds(86_400), "hours": .seconds(3_600), "minutes": .seconds(60), "seconds": .seconds(1),
        "milliseconds": .milliseconds(1),
    ]

    package init?(iso8601 text: String) {
        var rest = Substring(text)
        guard rest.popFirst() == "P", !rest.isEmpty else { return nil }
        var sum = Duration.zero
        var units: [(Character, Double)] = [("Y", 31_536_000), ("M", 2_592_000), ("W", 604_800), ("D", 86_400)]
        var inTime = false
        while let next = rest.first {
            if next == "T" {
                guard !inTime, rest.count > 1 else { return nil }
                inTime = true
                units = [("H", 3_600), ("M", 60), ("S", 1)]
                rest.removeFirst()
                continue
            }
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let count = Double(digits), digits.last != ".", digits.first != "." else { return nil }
            rest.removeFirst(digits.count)
            // Designators come in order, each at most once.
            guard let unit = rest.popFirst(), let place = units.firstIndex(where: { $0.0 == unit }) else { return nil }
            let seconds = count * units[place].1
            guard seconds < Self.longest else { return nil }
            sum += .seconds(seconds)
            units.removeSubrange(...place)
        }
        self = sum
    }

    /// 10,000 years: longer waits are mistakes, and would overflow sums.
    static let longest = 315_360_000_000.0

    /// A multiple of this duration; nil if it is not less than ``longest``.
    func multiplied(by count: Int) -> Duration? {
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        return seconds * Double(count) < Self.longest ? self * count : nil
    }
}
