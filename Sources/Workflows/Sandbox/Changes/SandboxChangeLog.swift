/// A collection whose changes can be read by a delta query.
enum SandboxFeed: Hashable {
    case messages(owner: String, SandboxMessage.Folder)
    case folders(owner: String)
    case events(owner: String)
    case drive(owner: String)
    case users, groups
}

/// The last change of every item of a feed, in order; a deleted item keeps its entry.
struct SandboxChangeLog {
    struct Entry {
        let id: String
        /// How the sandbox finds it: a message's immutable id, a folder's number, else its id.
        let key: String
        /// The number of the change that added it.
        let added: Int
        /// The number of its last change.
        var changed: Int
        /// The same without the changes below a folder.
        var ownChange: Int
        var isGone = false
        /// The number of each property's last change, by its lowercased name.
        var properties: [String: Int] = [:]
        var members: [String: Member] = [:]
    }

    struct Member {
        var changed: Int
        var isGone: Bool
    }

    private(set) var entries: [String: Entry] = [:]
    private(set) var changes: [(number: Int, id: String)] = []
    /// The number of the last change.
    private(set) var last = 0

    mutating func add(_ id: String, key: String? = nil) {
        last += 1
        entries[id] = Entry(id: id, key: key ?? id, added: last, changed: last, ownChange: last)
        changes.append((last, id))
    }

    /// Items that are not in the feed are ignored, as are deleted ones.
    mutating func change(_ id: String, isOwn: Bool = true, _ body: (inout Entry) -> Void = { _ in }) {
        guard var entry = entries[id], !entry.isGone else { return }
        last += 1
        entry.changed = last
        if isOwn { entry.ownChange = last }
        body(&entry)
        entries[id] = entry
        changes.append((last, id))
        guard changes.count > 2 * entries.count + 1024 else { return }
        changes.removeAll { entries[$0.id]?.changed != $0.number }
    }

    /// The place in `changes` of the first one after a number.
    func place(after number: Int) -> Int {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The next entry from a place whose last change is there; moves the place behind it.
    func next(_ place: inout Int) -> Entry? {
        while place < changes.count {
            defer { place += 1 }
            if let entry = entries[changes[place].id], entry.changed == changes[place].number { return entry }
        }
        return nil
    }
}
