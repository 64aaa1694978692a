extension SandboxState {
    /// An item as a round reports it; nil for one that the round does not have.
    /// - Parameter places: Finds items by their ids; made when it is needed.
    mutating func item(
        _ entry: SandboxChangeLog.Entry, _ round: SandboxDeltaRound, _ places: inout [String: Int]?, at date: Date
    ) throws(SandboxError) -> Object? {
        let wanted = round.start.options["changetype"]?.lowercased()
        guard !entry.isGone, let item = try shown(entry, round, &places, at: date) else {
            // One that no round had, or that an earlier page of this round did not have, was never there.
            guard entry.added <= round.start.position, wanted == nil || wanted == "deleted" else { return nil }
            return removed(entry, round)
        }
        let isNew = entry.added > round.start.base
        guard wanted == nil || wanted == (isNew ? "created" : "updated"), !item.isEmpty else { return nil }
        return item
    }

    private func removed(_ entry: SandboxChangeLog.Entry, _ round: SandboxDeltaRound) -> Object {
        switch round.feed {
        case .drive:
            return [
                "@odata.type": "#microsoft.graph.driveItem", "id": .string(entry.id),
                "parentReference": ["driveType": "business", "driveId": .string(round.person?.driveID ?? "")],
                "deleted": ["state": "deleted"],
            ]
        case .messages: return Self.removed(round.start.isImmutable ? entry.key : entry.id, "message", "deleted")
        case .folders: return Self.removed(entry.id, "mailFolder", "deleted")
        case .events: return Self.removed(entry.id, "event", "deleted")
        // A user and a group of Microsoft 365 can be restored.
        case .users: return Self.removed(entry.id, "user", "changed")
        case .groups: return Self.removed(entry.id, "group", entry.key == "Unified" ? "changed" : "deleted")
        }
    }

    private static func removed(_ id: String, _ type: String, _ reason: String) -> Object {
        [
            "@odata.type": .string("#microsoft.graph.\(type)"), "id": .string(id),
            "@removed": ["reason": .string(reason)],
        ]
    }

    /// Nil for what is no longer there, empty for what the round's options leave out.
    private mutating func shown(
        _ entry: SandboxChangeLog.Entry, _ round: SandboxDeltaRound, _ places: inout [String: Int]?, at date: Date
    ) throws(SandboxError) -> Object? {
        func place(_ ids: @autoclosure () -> [String]) -> Int? {
            let known = places ?? Dictionary(ids().enumerated().map { ($1, $0) }) { $1 }
            places = known
            return known[entry.id]
        }
        var item: Object
        switch (round.feed, round.person) {
        case (.messages, let person?):
            guard let message = mailbox.keys[entry.id].flatMap({ mailbox.messages[$0] }), message.isVisible(at: date)
            else { return nil }
            let received = Value.string(SandboxClock.timestamp(message.sent ?? message.created))
            guard round.filter?.matches([], { _ in received }) ?? true else { return [:] }
            item = try message.value(
                owner: person, isImmutable: round.start.isImmutable, select: round.start.options["select"],
                expansion: try SandboxExpansion(parsing: nil))
            item["@odata.type"] = "#microsoft.graph.message"
        case (.folders, let person?):
            let folder =
                Int(entry.key).map(SandboxMessage.Folder.own)
                ?? SandboxMessage.Folder(wellKnownName: entry.key.filter { $0 != " " })
            guard let folder else { return nil }
            item = round.select(value(of: folder, of: person, at: date))
            item["@odata.type"] = "#microsoft.graph.mailFolder"
        case (.events, let person?):
            guard let place = place(events.map(\.id)), events[place].isInside(round.start) else { return nil }
            item = events[place].value(of: person)
            item["@odata.type"] = "#microsoft.graph.event"
        case (.drive, let person?):
            if let number = itemNumbers[entry.id] {
                item = value(of: .file(number), owner: person, at: date)
            } else if let place = place(folders.map(\.id)) {
                item = value(of: .folder(folders[place]), owner: person, at: date)
            } else {
                item = value(of: .root, owner: person, at: date)
            }
            item["@odata.context"] = nil
            // A renamed folder reports none of its items, so the service leaves out their paths.
            if let parent = item["parentReference"]?.object {
                item["parentReference"] = .object(parent.filter { $0.key != "path" })
            }
            item = round.select(item)
            item["@odata.type"] = "#microsoft.graph.driveItem"
        case (.users, _):
            guard let user = directory.user(named: entry.id) else { return nil }
            guard round.reports(entry) else { return [:] }
            item = try user.value(select: round.start.options["select"])
            item["id"] = .string(user.id)
        case (.groups, _):
            guard let place = place(groups.map(\.id)) else { return nil }
            guard round.reports(entry) else { return [:] }
            item = round.select(groups[place].value)
            let members = round.reportsMembers ? entry.members.filter { $0.value.changed > round.start.base } : [:]
            let isFirst = entry.added > round.start.base
            let changed = members.sorted { ($0.value.changed, $0.key) < ($1.value.changed, $1.key) }.compactMap {
                id, member -> Value? in
                if !member.isGone { return ["@odata.type": "#microsoft.graph.user", "id": .string(id)] }
                return isFirst ? nil : .object(Self.removed(id, "user", "deleted"))
            }
            if !changed.isEmpty { item["members@delta"] = .array(changed) }
        default: return nil
        }
        return item
    }
}

extension SandboxDeltaRound {
    var reportsMembers: Bool {
        start.selected?.contains("members") ?? true || start.options["expand"]?.lowercased() == "members"
    }

    /// Whether a change is one of the properties that the round selects.
    func reports(_ entry: SandboxChangeLog.Entry) -> Bool {
        guard entry.added <= start.base, let selected = start.selected else { return true }
        return (selected + (reportsMembers ? ["members"] : [])).contains {
            entry.properties[$0, default: 0] > start.base
        }
    }
}

extension SandboxEvent {
    /// Whether it is, at least partly, in the window of time of a calendar's view.
    func isInside(_ token: SandboxDeltaToken) -> Bool {
        func moment(_ name: String) -> String { String((content[name]?["dateTime"]?.string ?? "").prefix(19)) }
        func bound(_ name: String) -> String { String((token.options[name] ?? "").prefix(19)) }
        return moment("start") < bound("enddatetime") && moment("end") > bound("startdatetime")
            || content["recurrence"] != nil && moment("start") < bound("enddatetime")
    }
}
