/// The state of a batch's items, from its ledger and journal; used to continue the batch.
package struct BatchPast: Sendable {
    package enum Selection: String, Sendable, Hashable, CaseIterable {
        case faulted, unknown
    }

    /// How the finished items ended, by name.
    package private(set) var states: [String: BatchEntry.State] = [:]
    /// The events of incomplete items, and of complete ones without a line in the ledger.
    private(set) var events: [String: [Event]] = [:]
    /// The source's hash in the last line about it.
    package private(set) var sourceDigest: String
    /// The last accepted change of the workflow's file, and when the batch continued with it; nil for none.
    private var accepted: (digest: String, time: Date)?
    /// The accepted changes of the workflow's file, for the items that began before; nil if it is unchanged.
    package private(set) var changes: WorkflowChanges?
    /// The user's answer about effects whose outcome is unknown; nil for none.
    package var assumption: Runner.Assumption?
    /// Which finished items are performed again; nil for all incomplete and new ones.
    package var selection: Selection?
    /// The only item that continues; nil for all.
    package var item: String?

    package static let none = BatchPast(sourceDigest: "")

    private init(sourceDigest: String) { self.sourceDigest = sourceDigest }

    /// A batch that was begun before, locked for this process.
    package typealias Opened = (past: BatchPast, ledger: BatchLedger, journal: Journal)

    /// Opens a batch if it was begun before; nil if not.
    package static func find(_ name: String, in batches: RunsFolder) throws(JournalError) -> Opened? {
        try batches.removeUnbegun(name)
        do throws(JournalError) { return try open(name, in: batches) } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    package static func open(_ name: String, in batches: RunsFolder) throws(JournalError) -> Opened {
        let folder = try batches.batch(name)
        try folder.check()
        var past = BatchPast.none
        // The ledger is read first: the journal's events of completed items are not kept.
        let header = try BatchLedger.read(folder) { past.add($0) }
        if past.sourceDigest.isEmpty { past.sourceDigest = header.sourceDigest }
        var items: [String: String] = [:]
        let journal: Journal
        do throws(JournalError) {
            journal = try Journal.open(name, in: batches) { past.add($0, of: name, &items) }
        } catch {
            throw error.naming(batch: name)
        }
        // The lock is held from here on. A process that has just ended may have added a line before.
        past.states = [:]
        let ledger = try BatchLedger.open(folder) { past.add($0) }
        for (item, state) in past.states where state == .completed { past.events[item] = nil }
        return (past, ledger, journal)
    }

    private mutating func add(_ line: BatchLedger.Line) {
        switch line {
        case .entry(let entry): states[entry.item] = entry.state
        case .resumed(let resumption):
            sourceDigest = resumption.sourceDigest
            for item in resumption.dropped { states[item] = nil }
            if let digest = resumption.workflowDigest, digest != accepted?.digest {
                accepted = (digest, resumption.time)
            }
        }
    }

    /// Compares the workflow's file with the one that the batch began with.
    /// - Returns: The changes that the user has to accept; nil if there are none since the batch last ran.
    /// - Throws: ``JournalError`` if the file differs again after changes were accepted: the text that items began with
    ///   is not kept.
    package mutating func findChanges(to workflow: Workflow, _ journal: Journal) throws -> WorkflowChanges? {
        let digest = Journal.Header.digest(of: workflow.document.text)
        guard digest != journal.header.digest || accepted != nil else { return nil }
        guard accepted == nil || accepted?.digest == digest else {
            throw JournalError(
                .refused, "the workflow file has changed a second time since the batch began",
                hint: "undo the last change, or start a batch with another name")
        }
        let text = String(decoding: try journal.workflowText, as: UTF8.self)
        changes = WorkflowChanges(
            from: try Workflow(text: text, folder: workflow.folder), to: workflow, digest: digest)
        return accepted == nil ? changes : nil
    }

    func resumption(of events: [Event]) -> Event.Resumption {
        // Items that began or continued after the changes were accepted already have them.
        guard let changes, let first = events.first, accepted.map({ first.time < $0.time }) ?? true else {
            return Event.Resumption()
        }
        let hasThem = events.contains { event in
            if case .workflowResumed(let resumption) = event.kind { resumption.digest == changes.digest } else { false }
        }
        return hasThem ? Event.Resumption() : Event.Resumption(digest: changes.digest, anew: changes.anew)
    }

    /// Keeps an event of an incomplete item; `items` are the items of the runs inside their runs.
    private mutating func add(_ event: Event, of batch: String, _ items: inout [String: String]) {
        let item: String
        if let parent = event.parent {
            guard let found = items[parent.run] ?? Self.item(of: parent.run, in: batch) else { return }
            item = found
            items[event.run] = item
        } else {
            guard let found = Self.item(of: event.run, in: batch) else { return }
            item = found
        }
        guard states[item] != .completed else { return }
        events[item, default: []].append(event)
    }

    package static func item(of run: String, in batch: String) -> String? {
        run.hasPrefix("\(batch).") ? String(run.dropFirst(batch.utf8.count + 1)) : nil
    }

    package func counts(total: Int) -> BatchCounts {
        var counts = BatchCounts(total: total)
        for state in states.values { counts[state] += 1 }
        return counts
    }

    /// Forgets items that are no longer in the source; returns them, and the number of new ones.
    package mutating func keep(_ names: Set<String>) -> (dropped: [String], new: Int) {
        let known = Set(states.keys).union(events.keys)
        for name in known where !names.contains(name) {
            states[name] = nil
            events[name] = nil
        }
        return (known.subtracting(names).sorted(), names.subtracting(known).count)
    }

    /// Whether another run took back what an item did.
    func wasUndone(_ item: BatchItem) -> Bool { events[item.name]?.wereUndone ?? false }

    /// The run of an item, which begins at that moment unless it has begun.
    func identity(of item: BatchItem, in journal: Journal, at moment: Date) -> RunIdentity {
        RunIdentity(
            id: "\(journal.header.run).\(item.name)",
            startedAt: events[item.name]?.first?.time ?? moment.inWholeMilliseconds, sealing: journal.sealing)
    }

    /// Begins the run of an item, or continues it after its events.
    func perform(
        _ item: BatchItem, of workflow: Workflow, by runner: Runner, as identity: RunIdentity, log: RunLog,
        _ library: WorkflowLibrary
    ) -> Promise<Value> {
        guard let events = events[item.name] else {
            return runner.perform(Run(workflow, by: runner, library: library, as: identity, log: log), item.input)
        }
        return runner.resume(
            workflow, as: identity, input: item.input, from: events, log: log, resumption(of: events),
            assuming: assumption, library: library)
    }

    func wants(_ item: String) -> Bool {
        guard self.item == nil || self.item == item else { return false }
        return switch (selection, states[item]) {
        case (_, .completed?): false
        case (nil, _): true
        case (.faulted?, let state): state == .faulted
        case (.unknown?, let state): state == .unknown
        }
    }
}
