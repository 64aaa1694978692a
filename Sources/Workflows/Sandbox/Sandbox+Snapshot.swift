extension Sandbox {
    /// What clients can change, one text for each object, by the kind of objects.
    package var snapshot: [String: [String]] { withState { $0.snapshot } }
}

extension SandboxState {
    fileprivate var snapshot: [String: [String]] {
        var all: [String: [String]] = [:]
        all["files"] = items.map { "\($0.owner) \($0.id) \($0.path) \($0.eTag)" }
        all["folders"] = folders.map { "\($0.owner) \($0.id) \($0.path) \($0.version)" }
        all["links"] = items.flatMap { Self.texts($0.links, of: $0.id) }
        all["links"]? += folders.flatMap { Self.texts($0.links, of: $0.id) }
        all["events"] = events.map { "\($0.owner) \($0.id) \($0.changeKey)" }
        all["groups"] = groups.map { Value.object($0.value).json() + $0.members.sorted().joined(separator: ",") }
        all["users"] = directory.users.map { user in
            user.id + ((try? user.value(select: "*")).map { Value.object($0).json() } ?? "")
        }
        all["licenses"] = licences.map { "\($0.key) \($0.value.sorted().joined(separator: ","))" }
        all["photo"] = ["\(isPhotoDeleted)", photo.map { SHA256.hex(of: $0.content) } ?? ""]
        // A message that is deleted goes to Deleted Items, where people may keep it.
        all["messages"] = mailbox.messages.filter { $0.value.folder != .deletedItems }.map {
            "\($0.key) \($0.value.changeKey)"
        }
        all["mail folders"] = mailbox.folders.keys.map { "\($0)" }
        all["mails"] = mails.indices.map { "\($0)" }
        return all.mapValues { $0.sorted() }
    }

    private static func texts(_ links: [Sandbox.DriveItem.Link], of id: String) -> [String] {
        links.map { "\(id) \($0.id) \($0.type) \($0.scope) \($0.expirationDateTime ?? "") \($0.hasPassword)" }
    }
}
