/// The permanent lines about a run: what has changed, at most once a second, and a sign of life.
struct RunNews {
    /// The shortest time between two lines, in seconds.
    private static let interval = 1.0
    /// The longest time without a line, in seconds.
    private static let longestSilence = 30.0

    var progress: RunProgress
    var finished = FinishedTasks()
    /// Requests that are repeated or held.
    var requests = FinishedTasks()
    /// When lines were last written; nil before the first.
    var wroteAt: Date?
    /// Whether a run that continues is only mentioned after the longest silence.
    private let isBrief: Bool
    /// The time until the next line about a run that continues; it doubles each time, so a long run has few lines.
    private var patience = interval
    /// The progress at that line.
    private var advance = 0

    /// When such requests were last mentioned, and the time until the next line about them, which doubles as well.
    private var requestsAt: Date?
    private var requestsPatience = interval

    init(_ progress: RunProgress, isBrief: Bool = false) {
        self.progress = progress
        self.isBrief = isBrief
    }

    /// The lines for now.
    /// - Parameter isLast: Whether the run has ended.
    mutating func lines(at now: Date, isLast: Bool = false) -> [TerminalLine] {
        let silence = wroteAt.map { now.timeIntervalSince($0) }
        guard isLast || silence ?? Self.interval >= Self.interval else { return [] }
        var lines = finished.take(at: now, isLast: isLast)
        // The last line of a run sums up its requests.
        if !requests.isEmpty, !isLast, requestsAt.map({ now.timeIntervalSince($0) >= requestsPatience }) ?? true {
            lines += requests.take(at: now)
            requestsAt = now
            requestsPatience = min(Self.longestSilence, requestsPatience * 2)
        }
        if lines.isEmpty, !isLast, let silence { return signOfLife(at: now, after: silence) }
        if !lines.isEmpty { patience = Self.interval }
        wroteAt = now
        return lines
    }

    private mutating func signOfLife(at now: Date, after silence: Double) -> [TerminalLine] {
        let isLong = silence >= Self.longestSilence
        guard isLong || silence >= patience && !isBrief else { return [] }
        let reached = progress.advance
        guard isLong || reached != advance, let summary = progress.summary(now: now) else { return [] }
        advance = reached
        patience = min(Self.longestSilence, patience * 2)
        wroteAt = now
        return [TerminalLine("…", 36, summary)]
    }
}
