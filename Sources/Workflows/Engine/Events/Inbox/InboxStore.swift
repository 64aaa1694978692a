import Essentials

/// The files of an inbox: the last segment is written, the others are read or only remembered by their keys.
struct InboxStore {
    let folder: PrivateFolder
    let id: String
    private(set) var segments: [InboxSegment]
    /// The keys of the events that are not run again.
    private(set) var seen: Set<EventKey>
    private var file: OpenFile
    private var lineCount: Int
    private var checksum: String
    private let lock: FileLock
    /// Why nothing more can be written.
    private(set) var failure: SystemError?

    /// The position after the last event.
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
                folder: folder, id: last.id, segments: reading.segments, seen: reading.seen, file: last.file,
                lineCount: last.lineCount, checksum: last.checksum, lock: lock, failure: nil)
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
    ///   - isDurable: Whether they must survive a loss of power.
    mutating func write(
        _ lines: [[UInt8]], keys: [EventKey], isDurable: Bool, at now: Date
    ) throws(SystemError) {
        if let failure { throw failure }
        var bytes: [UInt8] = []
        var (number, checksum) = (lineCount, checksum)
        for line in lines {
            number += 1
            checksum = JournalLine.append(line, to: &bytes, number: number, after: checksum)
        }
        let size = segments[segments.count - 1].size
        do throws(SystemError) { try file.write(bytes) } catch {
            // What was written of it must not stand before the next line.
            do throws(SystemError) { try file.truncate(to: size) } catch { failure = error }
            throw error
        }
        if isDurable {
            // After a failure nothing is known of what is on disk.
            do throws(SystemError) { try file.synchronize() } catch {
                failure = error
                throw error
            }
        }
        (lineCount, self.checksum) = (number, checksum)
        seen.formUnion(keys)
        segments[segments.count - 1].size = size + bytes.count
        segments[segments.count - 1].end += keys.count
        if !keys.isEmpty { segments[segments.count - 1].newest = now }
    }

    /// Begins the next segment.
    mutating func rotate(_ cursors: [String: InboxCursor], at now: Date) throws(SystemError) {
        try file.synchronize()
        let begun = try Self.begin(InboxHeader(id: id, first: end, cursors: cursors), in: folder)
        segments.append(InboxSegment(first: end, end: end, size: begun.size, newest: now))
        (file, lineCount, checksum) = (begun.file, 1, begun.checksum)
    }

    /// Writes the first line of a segment, which appears with it.
    static func begin(
        _ header: InboxHeader, in folder: PrivateFolder
    ) throws(SystemError) -> (file: OpenFile, size: Int, checksum: String) {
        var bytes: [UInt8] = []
        let checksum = JournalLine.append(header.json, to: &bytes, number: 1, after: "")
        let name = InboxSegment.name(of: header.first, InboxSegment.events)
        try folder.replace(name) { [bytes] file throws(SystemError) in try file.write(bytes) }
        try folder.synchronize()
        return (try OpenFile(folder.path(of: name), for: .appending), bytes.count, checksum)
    }

    /// Keeps only the keys of segments whose events are all settled, and forgets keys that are no longer needed.
    /// - Parameters:
    ///   - settled: Every event before this position is settled.
    ///   - count: How many of the newest events are recognised at least.
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

    /// Releases the lock.
    func close() { lock.release() }
}
