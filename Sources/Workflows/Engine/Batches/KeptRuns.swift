/// All runs and batches on this machine, which people name and list together.
package struct KeptRuns: Sendable {
    package let runs: RunsFolder
    package let batches: RunsFolder

    /// Creates a value for two folders, which need not exist yet.
    package init(runs: RunsFolder, batches: RunsFolder) {
        self.runs = runs
        self.batches = batches
    }

    /// The user's folders: `runs` and `batches` in `GRAPHFLOW_HOME`, or else in the XDG state folder.
    package static func standard(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> KeptRuns {
        KeptRuns(runs: .standard(environment: environment), batches: .batches(environment: environment))
    }

    /// Summarizes runs and batches, newest first, as ``RunsFolder/summaries(limit:where:)`` does.
    package func summaries(
        limit: Int? = nil, where isWanted: (RunSummary) -> Bool = { _ in true }
    ) throws(JournalError) -> [RunSummary] {
        // The names of batches do not contain times.
        var batches = try batches.summaries(where: isWanted).sorted { $0.startedAt > $1.startedAt }[...]
        var all: [RunSummary] = []
        for run in try runs.summaries(limit: limit, where: isWanted) {
            let newer = batches.prefix { $0.startedAt > run.startedAt }
            batches = batches.dropFirst(newer.count)
            all += newer + [run]
        }
        return Array((all + batches).prefix(limit ?? .max))
    }

    /// The effects of a run or batch that a person names, or of all of them, the oldest first.
    /// - Parameters:
    ///   - address: Runs without this address may be left out; nil for none.
    ///   - onUnreadable: Called with each run whose journal cannot be read, if all are read.
    package func effects(
        of name: String?, to address: String? = nil, onUnreadable: @Sendable (String) -> Void
    ) throws -> [AccountedEffect] {
        guard let name else {
            let all = try [runs, batches].flatMap { try $0.effects(of: address, onUnreadable: onUnreadable) }
            return all.enumerated()
                .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        }
        let named = try place(of: name)
        return try named.folder.effects(of: named.name).filter { named.item == nil || $0.run == named.item }
    }

    /// The run, batch or item of a batch that a person names, by the start of its name or as `last`.
    /// - Parameter isWanted: Which ones `last` can be.
    /// - Returns: The run or batch, and the name of the item's run as in results, `BATCH.ITEM`, if one was named.
    /// - Throws: ``JournalError`` if there is none or more than one.
    package func find(
        _ name: String, lastWhere isWanted: (RunSummary) -> Bool = { _ in true }
    ) throws(JournalError) -> (summary: RunSummary, folder: RunsFolder, item: String?) {
        guard name != Self.newest else { return try last(where: isWanted) }
        let place = try place(of: name)
        return (try place.folder.summary(of: place.name), place.folder, place.item)
    }

    private static let newest = "last"

    /// What ``find(_:lastWhere:)`` finds, even if it cannot be read.
    /// - Throws: ``JournalError`` if there is none or more than one.
    package func place(of prefix: String) throws(JournalError) -> (name: String, folder: RunsFolder, item: String?) {
        guard prefix != Self.newest else {
            let (summary, folder, _) = try last { _ in true }
            return (summary.run, folder, nil)
        }
        var found: [(name: String, folder: RunsFolder, item: String?)] = []
        for folder in [runs, batches] {
            let names = try folder.names
            if names.contains(prefix) { return (prefix, folder, nil) }
            found += RunsFolder.names(names, beginningWith: prefix).map { ($0, folder, nil) }
        }
        if let batch = try batch(ofItem: prefix) {
            let items = try items(of: batch, beginningWith: prefix)
            found = items.contains(prefix) ? [(batch, batches, prefix)] : found + items.map { (batch, batches, $0) }
        }
        guard let first = found.first else { throw RunsFolder.noRun(prefix) }
        guard found.count == 1 else {
            let hasBatches = found.contains { $0.folder.url == batches.url }
            throw RunsFolder.ambiguous(
                prefix, found.map { $0.item ?? $0.name }, of: hasBatches ? "runs and batches" : "runs")
        }
        return first
    }

    /// The items' runs that have finished or begun, of those whose names begin with a prefix.
    private func items(of batch: String, beginningWith prefix: String) throws(JournalError) -> [String] {
        var names: Set<String> = []
        try BatchLedger.read(try batches.batch(batch)) { line in
            if case .entry(let entry) = line { names.insert(entry.run) }
        }
        if !names.contains(prefix) {
            _ = try Journal.read(batch, in: batches) { if $1.parent == nil, $1.run != batch { names.insert($1.run) } }
        }
        return RunsFolder.names(names.sorted(), beginningWith: prefix)
    }

    /// The folder of a run or a batch with this full name.
    package func folder(of name: String) throws(JournalError) -> RunsFolder {
        try batches.names.contains(name) ? batches : runs
    }

    /// The batch of an item whose run is named as in results, `BATCH.ITEM`; nil for other names.
    package func batch(ofItem run: String) throws(JournalError) -> String? {
        guard let dot = run.lastIndex(of: ".") else { return nil }
        let (batch, names) = (String(run[..<dot]), try batches.names)
        return names.contains(batch) && !names.contains(run) ? batch : nil
    }

    private func last(
        where isWanted: (RunSummary) -> Bool
    ) throws(JournalError) -> (summary: RunSummary, folder: RunsFolder, item: String?) {
        guard let last = try summaries(limit: 1, where: isWanted).first else {
            let names = try runs.names + batches.names
            throw RunsFolder.noLast(isEmpty: names.isEmpty)
        }
        return (last, last.isBatch ? batches : runs, nil)
    }

    /// Removes all but the newest ended runs, and as many batches; see ``RunsFolder/prune(keeping:)``.
    @discardableResult package func prune(keeping count: Int) throws(JournalError) -> [String] {
        try runs.prune(keeping: count) + batches.prune(keeping: count)
    }

    /// Removes the runs and batches that ended before a moment; see ``RunsFolder/prune(endedBefore:)``.
    @discardableResult package func prune(endedBefore moment: Date) throws(JournalError) -> [String] {
        try runs.prune(endedBefore: moment) + batches.prune(endedBefore: moment)
    }
}
