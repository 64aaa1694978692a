import Essentials

/// What happens to the times of a cron expression that a service missed while it did not run.
package enum CatchUp: String, Sendable, CaseIterable {
    /// Nothing: the next time is the next run.
    case none
    /// One run starts late, for the last of them.
    case one
    /// A run starts for each of them, the oldest first.
    case all

    /// The maximum number of late runs: a mistake must not start runs for days.
    package static let most = 1_000

    /// The times for which runs start late, after the last time that was not missed.
    func times(
        of expression: CronExpression, after last: Date, until end: Date, in timeZone: SystemTimeZone
    ) -> [Date] {
        guard self != .none else { return [] }
        let count = self == .one ? 1 : Self.most
        var length = 3_600.0
        // After a long pause only its end is searched, which has the newest times.
        while true {
            let start = max(last, end.addingTimeInterval(-length))
            var missed: [Date] = []
            while let time = expression.next(after: missed.last ?? start, in: timeZone), time <= end {
                missed.append(time)
            }
            guard missed.count < count, start > last else { return missed.suffix(count) }
            length *= 8
        }
    }
}
