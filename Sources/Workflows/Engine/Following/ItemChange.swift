/// A change of an item that a round of a source found.
package struct ItemChange: Sendable {
    /// What tells a mail that arrived from others with the same message id.
    struct Mail: Sendable {
        let subject: String
        let sender: String
        let isToSender: Bool
    }

    package let kind: ChangeSource.Kind
    package let id: String
    /// The item's version; nil if it was removed, or has none.
    package let etag: String?
    package let internetMessageID: String?
    /// Whether it is a mail that was not sent.
    package let isDraft: Bool
    /// Nil unless it is a mail that is new in its folder.
    let mail: Mail?
    /// The name of a person, which paths can have instead of the id.
    let userPrincipalName: String?
    /// The memberships of a group that came or went, as a ``ChangeLog`` knows them.
    var members: [String]
    /// The item as Graph returned it, without what only recognises it; null once it is on disk.
    private var item: Value

    init(
        _ kind: ChangeSource.Kind, _ id: String, _ item: Value, members: [String] = [], of source: ChangeSource
    ) {
        (self.kind, self.id, self.members) = (kind, id, members)
        etag = kind == .deleted ? nil : ObjectVersion.etag(of: item)
        internetMessageID = item["internetMessageId"]?.string
        isDraft = item["isDraft"] == true
        mail = kind == .created && internetMessageID != nil && !isDraft ? Mail(item) : nil
        userPrincipalName = source.item == .user ? item["userPrincipalName"]?.string : nil
        let added = source.addedProperties
        self.item = added.isEmpty ? item : .object((item.object ?? [:]).filter { !added.contains($0.key) })
    }

    /// A change of an item that was read; nil if it has no id.
    package init?(_ kind: ChangeSource.Kind, of item: Value, from source: ChangeSource) {
        guard let id = item["id"]?.string else { return nil }
        self.init(kind, id, item, of: source)
    }

    /// The change without its item, which may have megabytes.
    var withoutItem: ItemChange {
        var change = self
        change.item = .null
        return change
    }

    /// The event of the change.
    /// - Parameters:
    ///   - id: The event's id, unique in the source.
    ///   - workflow: The name of the workflow that it is for; nil for all that listen.
    package func event(_ id: String, of source: ChangeSource, for workflow: String?, at time: Date) -> CloudEvent? {
        var envelope: Object = [
            "specversion": "1.0", "id": .string(id), "source": .string(source.resource),
            "type": .string(ChangeSource.type(of: source.item, kind)), "subject": .string(self.id),
            "time": .string(time.iso8601), "datacontenttype": "application/json",
        ]
        envelope[CloudEvent.addressee] = workflow.map(Value.string)
        envelope["data"] = item
        return try? CloudEvent(.object(envelope))
    }
}

extension ItemChange.Mail {
    fileprivate init(_ item: Value) {
        func address(_ person: Value?) -> String? { person?["emailAddress"]?["address"]?.string?.lowercased() }
        let recipients = ["toRecipients", "ccRecipients"].flatMap { item[$0]?.array ?? [] }.map(address)
        subject = item["subject"]?.string ?? ""
        sender = address(item["from"]) ?? ""
        isToSender = recipients.contains(sender)
    }

    /// Whether it can be a copy of a mail that a run sent.
    func isCopy(of sent: Effect.Mail) -> Bool {
        let subject = sent.subject.string ?? ""
        let from = sent.from.string
        // A secret in the subject is not known, nor the address of a sender who is named by an id.
        return (subject == self.subject || subject.contains(Drawing.secretsMark))
            && (isToSender || from.map { $0.lowercased() == sender || !$0.contains("@") } ?? false)
    }
}

extension CloudEvent {
    /// The attribute with the only workflow that an event is for.
    fileprivate static let addressee = "graphflowworkflow"

    /// Whether a workflow may take it.
    func isFor(_ workflow: Workflow) -> Bool {
        self[Self.addressee]?.string.map { $0 == workflow.metadata.qualifiedName } ?? true
    }

    /// The item that changed, in words that are the same for each of its changes; nil for another event.
    package var changedItem: String? {
        guard self[Self.addressee] != nil, let item = self["subject"]?.string else { return nil }
        return "\(source) \(item)"
    }
}
