import Essentials

/// The files of an inbox: the last segment is written, the others are read or only remembered by their keys.
struct InboxStore {
    let folder: PrivateFolder
    let id: String
    private(set) var segments: [InboxSegment]
    /// The keys of the events that do not start a run again.
    private(set) var seen: Set<EventKey>
    private var log: AppendOnlyLog
    private let lock: FileLock
    /// Whether the folder is this process's.
    private(set) var isOpen = true

    var failure: SystemError? { log.failure }
    var end: Int { segments.last?.end ?? 0 }

    /// Opens the inbox in a folder, which is created if it does not exist.
    static func open(_ folder: PrivateFolder, at now: Date) throws(JournalError) -> (
        store: InboxStore, cursors: [String: InboxCursor]
    ) {
        let lock: FileLock
        do throws(SystemError) { try folder.makeWithParents() } catch { throw unusable(folder, error) }
        do throws(FileLock.Failure) { lock = try FileLock(folder.path(of: "lock"), patience: 1) } catch {
            switch error {
            case .held(let holder):
                let process = holder.prefix { $0 != " " }
                throw JournalError(
                    .held, "another service (process \(process)) keeps its events in \(folder.path)",
                    hint: "listen at another port, or set GRAPHFLOW_HOME to a folder for this service")
            case .system(let error): throw unusable(folder, error)
            }
        }
        do {
            var reading = InboxReading(folder)
            try reading.read()
            if reading.last == nil { try reading.begin(at: now) }
            guard let last = reading.last else { throw SystemError("it has no last segment") }
            let store = InboxStore(
                folder: folder, id: last.id, segments: reading.segments, seen: reading.seen, log: last.log, lock: lock)
            return (store, reading.cursors)
        } catch {
            lock.release()
            throw error as? JournalError ?? unusable(folder, error as? SystemError ?? SystemError("\(error)"))
        }
    }

    static func unusable(_ folder: PrivateFolder, _ error: SystemError) -> JournalError {
        JournalError(error, "the accepted events in \(folder.path) cannot be used")
    }

    /// Writes lines at the end, all or none.
    /// - Parameters:
    ///   - lines: The lines as JSON.
    ///   - keys: The keys of the events in them.
    ///   - isDurable: Whether they must survive a power failure.
    mutating func write(
        _ lines: [[UInt8]], keys: [EventKey], isDurable: Bool, at now: Date
    ) throws(SystemError) {
        try log.append(lines)
        if isDurable { try log.synchronize() }
        seen.formUnion(keys)
        segments[segments.count - 1].size = log.end.size
        segments[segments.count - 1].end += keys.count
        if !keys.isEmpty { segments[segments.count - 1].newest = now }
    }

    mutating func rotate(_ cursors: [String: InboxCursor], at now: Date) throws(SystemError) {
        try log.synchronize()
        log = try Self.begin(InboxHeader(id: id, first: end, cursors: cursors), in: folder)
        segments.append(InboxSegment(first: end, end: end, size: log.end.size, newest: now))
    }

    /// Writes the first line of a segment, which appears together with it.
    static func begin(_ header: InboxHeader, in folder: PrivateFolder) throws(SystemError) -> AppendOnlyLog {
        try AppendOnlyLog(
            creating: InboxSegment.name(of: header.first, InboxSegment.events), in: folder, header.json)
    }

    /// Keeps only the keys of segments whose events are all settled, and forgets keys that are no longer needed.
    /// - Parameters:
    ///   - settled: Every event before this position is settled.
    ///   - count: The minimum number of the newest events that are recognised.
    ///   - moment: Events since then are recognised.
    mutating func tidy(settled: Int, keeping count: Int, since moment: Date) throws(SystemError) {
        for index in segments.indices.dropLast() where !segments[index].isOver && segments[index].end <= settled {
            let former = segments[index].name
            let keys = try InboxReading.keys(in: folder, segments[index])
            segments[index].isOver = true
            try folder.replace(segments[index].name) { file throws(SystemError) in
                try file.write(keys.flatMap(\.bytes))
            }
            try folder.synchronize()
            _ = unsafe unlink(folder.path(of: former))
        }
        while let first = segments.first, first.isOver, first.end <= end - count, first.newest < moment {
            seen.subtract(try InboxReading.keys(in: folder, first))
            _ = unsafe unlink(folder.path(of: first.name))
            segments.removeFirst()
        }
    }

    mutating func close() {
        if isOpen { lock.release() }
        isOpen = false
    }
}
