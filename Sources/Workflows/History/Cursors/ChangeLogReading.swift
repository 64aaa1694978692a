/// Identifies an item in memory: two hashes of its id, with seeds of this process.
package struct ItemHash: Sendable, Hashable {
    private let high: Int
    private let low: Int

    package init(_ id: String) {
        var hasher = Hasher()
        hasher.combine(id)
        low = hasher.finalize()
        hasher = Hasher()
        hasher.combine(low)
        hasher.combine(id)
        high = hasher.finalize()
    }
}

/// Which version of an item was seen: the beginning of a hash of its etag, or of its content where it has none.
///
/// It also has a digest of each property that people set, to tell who changed what. These do not make it another version.
package struct ItemVersion: Sendable, Hashable {
    private let number: UInt64
    /// Each with a hash of the name in the upper half.
    private let digests: [UInt64]

    package init(_ etag: String, _ properties: Object = [:]) {
        number = Self.hash(etag.utf8)
        digests = properties.map { Self.digest($0.value, of: $0.key) }
    }

    fileprivate init?(text: String) {
        let words = text.split(separator: " ").map { UInt64($0, radix: 16) }
        guard let number = words.first ?? nil, !words.contains(nil) else { return nil }
        self.number = number
        digests = words.dropFirst().compactMap(\.self)
    }

    fileprivate var text: String { ([number] + digests).map { String($0, radix: 16) }.joined(separator: " ") }

    package static func == (one: ItemVersion, other: ItemVersion) -> Bool { one.number == other.number }

    package func hash(into hasher: inout Hasher) { hasher.combine(number) }

    private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = SHA256()
        hash.update(Array(bytes))
        return hash.first64Bits
    }

    /// An empty value counts as a missing one, which Graph leaves out.
    private static func digest(_ value: Value, of name: String) -> UInt64 {
        let content = value.isNull || value == [] ? 0 : hash(value.canonicalJSON) >> 32
        return (hash(name.utf8) & ~0xFFFF_FFFF) | content
    }

    /// The properties by the hashes of their names.
    private var byName: [UInt64: UInt64] { Dictionary(digests.map { ($0 >> 32, $0) }) { $1 } }

    /// What became of a former version: whether it has these new values and no other difference, and whether it differs.
    /// - Parameters:
    ///   - former: The former version; nil for a new item.
    ///   - written: The new values; nil for any.
    ///   - ignored: Properties of a new item that the service sets.
    package func outcome(
        of former: ItemVersion?, with written: [String: Value?], ignoring ignored: [String] = []
    ) -> (isExact: Bool, hasChanged: Bool) {
        var expected = former?.byName ?? [:]
        var shown = byName
        for (name, value) in written {
            let empty = Self.digest(.null, of: name)
            let key = empty >> 32
            // What is not shown cannot be compared.
            guard shown[key] != nil || expected[key] != nil else { continue }
            expected[key] = value.map { Self.digest($0, of: name) } ?? shown[key] ?? empty
        }
        for name in former == nil ? ignored : [] {
            let key = Self.digest(.null, of: name) >> 32
            expected[key] = nil
            shown[key] = nil
        }
        func filled(_ digests: [UInt64: UInt64]) -> Set<UInt64> { Set(digests.values.filter { $0 << 32 != 0 }) }
        return (filled(shown) == filled(expected), filled(shown) != filled(former?.byName ?? [:]))
    }
}

/// The content of a ``ChangeLog``, up to its last complete round.
struct ChangeLogReading: Sendable {
    private static let format = "graphflow-changes"

    let id: String
    let source: String
    fileprivate(set) var versions: [ItemHash: ItemVersion] = [:]
    private(set) var cursor: String?
    private(set) var time: Date?
    private(set) var round = 0
    /// The events of the last round, if it is not known that they were passed on.
    var pending: PendingEvents?
    private(set) var end = AppendOnlyLog.End()
    /// About the size in bytes that the current items need.
    private(set) var neededSize = 0

    /// A source that has seen nothing.
    init() { (id, source) = ("", "") }

    static func read(
        _ path: String, for use: OpenFile.Use
    ) throws(JournalError) -> (ChangeLogReading, OpenFile) {
        do throws(JournalError) { return try readLines(path, for: use) } catch {
            guard error.code == .damaged else { throw error }
            throw JournalError(
                .damaged, error.message, hint: "move it away: the changes are followed from then on", line: error.line)
        }
    }

    private static func readLines(
        _ path: String, for use: OpenFile.Use
    ) throws(JournalError) -> (ChangeLogReading, OpenFile) {
        let (file, fileSize, source) = try OpenFile.log(path, for: use) { error in
            JournalError(error, "what is known of the changes in \(path) cannot be read")
        }
        var lines = LogReader("file \(path)", size: fileSize, from: source)
        guard let first = try lines.first(), var reading = try ChangeLogReading(first) else {
            throw JournalError(.damaged, "\(path) does not tell what is known of the changes")
        }
        reading.end = lines.end
        var open: [(String, ItemVersion?)] = []
        var (eventCount, roundStart) = (0, lines.end)
        var (written, size) = (0, 0)
        while true {
            let start = lines.end.size
            guard let members = try lines.next() else { break }
            if case .array(let flat)? = members["items"] {
                open += entries(flat)
                written += flat.count / 2
                size += lines.end.size - start
            } else if let envelope = members["event"] {
                guard (try? CloudEvent(envelope)) != nil else { throw damaged(lines.end.lineCount) }
                eventCount += 1
            } else if let cursor = members["cursor"]?.string, let round = members["round"]?.integer,
                let time = members["at"]?.string.flatMap({ Date(iso8601: $0) })
            {
                reading.endRound(open.map { (key: ItemHash($0.0), value: $0.1) }, cursor: cursor, at: time)
                (reading.round, reading.end) = (round, lines.end)
                let leftOut = (members["left"]?.array ?? []).compactMap(\.integer)
                if eventCount > leftOut.count {
                    reading.keepEvents(in: path, from: roundStart, to: lines.end, leavingOut: leftOut)
                }
                (open, eventCount, roundStart) = ([], 0, lines.end)
            } else if members["delivered"] != nil {
                (reading.pending, reading.end, roundStart) = (nil, lines.end, lines.end)
            } else {
                throw damaged(lines.end.lineCount)
            }
        }
        reading.neededSize = written == 0 ? 0 : size / written * reading.versions.count
        return (reading, file)
    }

    private static func damaged(_ line: Int) -> JournalError {
        JournalLine.damaged(line, of: "file of changes", "it is not a line of it")
    }

    private init?(_ header: Object) throws(JournalError) {
        guard header["format"]?.string == Self.format, let id = header["log"]?.string,
            let source = header["source"]?.string
        else { return nil }
        guard header["version"] == 1 else {
            throw JournalError(.newerVersion, "it was written by a newer version of graphflow", line: 1)
        }
        (self.id, self.source) = (id, source)
    }

    mutating func endRound(
        _ items: some Sequence<(key: ItemHash, value: ItemVersion?)>, cursor: String, at time: Date
    ) {
        for (key, version) in items { versions[key] = version }
        (pending, self.cursor, self.time) = (nil, cursor, time)
        round += 1
    }

    /// Remembers where the events of the round are that ended last.
    mutating func keepEvents(
        in path: String, from start: AppendOnlyLog.End, to end: AppendOnlyLog.End, leavingOut leftOut: [Int]
    ) {
        let ids = Set(leftOut.map { eventID($0, ofRound: round) })
        pending = PendingEvents(path: path, start: start, end: end, leftOut: ids)
    }

    func eventID(_ number: Int, ofRound round: Int) -> String { "\(id)-\(round)-\(number)" }

    /// Visits the current version of each item once, in the order of the file up to an end.
    static func forEachCurrent(
        in path: String, of reading: ChangeLogReading, upTo end: AppendOnlyLog.End,
        _ visit: (String, ItemVersion) -> Void
    ) throws(JournalError) {
        var left = reading.versions
        let (_, size, source) = try OpenFile.log(path, for: .reading) { JournalError($0, "\(path) cannot be read") }
        var lines = LogReader("file \(path)", size: min(size, end.size), from: source)
        _ = try lines.first()
        while !left.isEmpty, let members = try lines.next() {
            guard case .array(let flat)? = members["items"] else { continue }
            for (id, version) in entries(flat) {
                let key = ItemHash(id)
                guard let version, left[key] == version else { continue }
                left[key] = nil
                visit(id, version)
            }
        }
    }

    // MARK: Lines

    private static func entries(_ flat: [Value]) -> [(String, ItemVersion?)] {
        stride(from: 0, to: flat.count - 1, by: 2).compactMap { index in
            flat[index].string.map { ($0, flat[index + 1].string.flatMap { ItemVersion(text: $0) }) }
        }
    }

    static let delivered = Array(#"{"delivered":true}"#.utf8)

    static func header(_ id: String, _ source: String) -> [UInt8] {
        let members: Value = [
            "format": .string(format), "version": 1, "log": .string(id), "source": .string(source),
        ]
        return Array(members.jsonData())
    }

    static func line(of items: ArraySlice<ChangeLog.Entry>) -> [UInt8] {
        let flat = items.flatMap { [Value.string($0.id), $0.version.map { .string($0.text) } ?? .null] }
        return Array(Value.object(["items": .array(flat)]).jsonData())
    }

    static func line(of event: CloudEvent) -> [UInt8] {
        Array(Value.object(["event": event.envelope]).jsonData())
    }

    static func line(
        ofRound round: Int, cursor: String, at time: Date, leavingOut leftOut: [Int] = []
    ) -> [UInt8] {
        var members: Object = [
            "cursor": .string(cursor), "round": .integer(round), "at": .string(time.iso8601),
        ]
        if !leftOut.isEmpty { members["left"] = .array(leftOut.map { .integer($0) }) }
        return Array(Value.object(members).jsonData())
    }
}

/// The events of a round on disk that were not passed on.
package struct PendingEvents: Sendable {
    /// So many are in memory at once: an item may have megabytes.
    private static let mostAtOnce = 200

    fileprivate let path: String
    fileprivate let start: AppendOnlyLog.End
    fileprivate let end: AppendOnlyLog.End
    fileprivate let leftOut: Set<String>

    /// Visits them in order, some at a time.
    package func forEachPart(_ visit: ([CloudEvent]) throws -> Void) throws {
        let (_, _, source) = try OpenFile.log(path, for: .reading) { JournalError($0, "\(path) cannot be read") }
        var lines = LogReader("file \(path)", size: end.size, after: start, from: source)
        var part: [CloudEvent] = []
        while let members = try lines.next() {
            guard let envelope = members["event"], let event = try? CloudEvent(envelope), !leftOut.contains(event.id)
            else { continue }
            part.append(event)
            if part.count == Self.mostAtOnce {
                try visit(part)
                part = []
            }
        }
        if !part.isEmpty { try visit(part) }
    }
}
