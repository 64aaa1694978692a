import Essentials

/// What to say of a run where lines remain: what has changed, at most once a second, and a sign of life.
struct RunNews {
    /// The time between two lines.
    private static let interval = 1.0
    /// The longest time without a line.
    private static let longestSilence = 30.0

    var progress: RunProgress
    var finished = FinishedTasks()
    /// Requests that are sent again or held.
    var requests = FinishedTasks()
    /// When lines were written last; nil before the first moment.
    var wroteAt: Date?
    /// Whether a run that goes on is only mentioned after the longest time.
    private let isBrief: Bool
    /// The time until the next line about a run that goes on; it doubles each time, so that a long run has few.
    private var patience = interval
    /// How far everything was at that line.
    private var advance = 0

    /// When such requests were mentioned last, and the time until the next line about them, which doubles as well.
    private var requestsAt: Date?
    private var requestsPatience = interval

    init(_ progress: RunProgress, isBrief: Bool = false) {
        self.progress = progress
        self.isBrief = isBrief
    }

    /// The lines for now.
    /// - Parameter isLast: Whether the run is over.
    mutating func lines(at now: Date, isLast: Bool = false) -> [TerminalLine] {
        let silence = wroteAt.map { now.timeIntervalSince($0) }
        guard isLast || silence ?? Self.interval >= Self.interval else { return [] }
        var lines = finished.take(at: now, isLast: isLast)
        // The last line of a run sums them up.
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
