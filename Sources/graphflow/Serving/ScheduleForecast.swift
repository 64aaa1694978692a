/// When a workflow would run, to check a schedule before serving it.
struct ScheduleForecast {
    private static let count = 5
    /// How many days ahead a change of clocks is looked for.
    private static let days = 400

    let schedule: Schedule
    let timeZone: SystemTimeZone
    let moment: Date

    /// The lines; the first describes the schedule.
    var lines: [String] {
        switch schedule {
        case .every(let interval):
            let times = (0..<Self.count).map { moment.addingTimeInterval(interval.seconds * Double($0)) }
            return ["runs every \(interval.text), at once for the first time; if it were started now:"] + show(times)
        case .after(let delay): return ["runs at once, and again \(delay.text) after the end of each run"]
        case .on: return ["runs when its events arrive"]
        case .cron(let expression): return lines(of: expression)
        }
    }

    private func lines(of expression: CronExpression) -> [String] {
        let head = "runs at '\(expression.source)' in \(timeZone.identifier):"
        let times = self.times(of: expression, after: moment, count: Self.count)
        guard let last = times.last else { return [head, "  never: there is no such time within 40 years"] }
        var lines = [head] + show(times)
        guard let change = timeZone.nextChange(after: moment, within: Self.days), change > last else { return lines }
        // The effect of a clock change on a schedule is only seen across the change.
        let day = 86_400.0
        let around = self.times(of: expression, after: change.addingTimeInterval(-day), count: Self.count)
            .filter { $0 < change.addingTimeInterval(day) }
        let (before, after) = (change.addingTimeInterval(-1), change)
        lines.append(
            "  the clocks change from \(timeZone.abbreviation(at: before)) to \(timeZone.abbreviation(at: after)) at "
                + "\(timeZone.text(of: change)):")
        let shown = around.isEmpty ? self.times(of: expression, after: change, count: 1) : around
        return lines + show(shown)
    }

    private func times(of expression: CronExpression, after moment: Date, count: Int) -> [Date] {
        expression.times(after: moment, count: count, in: timeZone)
    }

    private func show(_ times: [Date]) -> [String] {
        times.map { "  \(timeZone.text(of: $0)) \(timeZone.abbreviation(at: $0))" }
    }
}

extension ChangeSource {
    /// The source in words, with its requests and permissions.
    var forecast: String {
        let count = Int((86_400 / every.seconds).rounded(.up))
        let needed = permissions.map { permissions in
            let names = [(permissions.delegated, "for a user"), (permissions.application, "for an application")]
            return names.filter { !$0.0.isEmpty }.map { "\($0.0.joined(separator: ", ")) \($0.1)" }
                .joined(separator: "; ")
        }
        return "  follows \(kinds.words) of \(resource) every \(every.text): \(count) requests a day while nothing "
            + "changes; needs \(needed ?? "permissions that are not known")"
    }
}

extension Set<ChangeSource.Kind> {
    fileprivate var words: String {
        count == ChangeSource.Kind.allCases.count
            ? "changes" : ChangeSource.Kind.allCases.filter(contains).map(\.rawValue).joined(separator: ", ") + " items"
    }
}

extension CronExpression {
    /// The next times, fewer if there are no more.
    func times(after moment: Date, count: Int, in timeZone: SystemTimeZone) -> [Date] {
        var times: [Date] = []
        while times.count < count, let next = next(after: times.last ?? moment, in: timeZone) { times.append(next) }
        return times
    }
}

extension Schedule {
    /// The schedule in words: `runs every 5 min`.
    func words(in timeZone: SystemTimeZone) -> String {
        switch self {
        case .every(let interval): "runs every \(interval.text)"
        case .after(let delay): "runs again \(delay.text) after each run"
        case .cron(let expression): "runs at '\(expression.source)' in \(timeZone.identifier)"
        case .on: "runs when its events arrive"
        }
    }
}

extension SystemTimeZone {
    /// The first moment at which clocks change, looked for day by day; nil if there is none.
    fileprivate func nextChange(after moment: Date, within days: Int) -> Date? {
        let start = moment.timeIntervalSince1970.rounded(.down)
        func offset(_ seconds: Double) -> Int { secondsFromUTC(at: Date(timeIntervalSince1970: seconds)) }
        let before = offset(start)
        guard let day = (1...days).first(where: { offset(start + Double($0) * 86_400) != before }) else { return nil }
        var (low, high) = (start + Double(day - 1) * 86_400, start + Double(day) * 86_400)
        while high - low > 1 {
            let middle = ((low + high) / 2).rounded(.down)
            if offset(middle) == before { low = middle } else { high = middle }
        }
        return Date(timeIntervalSince1970: high)
    }
}
