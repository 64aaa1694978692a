import Essentials

struct InboxReading {
    private let folder: PrivateFolder
    /// Whether another service writes the inbox, of which nothing is changed.
    private let isOfOther: Bool
    private(set) var segments: [InboxSegment] = []
    private(set) var seen: Set<EventKey> = []
    private(set) var cursors: [String: InboxCursor] = [:]
    private(set) var last: (id: String, log: AppendOnlyLog)?

    init(_ folder: PrivateFolder, isOfOther: Bool = false) { (self.folder, self.isOfOther) = (folder, isOfOther) }

    mutating func begin(at now: Date) throws {
        let header = InboxHeader(id: ULID(at: now).description, first: segments.last?.end ?? 0, cursors: cursors)
        let log = try InboxStore.begin(header, in: folder)
        segments.append(InboxSegment(first: header.first, end: header.first, size: log.end.size, newest: now))
        last = (header.id, log)
    }

    mutating func read() throws {
        let names = try folder.names()
        let over = names.compactMap { InboxSegment.first(in: $0, InboxSegment.keys) }.sorted()
        for first in over {
            let file = try OpenFile(folder.path(of: InboxSegment.name(of: first, InboxSegment.keys)), for: .reading)
            let keys = try Self.keys(in: file)
            seen.formUnion(keys)
            segments.append(
                InboxSegment(first: first, end: first + keys.count, newest: try file.changedAt, isOver: true))
        }
        let open = names.compactMap { InboxSegment.first(in: $0, InboxSegment.events) }.sorted()
        for first in open {
            let name = InboxSegment.name(of: first, InboxSegment.events)
            // The program ended after it wrote the keys and before it removed the segment.
            guard !over.contains(first) else {
                if !isOfOther { _ = unsafe unlink(folder.path(of: name)) }
                continue
            }
            do {
                try read(first, name, isLast: first == open.last)
            } catch let error as JournalError {
                throw JournalError(
                    error.code, "the accepted events in \(folder.path(of: name)) cannot be read: \(error.message)",
                    hint: "move the file away to continue without its events", line: error.line)
            }
        }
        segments.sort { $0.first < $1.first }
    }

    /// Reads a segment; an incomplete end is cut off.
    private mutating func read(_ first: Int, _ name: String, isLast: Bool) throws {
        let file = try OpenFile(folder.path(of: name), for: isLast && !isOfOther ? .appending : .reading)
        let size = try file.size
        var lines = LogReader("journal", size: size, from: file.source())
        guard let members = try lines.first() else {
            throw JournalError(.damaged, "its first line is incomplete", line: 1)
        }
        let header = try InboxHeader(members)
        guard header.first == first else { throw JournalLine.damaged(1, "it belongs to another file") }
        cursors = header.cursors
        var (end, whole, delivery) = (first, lines.end, [EventKey]())
        while let members = try lines.next() {
            switch InboxLine(members) {
            case .event(let event, let isLast):
                delivery.append(EventKey(event))
                guard isLast else { continue }
                seen.formUnion(delivery)
                end += delivery.count
                delivery = []
            case .begun(let workflow, let from):
                cursors[workflow] = cursors[workflow] ?? InboxCursor(at: from)
            case .settled(let workflow, let range):
                cursors[workflow, default: InboxCursor(at: range.lowerBound)].settle(range)
            case nil: throw JournalLine.damaged(lines.end.lineCount, "it is not a line of an inbox")
            }
            // Events that arrived together count only if the last of them was written.
            whole = lines.end
        }
        guard isLast || whole.size == size else {
            throw JournalLine.damaged(lines.end.lineCount + 1, "it is incomplete")
        }
        if isLast, !isOfOther { last = (header.id, try AppendOnlyLog(file, after: whole)) }
        segments.append(InboxSegment(first: first, end: end, size: whole.size, newest: try file.changedAt))
    }

    static func keys(in folder: PrivateFolder, _ segment: InboxSegment) throws(SystemError) -> [EventKey] {
        let file = try OpenFile(folder.path(of: segment.name), for: .reading)
        guard !segment.isOver else { return try keys(in: file) }
        var (lines, keys) = (JournalLines(size: segment.size), [EventKey]())
        do throws(JournalError) {
            while let line = try lines.next(number: 0, from: file.source()) {
                guard let members = (try? Value(json: line))?.object, case .event(let event, _)? = InboxLine(members)
                else { continue }
                keys.append(EventKey(event))
            }
        } catch { throw SystemError(error.message) }
        guard keys.count == segment.end - segment.first else { throw SystemError("it has changed") }
        return keys
    }

    private static func keys(in file: OpenFile) throws(SystemError) -> [EventKey] {
        let bytes = try file.read(from: 0, count: try file.size)
        return stride(from: 0, to: bytes.count - EventKey.size + 1, by: EventKey.size).map { start in
            EventKey(bytes[start..<start + EventKey.size])
        }
    }
}

extension Inbox {
    /// The keys of the events that other services of the same home have accepted.
    package func othersKeys() throws -> Set<EventKey> {
        let home = URL(fileURLWithPath: folder.path).deletingLastPathComponent()
        return try FileManager.default.contentsOfDirectory(atPath: home.path).reduce(into: []) { keys, name in
            var other = InboxReading(PrivateFolder(path: home.appendingPathComponent(name).path), isOfOther: true)
            guard name != URL(fileURLWithPath: folder.path).lastPathComponent else { return }
            try other.read()
            keys.formUnion(other.seen)
        }
    }
}
