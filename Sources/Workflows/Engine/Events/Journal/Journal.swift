import Dispatch
public import Essentials
import Promises

/// The events of a run on disk, one per line, so that the run can be resumed and shown.
///
/// A journal is one file in its run's folder, which is locked while a process writes to it. An incomplete last line is
/// dropped when the journal is next opened for writing.
public final class Journal: Sendable {
    struct State {
        var lineCount: Int
        var checksum: String
        var writer = EventWriter()
        /// Lines that are not written yet.
        var pending: [UInt8] = []
        /// Whether ``pending`` will be written soon.
        var isDue = false
        /// The number of lines that are safe from a power failure.
        var safeCount: Int
        /// Who waits until that many lines are safe; one flush is for all that wait when it begins.
        var waiting: [(count: Int, resolver: Resolver<Void>)] = []
        /// Whether such a flush is under way or will begin.
        var isFlushing = false
        /// Why nothing more can be written.
        var failure: JournalError?

        /// The state of a journal whose lines are all safe.
        init(lineCount: Int, checksum: String) {
            (self.lineCount, safeCount, self.checksum) = (lineCount, lineCount, checksum)
        }
    }

    /// The first line of the journal.
    public let header: Header
    /// The run's blobs, which are kept in its folder.
    public let blobs: BlobStore
    private let folder: RunFolder
    private let file: OpenFile
    private let lock: FileLock
    private let state: Locked<State>
    /// How long a line may wait for others, so that they are written together.
    private static let patience = DispatchTimeInterval.milliseconds(50)
    /// How many bytes may wait.
    private static let most = 64 << 10

    init(
        _ header: Header, _ blobs: BlobStore, in folder: RunFolder, _ file: OpenFile, _ lock: FileLock, _ state: State
    ) {
        self.header = header
        self.blobs = blobs
        self.folder = folder
        self.file = file
        self.lock = lock
        self.state = Locked(state)
    }

    deinit {
        try? write { (state) throws(SystemError) in try self.writePending(&state) }
        lock.release()
    }

    /// The copy of the workflow file that the run keeps.
    public var workflowText: Data {
        get throws(JournalError) { try folder.workflowText }
    }

    /// Appends an event; a power failure may lose it until ``flush()``.
    ///
    /// - Throws: ``JournalError`` if writing fails; nothing more can be written after that.
    public func append(_ event: Event) throws(JournalError) { try append(event, canWait: false) }

    /// Appends an event.
    ///
    /// - Parameter canWait: Whether the event may wait a moment for others before it is written, and be lost if the
    ///   process is killed meanwhile.
    /// - Returns: The record of the event as JSON.
    @discardableResult func append(_ event: Event, canWait: Bool) throws(JournalError) -> [UInt8] {
        try write { (state) throws(SystemError) in
            let whole = state.writer.json(of: event, withSeals: true)
            let json = JournalBounds.isShort(whole) ? whole : JournalBounds.json(of: event, self.blobs)
            if let failure = self.blobs.failure { throw failure }
            let start = state.pending.count
            let checksum = JournalLine.append(
                json, to: &state.pending, number: state.lineCount + 1, after: state.checksum)
            guard state.pending.count - start <= JournalLine.largest else {
                state.pending.removeLast(state.pending.count - start)
                throw SystemError("an event is too large")
            }
            state.lineCount += 1
            state.checksum = checksum
            if !canWait || state.pending.count > Self.most {
                try self.writePending(&state)
            } else if !state.isDue {
                state.isDue = true
                self.writeSoon()
            }
            return whole
        }
    }

    private func writePending(_ state: inout State) throws(SystemError) {
        guard !state.pending.isEmpty else { return }
        try file.write(state.pending)
        state.pending.removeAll(keepingCapacity: true)
    }

    private func writeSoon() {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            guard let self else { return }
            // An error is kept, and thrown before the next event or effect.
            try? write { (state) throws(SystemError) in
                state.isDue = false
                try self.writePending(&state)
            }
        }
    }

    /// Waits until all lines are safe from a power failure.
    ///
    /// - Returns: Whether there was anything to wait for.
    /// - Throws: ``JournalError`` if writing fails; nothing more can be written after that.
    @discardableResult public func flush() throws(JournalError) -> Bool {
        try write { (state) throws(SystemError) in
            guard state.safeCount < state.lineCount else { return false }
            try self.writePending(&state)
            // Blobs must be on disk before a line that refers to them.
            try self.blobs.synchronize()
            try self.file.synchronize()
            state.safeCount = state.lineCount
            return true
        }
    }

    /// Is fulfilled when all lines are safe from a power failure: one flush for all who wait at the same time.
    ///
    /// No thread waits but the one of the flush, and events can be appended meanwhile.
    /// - Returns: A promise that is rejected with ``JournalError`` if writing fails.
    func flushed() -> Promise<Void> {
        Promise { resolver in
            let (isSafe, mustBegin) = try write { (state) throws(SystemError) in
                guard state.safeCount < state.lineCount else { return (true, false) }
                state.waiting.append((state.lineCount, resolver))
                defer { state.isFlushing = true }
                return (false, !state.isFlushing)
            }
            if isSafe { resolver.fulfill(()) }
            if mustBegin { Self.flushes.async { self.flushForAll() } }
        }
    }

    private static let flushes = DispatchQueue(label: "graphflow.journal")

    private func flushForAll() {
        while true {
            var failure: JournalError?
            do throws(JournalError) {
                let count = try write { (state) throws(SystemError) in
                    try self.writePending(&state)
                    return state.lineCount
                }
                // Without the lock, so that nobody who appends an event waits for the disk.
                do throws(SystemError) {
                    try blobs.synchronize()
                    try file.synchronize()
                } catch {
                    try write { (_) throws(SystemError) in throw error }
                }
                state.withLock { $0.safeCount = max($0.safeCount, count) }
            } catch {
                failure = error
            }
            let (safe, isOver) = state.withLock { [hasFailed = failure != nil] state in
                let safe = state.waiting.filter { hasFailed || $0.count <= state.safeCount }.map(\.resolver)
                state.waiting.removeAll { hasFailed || $0.count <= state.safeCount }
                state.isFlushing = !state.waiting.isEmpty
                return (safe, state.waiting.isEmpty)
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
        var json = output.jsonData(pretty: true)
        json.append(UInt8(ascii: "\n"))
        do throws(SystemError) {
            try folder.folder.replace(RunFolder.output) { [json] file throws(SystemError) in try file.write(json) }
        } catch {
            throw JournalError(.failed, "the output of the run \(header.run) cannot be written: \(error)")
        }
    }

    /// Holds the lock while it writes, because lines are ordered.
    private func write<Result: Sendable>(
        _ body: (inout State) throws(SystemError) -> Result
    ) throws(JournalError) -> Result {
        try state.withLock { state throws(JournalError) -> Result in
            if let failure = state.failure { throw failure }
            do throws(SystemError) {
                return try body(&state)
            } catch {
                let failure = JournalError(
                    error, "the journal of the run \(header.run) cannot be written",
                    hint: "the journal is intact: free some space, then continue with 'graphflow resume \(header.run)'")
                state.failure = failure
                throw failure
            }
        }
    }
}
