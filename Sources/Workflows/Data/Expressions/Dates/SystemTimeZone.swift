/// A time zone of the system's database, read without any other library.
public struct SystemTimeZone: Sendable {
    /// The time that clocks show, at a moment or from one on.
    struct LocalTime: Sendable, Hashable {
        static let utc = LocalTime(offset: 0, abbreviation: "UTC")

        /// Seconds ahead of UTC.
        var offset: Int
        var abbreviation: String
    }

    /// The name in the database, such as `Europe/Berlin`, or the rule in `TZ`.
    public let identifier: String
    /// The times of clock changes, in seconds since 1970, with the local time from then on.
    private let changes: [(moment: Int, time: LocalTime)]
    private let first: LocalTime
    private let rule: TimeZoneRule?

    init(_ identifier: String, changes: [(moment: Int, time: LocalTime)], first: LocalTime, rule: TimeZoneRule?) {
        self.identifier = identifier
        self.changes = changes
        self.first = first
        self.rule = rule
    }

    /// Coordinated Universal Time.
    public static let utc = SystemTimeZone(
        "UTC", changes: [], first: .utc, rule: nil)

    /// How many seconds clocks are ahead of UTC at this time.
    public func secondsFromUTC(at moment: Date) -> Int { time(at: Self.seconds(of: moment)).offset }

    /// The abbreviation in use at this time, such as `CEST`.
    public func abbreviation(at moment: Date) -> String { time(at: Self.seconds(of: moment)).abbreviation }

    package func text(of moment: Date) -> String {
        let seconds = Self.seconds(of: moment)
        let offset = time(at: seconds).offset
        guard let parts = try? BrokenDownTime(secondsSince1970: Double(seconds + offset)),
            let time = parts.formatted("%Y-%m-%dT%H:%M:%S"), let distance = parts.formatted("%z", offset: offset)
        else { return "\(moment)" }
        return time + (offset == 0 ? "Z" : distance.prefix(3) + ":" + distance.suffix(2))
    }

    func time(at moment: Int) -> LocalTime {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].moment <= moment { low = middle + 1 } else { high = middle }
        }
        if low == changes.count, let rule { return rule.time(at: moment) }
        return low == 0 ? first : changes[low - 1].time
    }

    /// The moments at which clocks show a time, the earlier first: none in the gap when they go forward, two when they go
    /// back.
    ///
    /// - Parameter wall: What clocks show, in seconds since 1970 as if it were UTC.
    package func moments(showing wall: Int) -> [Int] {
        // Clocks never change by more than a day.
        let offsets = Set([wall - 86_400, wall + 86_400].map { time(at: $0).offset })
        return offsets.map { wall - $0 }.filter { time(at: $0).offset == wall - $0 }.sorted()
    }

    private static func seconds(of moment: Date) -> Int {
        // Years beyond this have no meaning.
        Int(max(-1e15, min(1e15, moment.timeIntervalSince1970.rounded(.down))))
    }
}

/// Why a time zone cannot be used.
public struct TimeZoneError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in one sentence without a full stop.
    public let message: String
    /// Advice, if there is any.
    public let hint: String?

    package init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    /// The message and the advice.
    public var description: String { message + (hint.map { " (\($0))" } ?? "") }
}
