extension Sandbox {
    /// What clients can change, one text for each object, by the kind of objects.
    package var snapshot: [String: [String]] { withState { $0.snapshot } }
}

extension SandboxState {
    fileprivate var snapshot: [String: [String]] {
        var all: [String: [String]] = [:]
        // Versions are left out: what is set back gets a new one.
        all["files"] = items.map { "\($0.owner) \($0.id) \($0.path) \($0.contentType) \(SHA256.hex(of: $0.content))" }
        all["folders"] = folders.map { "\($0.owner) \($0.id) \($0.path)" }
        all["links"] = items.flatMap { Self.texts($0.links, of: $0.id) }
        all["links"]? += folders.flatMap { Self.texts($0.links, of: $0.id) }
        all["events"] = events.map { "\($0.owner) \($0.id) \(Self.text($0.content))" }
        all["groups"] = groups.map { Self.text($0.value) + $0.members.sorted().joined(separator: ",") }
        all["users"] = directory.users.map { user in
            user.id + ((try? user.value(select: "*")).map { Self.text($0) } ?? "")
        }
        all["licenses"] = licences.map { "\($0.key) \($0.value.sorted().joined(separator: ","))" }
        all["photo"] = ["\(isPhotoDeleted)", photo.map { SHA256.hex(of: $0.content) } ?? ""]
        // A message that is deleted goes to Deleted Items, where people may keep it.
        all["messages"] = mailbox.messages.filter { $0.value.folder != .deletedItems }.map {
            "\($0.key) \($0.value.folder) \(Self.text($0.value.content))"
        }
        all["mail folders"] = mailbox.folders.keys.map { "\($0)" }
        all["others"] = store.texts
        all["mails"] = mails.indices.map { "\($0)" }
        return all.mapValues { $0.sorted() }
    }

    private static func text(_ content: Object) -> String {
        String(decoding: Value.object(content).jsonData(sortedKeys: true), as: UTF8.self)
    }

    private static func texts(_ links: [Sandbox.DriveItem.Link], of id: String) -> [String] {
        links.map { "\(id) \($0.id) \($0.type) \($0.scope) \($0.expirationDateTime ?? "") \($0.hasPassword)" }
    }
}
