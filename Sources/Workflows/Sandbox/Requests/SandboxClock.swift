enum SandboxClock {
    /// `2021-07-02T01:40:19Z`.
    static func timestamp(_ date: Date) -> String { date.formatted(.iso8601) }

    /// `2021-07-02T01:40:19`, as in an error's `innerError`.
    static func timestampWithoutZone(_ date: Date) -> String { String(timestamp(date).dropLast()) }

    /// `Fri, 02 Jul 2021 01:40:19 GMT`, the form of RFC 9110, section 5.6.7.
    static func httpDate(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let days = seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let stamp = timestamp(date)
        let parts = stamp.prefix(10).split(separator: "-")
        guard parts.count == 3, let month = Int(parts[1]), (1...12).contains(month) else { return stamp }
        let time = stamp.dropFirst(11).prefix(8)
        return "\(names[((days % 7) + 7) % 7]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(time) GMT"
    }
}
