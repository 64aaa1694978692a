/// The progress of a batch, folded from its events.
struct BatchStatus {
    /// How many kinds of errors get their own line when they first occur.
    private static let mostFirsts = 10

    private(set) var counts = BatchCounts(total: 0)
    private(set) var errors = BatchErrors()
    private let name: String
    private let isVerbose: Bool
    private let startedAt: Date
    /// How many items had finished when the batch began or continued; they do not count for its pace.
    private var before = 0
    private var inFlight = 0
    private var pace: RunProgress.Pace
    /// Until when the service holds all requests, and since when.
    private var hold: (from: Date, until: Date)?
    private var waited = 0.0
    /// Why no more items begin; nil while they do.
    private var stop: String?

    /// - Parameters:
    ///   - name: The batch's name in its line.
    ///   - isVerbose: Whether each item gets a line when it ends.
    init(_ name: String, isVerbose: Bool, startedAt: Date) {
        (self.name, self.isVerbose, self.startedAt) = (name, isVerbose, startedAt)
        pace = RunProgress.Pace(from: startedAt)
    }

    /// Applies an event.
    /// - Returns: The permanent line for it; nil for most events.
    mutating func apply(_ event: BatchEvent, at time: Date) -> TerminalLine? {
        switch event {
        case .began(let past):
            // Items that failed before run again, and count when they end.
            counts = BatchCounts(total: past.total)
            counts.completed = past.completed
            before = counts.over
        case .itemBegan: inFlight += 1
        case .itemEnded(let entry, _):
            inFlight = max(0, inFlight - 1)
            counts[entry.state] += 1
            pace.note(counts.over - before, at: time)
            guard entry.state != .completed else {
                return isVerbose ? TerminalLine("✓", 32, entry.shownKey, Duration.seconds(entry.duration).text) : nil
            }
            return line(of: entry, isFirst: errors.add(entry) == 1)
        case .held(let until):
            hold = (hold?.from ?? time, max(hold?.until ?? until, until))
        case .released: endHold(at: time)
        case .stopping(let reason):
            stop = reason.text
            return TerminalLine("-", 33, "no more items begin: \(reason.text)")
        case .ended(let counts):
            endHold(at: time)
            (self.counts, inFlight) = (counts, 0)
        }
        return nil
    }

    private mutating func endHold(at time: Date) {
        waited += hold.map { max(0, min($0.until, time).timeIntervalSince($0.from)) } ?? 0
        hold = nil
    }

    /// A line about an item that did not complete, or about the first one with its error.
    private func line(of entry: BatchEntry, isFirst: Bool) -> TerminalLine? {
        guard isVerbose || isFirst && errors.groups.count <= Self.mostFirsts else { return nil }
        let detail = entry.error?["detail"]?.string.map { ": \($0)" } ?? ""
        let words = PlainText.line(BatchErrors.Kind(entry).text + detail, limit: 300)
        return TerminalLine("✗", 31, entry.shownKey, entry.state == .unknown ? "unknown, \(words)" : words)
    }

    /// The redrawn lines for a window of this size, the most important first.
    func lines(width: Int, height: Int, now: Date, colour: Bool) -> [String] {
        guard counts.total > 0 else { return [] }
        var first = TerminalLine("…", 36, name, facts(now: now).joined(separator: " · "))
        first.share = Double(counts.over) / Double(counts.total)
        var lines = [first]
        if let stop { lines.append(TerminalLine("-", 33, "ends \(inFlight.grouped) in flight:", stop)) }
        if let left = held(at: now) {
            lines.append(TerminalLine("‖", 33, "held by the service,", "\(left) left"))
        }
        if let failed { lines.append(TerminalLine("✗", 31, failed.counts, failed.kinds)) }
        var work = TerminalLine("…", 36, "in flight", work(now: now))
        work.indentation = 2
        lines.append(work)
        return lines.prefix(max(0, height)).map { $0.text(width: width, colour: colour) }
    }

    /// The progress in one line, for output that only grows.
    func line(now: Date) -> TerminalLine {
        let more = [
            inFlight > 0 ? "\(inFlight.grouped) in flight" : nil, counts.failures.joined(separator: ", "),
            held(at: now).map { "held by the service, \($0) left" }, waitedText(now: now), stop,
        ]
        let facts = facts(now: now) + more.compactMap(\.self).filter { !$0.isEmpty }
        return TerminalLine("…", 36, name, facts.joined(separator: " · "))
    }

    private func facts(now: Date) -> [String] {
        var facts = ["\(counts.over.grouped)/\(counts.total.grouped)"]
        guard let rate = pace.rate(counts.over - before, at: now) else {
            return facts + [Duration.seconds(max(0, now.timeIntervalSince(startedAt))).text]
        }
        facts.append(RunProgress.text(ofRate: rate))
        if counts.pending > 0 { facts.append("\(Duration.seconds(Double(counts.pending) / rate).roughText) left") }
        return facts
    }

    private func work(now: Date) -> String {
        ([inFlight.grouped] + [waitedText(now: now)].compactMap(\.self)).joined(separator: " · ")
    }

    private func held(at now: Date) -> String? {
        hold.flatMap { $0.until > now ? Duration.seconds($0.until.timeIntervalSince(now)).roughText : nil }
    }

    /// How long the service has held all requests so far.
    private func waitedText(now: Date) -> String? {
        let seconds = waited + (hold.map { max(0, min($0.until, now).timeIntervalSince($0.from)) } ?? 0)
        return seconds >= 1 ? "waited \(Duration.seconds(seconds).text) for throttling" : nil
    }

    private var failed: (counts: String, kinds: String)? {
        guard !counts.failures.isEmpty else { return nil }
        let kinds = errors.largestFirst.prefix(3).map { "\($0.count.grouped) × \($0.kind.text)" }
        return (counts.failures.joined(separator: ", "), kinds.joined(separator: " · "))
    }

    func summary(now: Date) -> [TerminalLine] {
        let words =
            ["\(counts.completed.grouped) of \(counts.total.grouped) completed"] + counts.failures
            + (counts.pending > 0 ? ["\(counts.pending.grouped) not ended"] : [])
        let length = Duration.seconds(max(0, now.timeIntervalSince(startedAt))).text
        let waits = waitedText(now: now).map { ", \($0)" } ?? ""
        let line = TerminalLine(
            counts.isWhole ? "✓" : "✗", counts.isWhole ? 32 : 31,
            "\(words.joined(separator: ", ")), in \(length)\(waits)")
        return [line] + errors.lines()
    }
}

extension BatchEvent.Stop {
    /// Why no more items begin, in words.
    fileprivate var text: String {
        switch self {
        case .failures: "as many failed as '--max-failures' allows"
        case .suspended: "interrupted"
        case .failed(let error): PlainText.line(error.message, limit: 200)
        }
    }
}
