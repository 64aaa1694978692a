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
        /// Without their items; nil if a later one replaced it.
        package var changes: [ItemChange?]
        package var cursor: String
        /// The items that a reading of all did not see any more.
        package var removed: [String]
        /// Whether all items were read because the cursor had expired.
        package var isComparison: Bool
        /// How many items the first round has; nil in later ones.
        package var firstCount: Int?
    }

    /// What a page or the end of a round has added to the round.
    package struct Found: Sendable {
        package fileprivate(set) var items: [ChangeLog.Entry] = []
        /// Each with its number in the round.
        package fileprivate(set) var changes: [(number: Int, change: ItemChange)] = []
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
        /// Each change without its item, at the place of the item's last occurrence.
        var changes: [ItemChange?] = []
        /// What the answer that is being read has added.
        var found = Found()
        var places: [String: Int] = [:]
        var count = 0
        /// Whether something was found that may be written.
        var hasFound = false
        /// The items that a reading of all has seen.
        var seen: Set<ItemHash> = []
        /// How often it was read what changed since all items were read.
        var confirmations = 0
    }

    fileprivate enum Mode: Sendable { case first, changes, comparison }

    private static let longestPause = Duration.seconds(300)
    private static let mostRepetitions = 5
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
    /// - Returns: What was found, to write before the action is performed.
    package mutating func take(
        _ page: Value, knowing log: ChangeLog
    ) throws(JournalError) -> (found: Found, next: Action) {
        guard var reading, let items = page["value"]?.array else {
            return (Found(), failed(GraphError(.badAnswer, message: "The answer has no list of changes.")))
        }
        for item in items where item["root"] == nil {
            guard let id = item["id"]?.string, !id.isEmpty else {
                return (Found(), failed(GraphError(.badAnswer, message: "A change has no 'id'.")))
            }
            let isRemoved = item["@removed"] != nil || source.item == .driveItem && item["deleted"] != nil
            let version = isRemoved ? nil : item.version
            let members = item.members(of: id)
            let changedMembers = members.filter { log.version(of: $0.id) != $0.version }.map(\.id)
            reading.found.items.append((id, version))
            reading.found.items += members
            if reading.mode != .changes, !isRemoved { reading.seen.insert(ItemHash(id)) }
            if reading.mode == .comparison {
                for member in members where member.version != nil { reading.seen.insert(ItemHash(member.id)) }
            }
            let former = log.version(of: id)
            var kind = kind(of: item, version, former, reading.mode)
            if kind == nil, former != nil, !changedMembers.isEmpty { kind = .updated }
            // A group is listed several times, each time with some of its members.
            if kind != nil || members.isEmpty { reading.take(kind, id, item, changedMembers, of: source) }
        }
        let next = page["@odata.nextLink"]?.string
        if let next, !reading.visited.insert(next).inserted {
            // A service that has no further page yet may have one later; if it stays so, the round begins again.
            if failures >= Self.mostRepetitions {
                self.reading = Reading(mode: reading.mode, address: reading.mode == .changes ? self.cursor : nil)
            }
            return (Found(), failed(GraphError(.badAnswer, message: "The pages of the changes form a cycle.")))
        }
        guard let address = next ?? page["@odata.deltaLink"]?.string else {
            return (Found(), failed(GraphError(.badAnswer, message: "The last page of the changes has no cursor.")))
        }
        failures = 0
        let action: Action
        if let maximum = source.maximum, reading.count > maximum {
            action = .stop(.tooMany(maximum))
        } else if next != nil {
            reading.address = address
            action = .ask(address)
        } else {
            action = try end(&reading, at: address, knowing: log)
        }
        defer { self.reading = reading }
        return (reading.takeFound(), action)
    }

    private func end(
        _ reading: inout Reading, at cursor: String, knowing log: ChangeLog
    ) throws(JournalError) -> Action {
        var removed: [String] = []
        // A reading of all that ended early continues: what it did not list is neither removed nor new.
        guard
            reading.mode == .changes || reading.confirmations > 0 && reading.found.items.isEmpty
                || reading.confirmations >= Self.mostConfirmations
        else {
            reading.confirmations += 1
            reading.address = cursor
            return .ask(cursor)
        }
        if reading.mode == .comparison {
            removed = try log.missing(from: reading.seen)
            var groups: [String: [Value]] = [:]
            for id in removed {
                if source.item == .group, let space = id.firstIndex(of: " ") {
                    groups[String(id[..<space]), default: []].append(.removed(String(id[space...].dropFirst())))
                } else {
                    reading.take(.deleted, id, .removed(id), of: source)
                }
            }
            for (id, members) in groups.sorted(by: { $0.key < $1.key })
            where reading.places[id] == nil && log.version(of: id) != nil && reading.seen.contains(ItemHash(id)) {
                let item: Value = ["id": .string(id), "members@delta": .array(members)]
                reading.take(.updated, id, item, item.members(of: id).map(\.id), of: source)
            }
            if let maximum = source.maximum, reading.count > maximum { return .stop(.tooMany(maximum)) }
        }
        return .commit(
            Round(
                changes: reading.changes, cursor: cursor, removed: removed,
                isComparison: reading.mode == .comparison,
                firstCount: reading.mode == .first ? reading.seen.count : nil))
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
            guard let changed = changed?.string, let beginning = Date(rfc3339: time),
                let date = Date(rfc3339: changed)
            else { return nil }
            return date >= beginning ? .created : nil
        }
    }

    /// Takes a failure to get a page.
    package mutating func take(_ error: GraphError) -> Action {
        let code = error.serviceCode?.lowercased() ?? ""
        let isExpired = error.status == 410 || code.hasPrefix("syncstate") || code.hasPrefix("resync")
        // A link that Graph does not read any more is refused in several ways.
        let isUnread = error.status == 400 && reading?.address != nil
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
        // A cursor that Graph did not find for a while was found again; nothing is lost meanwhile.
        case .notFound where reading?.address != nil: return failed(error)
        case .forbidden, .unauthorized, .signInRequired, .notFound, .invalidInput, .invalidRequest:
            return .stop(.refused(error))
        default: return failed(error)
        }
    }

    private mutating func failed(_ error: GraphError) -> Action {
        failures += 1
        // A reading from the beginning finds again what it has found so far.
        if let former = reading, former.address == nil { reading = Reading(mode: former.mode) }
        return .pause(min(.seconds(1 << min(failures, 9)), Self.longestPause), error)
    }

    /// What to do after a pause.
    package var resumption: Action { .ask(reading?.address) }
    /// Whether nothing has been found in this round: what was written of it is forgotten.
    package var isAnew: Bool { reading?.hasFound != true }
    /// Whether the last answer was a page.
    package var isWell: Bool { failures == 0 }
}

extension ChangeFollower.Reading {
    fileprivate mutating func take(
        _ kind: ChangeSource.Kind?, _ id: String, _ item: Value, _ members: [String] = [], of source: ChangeSource
    ) {
        var members = members
        if let former = places.removeValue(forKey: id) {
            members += changes[former]?.members ?? []
            changes[former] = nil
            count -= 1
        }
        guard let kind, source.kinds.contains(kind) else { return }
        places[id] = changes.count
        let change = ItemChange(kind, id, item, members: members, of: source)
        found.changes.append((changes.count, change))
        changes.append(change.withoutItem)
        count += 1
    }

    fileprivate mutating func takeFound() -> ChangeFollower.Found {
        defer { found = ChangeFollower.Found() }
        hasFound = hasFound || !found.items.isEmpty || !found.changes.isEmpty
        return found
    }
}

extension Value {
    fileprivate static func removed(_ id: String) -> Value {
        ["id": .string(id), "@removed": ["reason": "deleted"]]
    }

    /// Of an item with an etag, which changes with much that no person sets.
    private static let setByPeople: Set<String> = [
        "attendees", "bccRecipients", "body", "cTag", "categories", "ccRecipients", "description", "end", "flag",
        "importance", "isAllDay", "isCancelled", "isRead", "location", "name", "recurrence", "replyTo", "sensitivity",
        "showAs", "start", "subject", "toRecipients",
    ]

    /// The same for equal items, whatever members of a group are listed with it.
    fileprivate var version: ItemVersion {
        let members = object ?? [:]
        if let etag = ObjectVersion.etag(of: self) {
            return ItemVersion(etag, members.filter { Self.setByPeople.contains($0.key) })
        }
        let content = members.filter { $0.key != Self.membersName }
        let text = String(decoding: Value.object(content).canonicalJSON, as: UTF8.self)
        return ItemVersion(text, content.filter { $0.key != "id" && !$0.key.hasPrefix("@") })
    }

    /// The members of a group that came or went, each as an item whose id has the group's before a space.
    fileprivate func members(of id: String) -> [ChangeLog.Entry] {
        (self[Self.membersName]?.array ?? []).compactMap { member in
            member["id"]?.string.map { ("\(id) \($0)", member["@removed"] == nil ? ItemVersion("") : nil) }
        }
    }

    private static let membersName = "members@delta"
}
