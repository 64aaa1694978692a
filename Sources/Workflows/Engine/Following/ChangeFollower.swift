/// Follows a source of changes: takes what Microsoft Graph answers, and returns what to do next.
///
/// A round reads all pages after the cursor. Only the last occurrence of an item counts. A cursor that expired is
/// replaced by a reading of all items, which are compared with those that the source had. It is a value without clock,
/// network or disk.
package struct ChangeFollower: Sendable {
    package enum Action: Sendable {
        /// Ask for the page at the address that Graph gave; nil for the beginning of the source.
        case ask(String?)
        /// Write the round, call ``committed(_:)``, and begin the next one when it is due.
        case commit(Round)
        /// Forget the items of the round, and ask again for all.
        case compare(GraphError)
        /// Ask again after a pause; the service said why it gave no page.
        case pause(Duration, GraphError)
        /// Nothing more can be done without a person.
        case stop(Stop)
    }

    /// A round that has been read.
    package struct Round: Sendable {
        package var changes: [ItemChange]
        package var cursor: String
        /// The items that a reading of all did not see any more.
        package var removed: [String]
        /// Whether all items were read because the cursor had expired.
        package var isComparison: Bool
        /// Whether it is the first round.
        package var isFirst: Bool
    }

    package enum Stop: Error, Sendable {
        case tooMany(Int)
        case refused(GraphError)

        /// The reason and what to do, in one sentence without a full stop.
        package func words(for source: ChangeSource) -> String {
            switch self {
            case .tooMany(let count):
                "a round has more than \(count) changes; its cursor is kept, so raise 'maximum' of the source to take "
                    + "them, or use 'graphflow changes FILE --skip' to leave them out"
            case .refused(let error):
                "\(error.message) \(error.hint ?? "")".trimming(\.isWhitespace)
            }
        }
    }

    fileprivate struct Reading: Sendable {
        var mode: Mode
        var address: String?
        var visited: Set<String> = []
        /// Each change, at the place of its item's last occurrence.
        var changes: [ItemChange?] = []
        var places: [String: Int] = [:]
        var count = 0
        /// The items that a comparison has seen.
        var seen: Set<ItemHash> = []
        /// How often it was read what changed since all items were read.
        var confirmations = 0
    }

    fileprivate enum Mode: Sendable { case first, changes, comparison }

    private static let longestPause = Duration.seconds(300)
    /// A source in which something always changes is never quiet.
    private static let mostConfirmations = 5

    package let source: ChangeSource
    private var cursor: String?
    private var reading: Reading?
    private var failures = 0

    package init(_ source: ChangeSource, from cursor: String?) { (self.source, self.cursor) = (source, cursor) }

    /// Begins the next round.
    package mutating func begin() -> Action {
        let reading = Reading(mode: cursor == nil ? .first : .changes, address: cursor)
        self.reading = reading
        return .ask(reading.address)
    }

    package mutating func committed(_ round: Round) { (cursor, reading) = (round.cursor, nil) }

    /// Takes a page.
    /// - Parameter log: The items of the earlier rounds.
    /// - Returns: The page's items, to write before the action is performed.
    package mutating func take(
        _ page: Value, knowing log: ChangeLog
    ) throws(JournalError) -> (items: [ChangeLog.Entry], next: Action) {
        guard var reading, let items = page["value"]?.array else {
            return ([], failed(GraphError(.badAnswer, message: "The answer has no list of changes.")))
        }
        var entries: [ChangeLog.Entry] = []
        for item in items where item["root"] == nil {
            guard let id = item["id"]?.string, !id.isEmpty else {
                return ([], failed(GraphError(.badAnswer, message: "A change has no 'id'.")))
            }
            let isRemoved = item["@removed"] != nil || source.item == .driveItem && item["deleted"] != nil
            let version = isRemoved ? nil : ItemVersion(ObjectVersion.etag(of: item) ?? item.canonicalText)
            entries.append((id, version))
            if reading.mode == .comparison { reading.seen.insert(ItemHash(id)) }
            reading.take(kind(of: item, version, log.version(of: id), reading.mode), id, item, of: source)
        }
        self.reading = reading
        guard reading.count <= source.maximum else { return (entries, .stop(.tooMany(source.maximum))) }
        failures = 0
        if let next = page["@odata.nextLink"]?.string {
            guard reading.visited.insert(next).inserted else {
                return ([], failed(GraphError(.badAnswer, message: "The pages of the changes form a cycle.")))
            }
            reading.address = next
            self.reading = reading
            return (entries, .ask(next))
        }
        guard let cursor = page["@odata.deltaLink"]?.string else {
            return ([], failed(GraphError(.badAnswer, message: "The last page of the changes has no cursor.")))
        }
        return (entries, try end(reading, at: cursor, items.isEmpty, knowing: log))
    }

    private mutating func end(
        _ reading: Reading, at cursor: String, _ isQuiet: Bool, knowing log: ChangeLog
    ) throws(JournalError) -> Action {
        var reading = reading
        var removed: [String] = []
        if reading.mode == .comparison {
            // A reading that ended early continues here: what it did not list is not removed.
            guard reading.confirmations > 0 && isQuiet || reading.confirmations >= Self.mostConfirmations else {
                reading.confirmations += 1
                reading.address = cursor
                self.reading = reading
                return .ask(cursor)
            }
            removed = try log.missing(from: reading.seen)
            for id in removed {
                let item: Value = ["id": .string(id), "@removed": ["reason": "deleted"]]
                reading.take(.deleted, id, item, of: source)
            }
            self.reading = reading
            guard reading.count <= source.maximum else { return .stop(.tooMany(source.maximum)) }
        }
        return .commit(
            Round(
                changes: reading.changes.compactMap(\.self), cursor: cursor, removed: removed,
                isComparison: reading.mode == .comparison, isFirst: reading.mode == .first))
    }

    private func kind(
        of item: Value, _ version: ItemVersion?, _ former: ItemVersion?, _ mode: Mode
    ) -> ChangeSource.Kind? {
        guard let version else { return former == nil ? nil : .deleted }
        guard mode == .first else { return former == nil ? .created : former == version ? nil : .updated }
        switch source.since {
        case .now: return nil
        case .all: return .created
        case .time(let time):
            let changed = item["receivedDateTime"] ?? item["lastModifiedDateTime"]
            guard let changed = changed?.string, let beginning = Date.ofService(time),
                let date = Date.ofService(changed)
            else { return nil }
            return date >= beginning ? .created : nil
        }
    }

    /// Takes a failure to get a page.
    package mutating func take(_ error: GraphError) -> Action {
        let code = error.serviceCode?.lowercased() ?? ""
        let isExpired = error.status == 410 || code.hasPrefix("syncstate") || code.hasPrefix("resync")
        // A cursor that Graph does not read any more is refused in several ways.
        let isUnread = error.status == 400 && reading?.address != nil && reading?.mode == .changes
        if isExpired || isUnread {
            guard reading?.mode == .changes else {
                // It was read from the beginning.
                reading = Reading(mode: reading?.mode ?? .first)
                return failed(error)
            }
            reading = Reading(mode: .comparison)
            return .compare(error)
        }
        switch error.code {
        case .forbidden, .unauthorized, .signInRequired, .notFound, .invalidInput, .invalidRequest:
            return .stop(.refused(error))
        default: return failed(error)
        }
    }

    private mutating func failed(_ error: GraphError) -> Action {
        failures += 1
        return .pause(min(.seconds(1 << min(failures, 9)), Self.longestPause), error)
    }

    /// The address to ask after a pause.
    package var address: String? { reading?.address }
    /// Whether the last answer was a page.
    package var isWell: Bool { failures == 0 }
}

extension ChangeFollower.Reading {
    fileprivate mutating func take(
        _ kind: ChangeSource.Kind?, _ id: String, _ item: Value, of source: ChangeSource
    ) {
        if let former = places.removeValue(forKey: id) {
            changes[former] = nil
            count -= 1
        }
        guard let kind, source.kinds.contains(kind) else { return }
        places[id] = changes.count
        changes.append(ItemChange(kind, id, item, of: source))
        count += 1
    }
}

extension Value {
    /// The value as a text that is the same for equal values.
    fileprivate var canonicalText: String { String(decoding: canonicalJSON, as: UTF8.self) }
}

extension Date {
    /// A time of RFC 3339, with or without fractions of a second.
    static func ofService(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
