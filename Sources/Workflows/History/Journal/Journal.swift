/// The events of a run on disk, one per line, to resume and show the run.
///
/// A journal is one file in its run's folder, which is locked while a process writes to it. An incomplete last line is
/// dropped when the journal is next opened for writing.
public final class Journal: Sendable {
    struct State {
        var lineCount: Int
        /// The records of the lines that are not written yet, and their size in bytes.
        var pending: (records: [[UInt8]], size: Int) = ([], 0)
        /// Whether ``pending`` will be written in a moment.
        var isDue = false
        /// Whether the flush thread must write ``pending``.
        var isUrgent = false
        /// The number of lines that are safe from a power failure.
        var safeCount: Int
        /// The waiters, each for a number of safe lines; one flush serves all that wait when it begins.
        var waiting: [(count: Int, resolver: Resolver<Void>)] = []
        /// Whether the flush thread is writing this journal, or will.
        var isFlushing = false
        var failure: JournalError?
        var isClosed = false

        init(lineCount: Int) { (self.lineCount, safeCount) = (lineCount, lineCount) }
    }

    /// The first line of the journal.
    public let header: Header
    /// The run's blobs, which are kept in its folder.
    public let blobs: BlobStore
    package let sealing: SealSource
    private let folder: RunFolder
    private let file: OpenFile
    private let lock: FileLock
    private let state: Locked<State>
    private let writer = Locked(EventWriter())
    /// The lines in the file; held while lines are written, because they are ordered.
    private let log: Locked<AppendOnlyLog>
    /// How long a line may wait to be written together with others.
    private static let patience = DispatchTimeInterval.milliseconds(50)
    /// The time in seconds that a flush with several waiters waits for more of them.
    private static let gathering = 0.000_5
    /// The maximum number of waiting bytes.
    private static let most = 64 << 10

    /// When an event is written; until then it is lost if the process is killed.
    package enum Urgency {
        /// Before the call returns.
        case atOnce
        /// As soon as the flush thread has time.
        case soon
        /// In a moment, together with others.
        case later
    }

    init(
        _ header: Header, _ blobs: BlobStore, in folder: RunFolder, sealedBy key: KeyFile, _ log: AppendOnlyLog,
        _ lock: FileLock
    ) {
        self.header = header
        self.blobs = blobs
        sealing = SealSource(file: key, former: header.formerKey)
        self.folder = folder
        self.lock = lock
        file = log.file
        state = Locked(State(lineCount: log.end.lineCount))
        self.log = Locked(log)
    }

    deinit { close() }

    /// Writes pending lines and lets others continue the run, even while this object exists.
    package func close() {
        _ = try? writePending()
        // A write in progress ends first.
        log.withLock { _ in
            let isOpen = state.withLock { state in
                defer { state.isClosed = true }
                state.failure =
                    state.failure
                    ?? JournalError(.failed, "the journal of the run \(header.run) is closed: the run has ended here")
                return !state.isClosed
            }
            if isOpen { lock.release() }
        }
    }

    /// Appends an event that has no secrets, because it is not searched for any.
    /// - Throws: ``JournalError`` if writing fails; nothing more can be written after that.
    public func append(unsearched event: Event) throws(JournalError) { try append(SearchedEvent(searched: event)) }

    /// What the run asks people to approve.
    package var approvals: ApprovalRequests { folder.approvals }
    var place: PrivateFolder { folder.folder }

    /// The copy of the workflow file that the run keeps.
    public var workflowText: Data {
        get throws(JournalError) { try folder.workflowText }
    }

    /// Appends an event, and returns its record as JSON; a power failure may lose it until ``flush()``.
    /// - Parameter writer: That of one of the runs that share the journal, which then do not wait for each other's
    ///   records; nil for the journal's.
    /// - Throws: ``JournalError`` if writing fails; nothing more can be written after that.
    @discardableResult package func append(
        _ searched: SearchedEvent, _ urgency: Urgency = .atOnce, by writer: Locked<EventWriter>? = nil
    ) throws(JournalError) -> [UInt8] {
        let event = searched.event
        let whole = (writer ?? self.writer).withLock { $0.json(of: event, withSeals: true) }
        let (json, mustWrite) = try update { (state) throws(SystemError) -> ([UInt8], Bool) in
            let json = JournalBounds.isShort(whole) ? whole : JournalBounds.json(of: event, self.blobs)
            if let failure = self.blobs.failure { throw failure }
            guard JournalLine.size(of: json, number: state.lineCount + 1) <= JournalLine.largest else {
                throw SystemError("an event is too large")
            }
            state.pending.records.append(json)
            state.pending.size += json.count
            state.lineCount += 1
            switch urgency {
            case _ where state.pending.size > Self.most: return (whole, true)
            case .atOnce: return (whole, true)
            case .soon:
                state.isUrgent = true
                self.beginFlushing(&state)
            case .later where state.isDue: break
            case .later:
                state.isDue = true
                self.writeLater()
            }
            return (whole, false)
        }
        if mustWrite { try writePending() }
        return json
    }

    /// Writes the pending lines; events can be appended in the meantime.
    /// - Returns: The number of lines in the file afterwards.
    @discardableResult private func writePending() throws(JournalError) -> Int {
        try log.withLock { log throws(JournalError) in
            let (records, count) = try update { (state) throws(SystemError) in
                defer { (state.pending, state.isUrgent) = (([], 0), false) }
                return (state.pending.records, state.lineCount)
            }
            guard !records.isEmpty else { return count }
            do throws(SystemError) { try log.append(records) } catch { throw fail(error) }
            return count
        }
    }

    private func writeLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isDue = false }
            // An error is kept, and thrown before the next event or effect.
            _ = try? writePending()
        }
    }

    /// Waits until all lines are safe from a power failure.
    /// - Returns: Whether there was anything to wait for.
    /// - Throws: ``JournalError`` if writing fails; nothing more can be written after that.
    @discardableResult public func flush() throws(JournalError) -> Bool {
        guard try update({ (state) throws(SystemError) in state.safeCount < state.lineCount }) else { return false }
        try makeSafe()
        return true
    }

    /// Writes all lines, and waits until they are safe from a power failure; events can be appended in the meantime.
    private func makeSafe() throws(JournalError) {
        let count = try writePending()
        do throws(SystemError) {
            // Blobs must be on disk before a line that refers to them.
            try blobs.synchronize()
            try file.synchronize()
        } catch {
            throw fail(error)
        }
        state.withLock { $0.safeCount = max($0.safeCount, count) }
    }

    /// Is fulfilled when all lines are safe from a power failure: one flush for all concurrent waiters.
    ///
    /// Only the flush thread waits, and events can be appended in the meantime.
    /// - Returns: A promise that is rejected with ``JournalError`` if writing fails.
    package func flushed() -> Promise<Void> {
        Promise { resolver in
            let isSafe = try update { (state) throws(SystemError) in
                guard state.safeCount < state.lineCount else { return true }
                state.waiting.append((state.lineCount, resolver))
                beginFlushing(&state)
                return false
            }
            if isSafe { resolver.fulfill(()) }
        }
    }

    private static let flushes = DispatchQueue(label: "graphflow.journal")

    private func beginFlushing(_ state: inout State) {
        guard !state.isFlushing else { return }
        state.isFlushing = true
        Self.flushes.async { self.flushForAll() }
    }

    private func flushForAll() {
        while true {
            var failure: JournalError?
            do throws(JournalError) {
                switch state.withLock({ $0.waiting.count }) {
                case 0: try writePending()
                case 1: try makeSafe()
                default:
                    SystemThread.sleep(seconds: Self.gathering)
                    try makeSafe()
                }
            } catch {
                failure = error
            }
            let (safe, isOver) = state.withLock { [hasFailed = failure != nil] state in
                let safe = state.waiting.filter { hasFailed || $0.count <= state.safeCount }.map(\.resolver)
                state.waiting.removeAll { hasFailed || $0.count <= state.safeCount }
                state.isFlushing = !hasFailed && (state.isUrgent || !state.waiting.isEmpty)
                return (safe, !state.isFlushing)
            }
            for resolver in safe {
                if let failure { resolver.reject(failure) } else { resolver.fulfill(()) }
            }
            if isOver { return }
        }
    }

    /// Writes the run's output to `output.json`, atomically.
    ///
    /// The journal has it too, and is safe: a power failure may lose the file, but leaves no part of it.
    /// - Throws: ``JournalError`` if writing fails.
    public func finish(output: Value) throws(JournalError) {
        do throws(SystemError) { try folder.write(output) } catch {
            throw JournalError(.failed, "the output of the run \(header.run) cannot be written: \(error)")
        }
    }

    /// Calls the body with the state, unless the journal has failed before.
    private func update<Result: Sendable>(
        _ body: (inout State) throws(SystemError) -> Result
    ) throws(JournalError) -> Result {
        try state.withLock { state throws(JournalError) -> Result in
            if let failure = state.failure { throw failure }
            do throws(SystemError) {
                return try body(&state)
            } catch {
                throw failure(error, &state)
            }
        }
    }

    private func fail(_ error: SystemError) -> JournalError { state.withLock { failure(error, &$0) } }

    private func failure(_ error: SystemError, _ state: inout State) -> JournalError {
        let failure = JournalError(
            error, "the journal of the run \(header.run) cannot be written",
            hint: "the journal is intact: free some space, then continue with 'graphflow resume \(header.run)'")
        state.failure = state.failure ?? failure
        return failure
    }
}
