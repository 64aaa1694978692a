/// What a source of changes has seen, on disk: its cursor, the version of each item, and the last round's events.
///
/// A round is written while it is read, with the cursor after it in its last line: a round without that line has not
/// happened. Its events are passed on again until ``delivered()`` is noted, and have the same ids then.
package struct ChangeLog: Sendable {
    /// An item of a round; nil if it was removed.
    package typealias Entry = (id: String, version: ItemVersion?)

    private static let name = "changes.jsonl"
    private static let newName = "changes.new"
    private static let lockName = "lock"
    private static let mostInLine = 1_000
    /// How many bytes are written before what is superseded is removed, beyond twice those that were needed last.
    private static let slack = 8 << 20

    private let folder: PrivateFolder
    /// Nil for a reader.
    private var writer: (log: AppendOnlyLog, lock: FileLock)?
    private var reading: ChangeLogReading
    /// The end of the last complete round.
    private var committed: AppendOnlyLog.End
    /// The items of the round that is being read.
    private var open: [ItemHash: ItemVersion?] = [:]
    private var openCount = 0
    private var openEventCount = 0
    /// About the size in bytes that the file has without what is superseded.
    private var compactSize = 0

    /// Where the next round begins; nil before the first round has ended.
    package var cursor: String? { reading.cursor }
    /// When the last round that was written began; nil before the first.
    package var writtenAt: Date? { reading.time }
    /// The events of the last round, if it is not known that they were passed on.
    package var undelivered: PendingEvents? { reading.pending }
    /// Whether the round that is being read has items.
    package var hasOpenItems: Bool { openCount > 0 }
    /// The number of items that the source has.
    package var count: Int { reading.versions.count }

    /// Opens the log in a folder, which is created if it does not exist; one process at a time.
    /// - Parameters:
    ///   - source: What it is the log of, in words.
    ///   - patience: How long to wait for another process, in seconds.
    package init(
        in folder: PrivateFolder, of source: String, at now: Date, patience: Double = 1
    ) throws(JournalError) {
        self.folder = folder
        let lock: FileLock
        do throws(SystemError) { try folder.makeWithParents() } catch { throw Self.unusable(folder, error) }
        do throws(FileLock.Failure) { lock = try FileLock(folder.path(of: Self.lockName), patience: patience) } catch {
            switch error {
            case .held(let holder):
                throw JournalError(
                    .held, "another process (\(holder.prefix { $0 != " " })) follows the changes of \(source)",
                    hint: "stop it, or set GRAPHFLOW_HOME to a folder for this service")
            case .system(let error): throw Self.unusable(folder, error)
            }
        }
        do {
            try? folder.removeLeftovers(of: Self.name)
            if !FileManager.default.fileExists(atPath: folder.path(of: Self.name)) {
                let header = ChangeLogReading.header(ULID(at: now).description, source)
                _ = try AppendOnlyLog(creating: Self.name, in: folder, header)
            }
            let (reading, file) = try ChangeLogReading.read(folder.path(of: Self.name), for: .appending)
            (self.reading, committed, compactSize) = (reading, reading.end, reading.neededSize)
            writer = (try AppendOnlyLog(file, after: reading.end), lock)
        } catch {
            lock.release()
            throw error as? JournalError ?? Self.unusable(folder, error as? SystemError ?? SystemError("\(error)"))
        }
    }

    /// Reads the log in a folder without changing it; if there is none, the source has seen nothing.
    package init(reading folder: PrivateFolder) throws(JournalError) {
        self.folder = folder
        reading = ChangeLogReading()
        if FileManager.default.fileExists(atPath: folder.path(of: Self.name)) {
            (reading, _) = try ChangeLogReading.read(folder.path(of: Self.name), for: .reading)
        }
        committed = reading.end
    }

    private static func unusable(_ folder: PrivateFolder, _ error: SystemError) -> JournalError {
        JournalError(error, "what is known of the changes in \(folder.path) cannot be used")
    }

    /// The version of an item at the end of the last round; nil if the source does not have it.
    package func version(of id: String) -> ItemVersion? { reading.versions[ItemHash(id)] }

    /// The version of an item with the round that is being read.
    package func newVersion(of id: String) -> ItemVersion? { open[ItemHash(id)] ?? version(of: id) }

    /// The items that the round that is being read has listed.
    package var listed: some Sequence<ItemHash> { open.keys }

    /// The ids of the items that the source had and a reading of all items did not see.
    package func missing(from seen: Set<ItemHash>) throws(JournalError) -> [String] {
        var missing: [String] = []
        try ChangeLogReading.forEachCurrent(in: folder.path(of: Self.name), of: reading, upTo: committed) { id, _ in
            if !seen.contains(ItemHash(id)) { missing.append(id) }
        }
        return missing
    }

    /// The id of an event of the next round.
    /// - Parameter number: Its number in the round, from 0.
    package func eventID(_ number: Int) -> String { reading.eventID(number, ofRound: reading.round + 1) }

    /// Takes items and events of the round that is being read; nothing is certain before
    /// ``commit(leavingOut:cursor:at:)``.
    package mutating func note(_ items: [Entry], _ events: [CloudEvent] = []) throws(JournalError) {
        for start in stride(from: 0, to: items.count, by: Self.mostInLine) {
            let part = items[start..<min(items.count, start + Self.mostInLine)]
            try append([ChangeLogReading.line(of: part)])
        }
        for item in items { open[ItemHash(item.id)] = .some(item.version) }
        openCount += items.count
        if !events.isEmpty { try append(events.map { ChangeLogReading.line(of: $0) }) }
        openEventCount += events.count
    }

    /// Ends the round: it survives a power failure when this returns.
    /// - Parameter leftOut: The numbers of events that are not passed on.
    package mutating func commit(
        leavingOut leftOut: [Int] = [], cursor: String, at now: Date
    ) throws(JournalError) {
        try append([
            ChangeLogReading.line(ofRound: reading.round + 1, cursor: cursor, at: now, leavingOut: leftOut)
        ])
        try synchronize()
        let start = committed
        if let end = writer?.log.end { committed = end }
        reading.endRound(open, cursor: cursor, at: now)
        if openEventCount > leftOut.count {
            reading.keepEvents(in: folder.path(of: Self.name), from: start, to: committed, leavingOut: leftOut)
        }
        forget()
        compactIfLong()
    }

    private mutating func forget() { (open, openCount, openEventCount) = ([:], 0, 0) }

    /// Forgets the round that is being read.
    package mutating func abandon() throws(JournalError) {
        forget()
        guard let writer, writer.log.end != committed else { return }
        do throws(SystemError) {
            self.writer?.log = try AppendOnlyLog(writer.log.file, after: committed)
        } catch { throw Self.unusable(folder, error) }
    }

    /// Notes that the events of the last round were passed on, to an inbox that keeps them.
    package mutating func delivered() throws(JournalError) {
        guard reading.pending != nil else { return }
        try append([ChangeLogReading.delivered])
        if let end = writer?.log.end { committed = end }
        reading.pending = nil
        compactIfLong()
    }

    /// Lets other processes follow; nothing more can be written.
    package mutating func close() {
        writer?.lock.release()
        writer = nil
    }

    private mutating func append(_ lines: [[UInt8]]) throws(JournalError) {
        do throws(SystemError) {
            guard writer != nil else { throw SystemError("it is closed") }
            try writer?.log.append(lines)
        } catch { throw Self.unusable(folder, error) }
    }

    private mutating func synchronize() throws(JournalError) {
        do throws(SystemError) { try writer?.log.synchronize() } catch { throw Self.unusable(folder, error) }
    }

    private mutating func compactIfLong() {
        // A failure leaves the longer file, which is as good.
        if reading.pending == nil, committed.size > 2 * compactSize + Self.slack { try? compact() }
    }

    /// Writes the log anew with the current items only.
    private mutating func compact() throws {
        guard let cursor, let time = reading.time else { return }
        var log = try AppendOnlyLog(
            creating: Self.newName, in: folder, ChangeLogReading.header(reading.id, reading.source))
        var items: [Entry] = []
        var failure: (any Error)?
        func write() {
            do { try log.append([ChangeLogReading.line(of: items[...])]) } catch { failure = error }
            items = []
        }
        try ChangeLogReading.forEachCurrent(in: folder.path(of: Self.name), of: reading, upTo: committed) {
            id, version in
            items.append((id, version))
            if items.count == Self.mostInLine { write() }
        }
        if !items.isEmpty { write() }
        if let failure { throw failure }
        try log.append([ChangeLogReading.line(ofRound: reading.round, cursor: cursor, at: time)])
        try log.synchronize()
        guard unsafe rename(folder.path(of: Self.newName), folder.path(of: Self.name)) == 0 else {
            throw SystemError.last
        }
        try folder.synchronize()
        writer?.log = log
        (committed, compactSize) = (log.end, log.end.size)
    }
}
