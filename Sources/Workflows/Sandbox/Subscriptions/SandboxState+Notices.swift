extension SandboxState {
    /// Queues the notifications of a change.
    mutating func notify(_ change: Change, _ id: String, in feed: SandboxFeed, key: String?) {
        let date = moment
        for subscription in subscriptions where subscription.expires > date {
            guard subscription.watched.contains(id, in: feed) else { continue }
            var type = "\(change)"
            if case .drive = feed { type = "updated" }
            if feed == .users || feed == .groups, change == .created { type = "updated" }
            guard subscription.changeTypes.contains(type) else { continue }
            let shownID = subscription.isImmutable ? key ?? id : id
            queue(notice(type, shownID, id, in: feed, of: subscription), of: subscription)
        }
    }

    private func notice(
        _ type: String, _ id: String, _ found: String, in feed: SandboxFeed, of subscription: SandboxSubscription
    ) -> SandboxNotice {
        var value = subscription.head
        let owner: String
        let kind: String
        switch feed {
        case .messages(let name, _): (owner, kind) = (name, "Message")
        case .events(let name): (owner, kind) = (name, "Event")
        case .users: (owner, kind) = ("", "User")
        case .groups: (owner, kind) = ("", "Group")
        case .folders(let name), .drive(let name): (owner, kind) = (name, "DriveItem")
        }
        let person = directory.user(named: owner).map { "Users/\($0.id)/" } ?? ""
        let place = "\(person)\(kind)s/\(id)"
        var data: Object = ["@odata.type": .string("#Microsoft.Graph.\(kind)")]
        if kind != "DriveItem" {
            data["@odata.id"] = .string(place)
            let tag =
                mailbox.keys[found].flatMap { mailbox.messages[$0]?.changeKey }
                ?? (kind == "Event" ? events.last { $0.id == found }?.changeKey : nil)
            if let tag { data["@odata.etag"] = .string("W/\"\(tag)\"") }
            data["id"] = .string(id)
        }
        value["changeType"] = .string(type)
        value["resource"] = .string(kind == "DriveItem" ? subscription.resource : place)
        value["resourceData"] = .object(data)
        return SandboxNotice(url: subscription.notificationURL, value: .object(value), subscription: subscription.id)
    }

    /// Queues a notification, with the fault that its resource has.
    private mutating func queue(_ notice: SandboxNotice, of subscription: SandboxSubscription) {
        let path =
            "/" + subscription.resource.replacing("('", with: "/").replacing("')", with: "").trimming { $0 == "/" }
        let fault = takeFault(Sandbox.Fault.notifying, path)
        var notice = notice
        notice.delay = .seconds(fault?.delay ?? 0)
        let change: Sandbox.Fault.Change? = if case .change(let change)? = fault?.answer { change } else { nil }
        if change == .forged {
            var value = notice.value.object ?? [:]
            value["clientState"] = "forged"
            value["resource"] = "Users/00000000-0000-0000-0000-000000000000/Messages/forged"
            notices.append(SandboxNotice(url: notice.url, value: .object(value), subscription: notice.subscription))
        }
        let isLost = change == .lost || change == .subscriptionRemoved
        if fault?.answer != .drop, change != .missed, !isLost { notices.append(notice) }
        if change == .duplicate { notices.append(notice) }
        if let change, [.missed, .reauthorizationRequired, .subscriptionRemoved].contains(change),
            let event = subscription.lifecycle(change.rawValue)
        {
            notices.append(event)
        }
        if isLost { subscriptions.removeAll { $0.id == subscription.id } }
    }

    /// The notifications for addresses to which none is under way, in batches.
    mutating func takeBatches() -> [SandboxNotice.Batch] {
        var batches: [SandboxNotice.Batch] = []
        for url in Set(notices.map(\.url)).subtracting(busyURLs).sorted() {
            batches.append((url, notices.filter { $0.url == url }))
            busyURLs.insert(url)
        }
        notices.removeAll { notice in batches.contains { $0.url == notice.url } }
        return batches
    }

    /// Records the end of a batch's delivery; what was not delivered is missed.
    mutating func end(_ batch: SandboxNotice.Batch, isDelivered: Bool) {
        busyURLs.remove(batch.url)
        guard !isDelivered else { return }
        let ids = Set(batch.notices.filter { $0.value["lifecycleEvent"] == nil }.map(\.subscription))
        for subscription in subscriptions where ids.contains(subscription.id) && subscription.watched.isOutlook {
            if let event = subscription.lifecycle("missed") { notices.append(event) }
        }
    }
}
