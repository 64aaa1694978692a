/// What a round of a delta query reads.
struct SandboxDeltaRound {
    let feed: SandboxFeed
    /// The owner of the mailbox or drive.
    let person: SandboxUser?
    let start: SandboxDeltaToken
    let filter: SandboxFilter?

    func select(_ object: Object) -> Object {
        guard let names = start.selected else { return object }
        return object.filter { $0.key.hasPrefix("@") || $0.key == "id" || names.contains($0.key.lowercased()) }
    }
}

extension SandboxDeltaToken {
    var selected: [String]? { options["select"]?.split(separator: ",").map { $0.trimmed.lowercased() } }
}

extension SandboxState {
    enum Change { case created, updated, deleted }

    /// Records a change for delta queries and subscriptions.
    mutating func note(
        _ change: Change, _ id: String, in feed: SandboxFeed, key: String? = nil, properties: [String] = []
    ) {
        switch change {
        case .created: changes[feed]?.add(id, key: key)
        case .updated:
            changes[feed]?.change(id) { entry in
                for name in properties { entry.properties[name.lowercased()] = entry.changed }
            }
        case .deleted: changes[feed]?.change(id) { $0.isGone = true }
        }
        if !subscriptions.isEmpty { notify(change, id, in: feed, key: key) }
    }

    /// Records that a group has a member, or has it no more.
    mutating func noteMember(_ member: String, of group: String, isGone: Bool) {
        changes[.groups]?.change(group) { entry in
            entry.properties["members"] = entry.changed
            entry.members[member] = SandboxChangeLog.Member(changed: entry.changed, isGone: isGone)
        }
        if !subscriptions.isEmpty { notify(.updated, group, in: .groups, key: nil) }
    }

    /// Records a change in a drive, which its folders have too.
    mutating func noteItem(_ change: Change, _ id: String, at path: String, of owner: String) {
        let feed = SandboxFeed.drive(owner: owner)
        note(change, id, in: feed)
        guard changes[feed] != nil, let user = directory.user(named: owner) else { return }
        var above = path[...]
        while let slash = above.lastIndex(of: "/") {
            above = above[..<slash]
            if case .folder(let folder)? = node(at: String(above), of: user) {
                changes[feed]?.change(folder.id, isOwn: false)
            }
        }
        changes[feed]?.change(Self.rootID(of: user), isOwn: false)
    }

    /// Begins to record a feed's changes, with what there is.
    mutating func open(_ feed: SandboxFeed, _ person: SandboxUser?) {
        guard changes[feed] == nil else { return }
        var log = SandboxChangeLog()
        switch feed {
        case .messages(let owner, let folder):
            let inside = mailbox.messages.values.filter { $0.owner == owner && $0.folder == folder && $0.isListed }
            for message in inside.sorted(by: { $0.key < $1.key }) { log.add(message.id, key: message.immutableID) }
        case .folders(let owner):
            guard let person else { return }
            for folder in SandboxMessage.Folder.wellKnown { log.add(folder.id(of: person), key: folder.name) }
            for number in mailbox.folders.keys.sorted() where mailbox.folders[number]?.owner == owner {
                log.add(SandboxMessage.Folder.own(number).id(of: person), key: "\(number)")
            }
        case .events(let owner): for event in events where event.owner == owner { log.add(event.id) }
        case .drive(let owner):
            guard let person else { return }
            log.add(Self.rootID(of: person))
            for folder in folders where folder.owner == owner { log.add(folder.id) }
            for item in items where item.owner == owner { log.add(item.id) }
        case .users: for user in directory.users { log.add(user.id) }
        case .groups:
            for group in groups {
                log.add(group.id, key: group.types.first)
                log.change(group.id) { entry in
                    for id in group.members { entry.members[id] = .init(changed: entry.changed, isGone: false) }
                }
            }
        }
        changes[feed] = log
    }
}
