/// The output of `graphflow show` for a batch.
struct BatchView {
    private let summary: RunSummary
    private let journal: Journal.Header
    private let ledger: BatchLedger.Header
    private let statistics: BatchStatistics
    private let resumptions: [BatchLedger.Resumption]
    /// How many items ended per second while a process worked on the batch; nil if that is not known.
    private let rate: Double?
    private let now: Date

    /// - Parameter mostExamples: How many items of each kind of error are kept.
    init(
        of batch: String, in folder: RunsFolder, mostExamples: Int = BatchErrors.fewExamples, now: Date
    ) throws {
        // The state is read first, so that items that end meanwhile are shown too.
        let summary = try folder.summary(of: batch)
        var journal = try folder.header(of: batch)
        journal.lookForSecrets(of: batch, in: folder)
        let place = try folder.batch(batch)
        var work = Work()
        statistics = try BatchStatistics(mostExamples: mostExamples) { take, drop in
            work = Work()
            work.header = try BatchLedger.read(place) { line in
                work.take(line)
                switch line {
                case .entry(let entry): take(entry, work.lineCount, 0)
                case .resumed(let resumption): for item in resumption.dropped { drop(item) }
                }
            }
        }
        guard let ledger = work.header else { throw UsageError("the ledger of \(batch) has no first line") }
        rate = work.rate(until: summary.state == .running ? now : nil)
        self.summary = summary
        self.journal = journal.shown(besideDrawings: journal.seals != nil)
        self.ledger = ledger
        resumptions = work.resumptions
        self.now = now
    }

    /// When a process worked on the batch.
    private struct Work {
        var header: BatchLedger.Header?
        var lineCount = 1
        var resumptions: [BatchLedger.Resumption] = []
        private var ended = 0
        /// The last ends before the resumptions, and before now.
        private var ends = [Date.distantPast]

        mutating func take(_ line: BatchLedger.Line) {
            lineCount += 1
            switch line {
            case .resumed(let resumption):
                resumptions.append(resumption)
                ends.append(resumption.time)
            case .entry(let entry):
                ended += 1
                ends[ends.count - 1] = max(ends[ends.count - 1], entry.endedAt)
            }
        }

        /// How many items ended per second of work; nil if that is not known.
        func rate(until now: Date?) -> Double? {
            guard let header else { return nil }
            let starts = [header.startedAt] + resumptions.map(\.time)
            var length = zip(starts, ends).reduce(0) { $0 + max(0, $1.1.timeIntervalSince($1.0)) }
            if let now, let last = ends.last { length += max(0, now.timeIntervalSince(max(last, header.startedAt))) }
            return ended > 0 && length >= 1 ? Double(ended) / length : nil
        }
    }

    private var resumption: String? {
        guard summary.isResumable, !(summary.counts?.isWhole ?? true) else { return nil }
        return "graphflow resume \(summary.run)"
    }

    /// The effects of larger batches are not counted in a text.
    static let mostCounted = 10_000

    var itemCount: Int { summary.counts?.total ?? 0 }

    /// The batch in words.
    /// - Parameters:
    ///   - width: The terminal's columns; nil for no limit.
    ///   - effects: The effects of its runs; nil if they were not read.
    func lines(width: Int?, colour: Bool, effects: [AccountedEffect]? = nil) -> [String] {
        var facts = head
        if let effects, !effects.isEmpty { facts.append(("effects", EffectTotals.words(effects))) }
        var lines = summary.lines(of: facts, width: width, colour: colour)
        lines += statistics.lines(width: width, colour: colour)
        if let example = statistics.errors.largestFirst.first?.examples.last {
            let key = example.key.string.flatMap { $0 == example.shownKey ? $0.shellWord : nil }
            let item = key.map { "\(summary.run) --key \($0)" } ?? example.run
            lines += ["", "To see one of them:", "  graphflow show \(item)"]
        }
        if effects?.isEmpty == false {
            lines += ["", "To see who got what:", "  graphflow effects \(summary.run)"]
        }
        if let resumption { lines += ["", "To continue:", "  \(resumption)"] }
        return lines
    }

    private static let mostResumptions = 5

    /// The batch's name, or its id if it has none.
    var name: String { ledger.name ?? summary.run }

    var state: String { summary.state.rawValue }

    /// The facts about the whole batch, for people.
    var head: [RunFact] { head { $0.formatted(.iso8601) } }

    /// - Parameter time: Writes a time.
    func head(_ time: (Date) -> String) -> [RunFact] {
        var facts = [("batch", summary.run)] + summary.head(journal, now: now, time: time)
        for resumption in resumptions.suffix(Self.mostResumptions) {
            facts.append(
                ("resumed", "\(time(resumption.time)), \(resumption.time.relative(to: now))"))
        }
        let pace = rate.map { ", \(RunProgress.text(ofRate: $0))" } ?? ""
        facts.append(("took", Duration.seconds(summary.duration(now: now)).text + pace))
        if let shard = ledger.shard, shard.count == 2 { facts.append(("shard", "\(shard[0]) of \(shard[1])")) }
        let source = ledger.source == "-" ? "standard input" : ledger.source
        facts.append(("source", source + (ledger.key.map { ", key \($0)" } ?? "")))
        if journal.input != .object([:]), journal.input != .null { facts.append(("input", journal.input.json())) }
        if let counts = summary.counts { facts.append(("items", counts.sentence)) }
        return facts
    }

    /// - Parameter effects: The effects of its runs.
    func markdown(_ effects: [AccountedEffect]) -> String {
        let rest = resumption.map { ["", "To continue:", "  \($0)"] } ?? []
        return RunMarkdown(title: "Batch \(name), \(state)", facts: head, effects: effects, rest: rest).text
    }

    /// An item that has begun, with its effects.
    struct Item {
        var run: String
        /// The key as a person reads it; the run of an item that has not ended.
        var key: String
        var state: String
        /// Why it failed; nil for a completed one.
        var error: String?
        var effects: [AccountedEffect]

        /// More effects of an item than this are counted.
        static let mostEffects = 20

        var json: Value {
            [
                "run": .string(run), "key": .string(key), "state": .string(state),
                "error": error.map(Value.string) ?? .null,
                "effects": .array(effects.prefix(Self.mostEffects).map { .object($0.value) }),
                "more": .integer(max(0, effects.count - Self.mostEffects)),
            ]
        }
    }

    /// The items that have ended, in the order of the source, then those with effects that have not ended.
    static func items(of batch: String, in folder: RunsFolder) throws -> [Item] {
        // A later line of an item replaces an earlier one.
        var entries: [String: BatchEntry] = [:]
        try BatchLedger.read(try folder.batch(batch)) { line in
            switch line {
            case .entry(let entry): entries[entry.item] = entry
            case .resumed(let resumption): for item in resumption.dropped { entries[item] = nil }
            }
        }
        var effects = Dictionary(grouping: try folder.effects(of: batch), by: \.run)
        let ended = entries.values.sorted { ($0.place, $0.item) < ($1.place, $1.item) }.map { entry in
            let words = ["title", "detail"].compactMap { entry.error?[$0]?.string }
            return Item(
                run: entry.run, key: entry.key.string ?? entry.key.json(), state: entry.state.rawValue,
                error: entry.error == nil ? nil : words.joined(separator: ": "),
                effects: effects.removeValue(forKey: entry.run) ?? [])
        }
        return ended
            + effects.sorted { $0.key < $1.key }.map { Item(run: $0, key: $0, state: "not ended", effects: $1) }
    }

    var json: Value {
        var object = summary.facts(journal, now: now)
        object["name"] = ledger.name.map(Value.string)
        object["shard"] = ledger.shard.map { .array($0.map(Value.integer)) }
        object["source"] = .string(ledger.source)
        object["sourceDigest"] = .string(ledger.sourceDigest)
        object["key"] = ledger.key.map(Value.string)
        object["input"] = journal.input
        object["itemsPerSecond"] = rate.map { .double(($0 * 1_000).rounded() / 1_000) }
        if !resumptions.isEmpty { object["resumedAt"] = .array(resumptions.map { .string($0.time.iso8601) }) }
        object["resume"] = resumption.map(Value.string)
        statistics.describe(in: &object)
        return .object(object)
    }
}

extension BatchCounts {
    var isWhole: Bool { completed == total }

    /// The counts in words: `20,000, 19,990 completed, 7 faulted, 3 unknown`.
    var sentence: String {
        (["\(total.grouped)", "\(completed.grouped) completed"] + failures
            + (pending > 0 ? ["\(pending.grouped) not ended"] : [])).joined(separator: ", ")
    }
}
