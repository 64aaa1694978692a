struct SandboxMailbox {
    var messages: [Int: SandboxMessage] = [:]
    var folders: [Int: SandboxMailFolder] = [:]
    var keys: [String: Int] = [:]
    /// The accepted messages that have not yet arrived in Sent Items.
    var inTransit: Set<Int> = []
    var nextArrival = Date.distantFuture
    var nextKey = 1
}

extension SandboxState {
    private static let idLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    /// An id like Outlook's: it changes with the folder, unless it is immutable.
    mutating func messageID(isImmutable: Bool) -> String {
        (isImmutable ? "AAkALgAAAAAAHYQDEapmEc2byACqAC-EWg0A" : "AAMkAGUwNjQ4ZjIxLTQ3Y2YtNDViMi1hZjc4")
            + text(56, of: Self.idLetters) + "="
    }

    mutating func addMessage(
        _ content: Object, _ attachments: [SandboxMessage.Attachment], internetMessageID: String? = nil,
        in folder: SandboxMessage.Folder, of owner: SandboxUser, at date: Date,
        extended properties: [SandboxExtendedProperty] = [], isListed: Bool = true
    ) -> SandboxMessage {
        var message = SandboxMessage(
            key: mailbox.nextKey, owner: owner.userPrincipalName, immutableID: messageID(isImmutable: true),
            id: messageID(isImmutable: false), folder: folder, created: date, modified: date,
            internetMessageID: "", changeKey: changeKey(), content: content, attachments: attachments,
            extendedProperties: properties, isDraft: folder == .drafts, isListed: isListed)
        if ![.drafts, .sentItems].contains(folder) { message.receive() }
        message.internetMessageID = internetMessageID ?? "<\(guid().uppercased().replacing("-", with: ""))@contoso.com>"
        mailbox.nextKey += 1
        mailbox.messages[message.key] = message
        mailbox.keys[message.id] = message.key
        mailbox.keys[message.immutableID] = message.key
        note(.created, message)
        return message
    }

    mutating func changeKey() -> String { "CQAAABYAAAD" + text(22, of: Self.idLetters) }

    private mutating func note(_ change: Change, _ message: SandboxMessage) {
        guard message.isListed else { return }
        let feed = SandboxFeed.messages(owner: message.owner, message.folder)
        note(change, message.id, in: feed, key: message.immutableID)
    }

    mutating func keep(_ message: SandboxMessage, at date: Date) -> SandboxMessage {
        let message = store(message, at: date)
        note(.updated, message)
        return message
    }

    private mutating func store(_ message: SandboxMessage, at date: Date) -> SandboxMessage {
        var message = message
        message.modified = date
        message.changeKey = changeKey()
        mailbox.messages[message.key] = message
        return message
    }

    mutating func remove(_ message: SandboxMessage) {
        note(.deleted, message)
        mailbox.messages[message.key] = nil
        mailbox.keys[message.id] = nil
        mailbox.keys[message.immutableID] = nil
        mailbox.inTransit.remove(message.key)
    }

    mutating func move(_ message: SandboxMessage, to folder: SandboxMessage.Folder, at date: Date) {
        var message = message
        note(.deleted, message)
        mailbox.keys[message.id] = nil
        message.id = messageID(isImmutable: false)
        mailbox.keys[message.id] = message.key
        message.folder = folder
        if folder == .sentItems { message.isDraft = false }
        message.transit = nil
        mailbox.inTransit.remove(message.key)
        message.isListed = true
        message = store(message, at: date)
        note(.created, message)
    }

    mutating func deliverMail(until date: Date) {
        guard date >= mailbox.nextArrival else { return }
        mailbox.nextArrival = .distantFuture
        for key in mailbox.inTransit.sorted() {
            guard let message = mailbox.messages[key], let transit = message.transit else { continue }
            if transit.arrives <= date {
                move(message, to: .sentItems, at: transit.arrives)
            } else {
                mailbox.nextArrival = min(mailbox.nextArrival, transit.arrives)
            }
        }
    }

    /// By an id of either kind; ids are case-sensitive.
    func message(_ id: String, of owner: SandboxUser, at date: Date) throws(SandboxError) -> SandboxMessage {
        guard let key = mailbox.keys[id], let message = mailbox.messages[key], message.owner == owner.userPrincipalName,
            message.isVisible(at: date)
        else { throw .noMessage }
        return message
    }

    /// Accepts a message for sending: it is in the outbox at once, and in Sent Items later.
    mutating func accept(
        _ message: SandboxMessage, as mail: Sandbox.Mail, isDraft: Bool, at date: Date
    ) {
        var message = message
        let delay = settings.sentItemsDelay.seconds
        message.sent = date
        // The draft is visible for a while, then neither it nor its copy.
        message.transit = SandboxMessage.Transit(
            leaves: isDraft ? date.addingTimeInterval(delay / 2) : date, arrives: date.addingTimeInterval(delay))
        mailbox.messages[message.key] = message
        mailbox.inTransit.insert(message.key)
        mailbox.nextArrival = min(mailbox.nextArrival, date.addingTimeInterval(delay))
        deliver(mail)
        deliverMail(until: date)
    }

    mutating func deliver(_ mail: Sandbox.Mail) {
        let envelope = ([mail.sender, mail.subject] + mail.to).joined(separator: "\n")
        let same = mailPlaces[envelope, default: []].filter { mails[$0].hasContent(of: mail) }
        for place in same { mails[place].deliveries = same.count + 1 }
        mailPlaces[envelope, default: []].append(mails.count)
        mails.append(mail)
        mails[mails.count - 1].deliveries = same.count + 1
        for address in Set((mail.to + mail.cc + mail.bcc).map { $0.lowercased() }).sorted() {
            if let user = directory.user(at: address) { receive(mail, at: user) }
        }
    }

    /// Sends a mail of the service itself.
    mutating func mail(
        _ subject: String, _ body: String, to addresses: [String], of owner: SandboxUser, _ call: SandboxCall
    ) {
        deliver(
            Sandbox.Mail(
                id: guid(), internetMessageID: "<\(guid())@contoso.com>", sentAt: call.date,
                sender: owner.mail ?? owner.userPrincipalName, to: addresses, cc: [], bcc: [], replyTo: [],
                subject: subject, bodyType: "text", body: body, importance: "normal", isSavedToSentItems: false,
                attachments: [], deliveries: 1))
    }

    /// Puts a mail into its recipient's inbox.
    private mutating func receive(_ mail: Sandbox.Mail, at user: SandboxUser) {
        func person(_ address: String) -> Value {
            [
                "emailAddress": [
                    "name": .string(directory.user(at: address)?.displayName ?? address), "address": .string(address),
                ]
            ]
        }
        func persons(_ addresses: [String]) -> Value { .array(addresses.map(person)) }
        let content: Object = [
            "subject": .string(mail.subject), "importance": .string(mail.importance), "isRead": false,
            "body": ["contentType": .string(mail.bodyType), "content": .string(mail.body)],
            "from": person(mail.sender), "sender": person(mail.sender), "toRecipients": persons(mail.to),
            "ccRecipients": persons(mail.cc), "replyTo": persons(mail.replyTo),
        ]
        var files: [SandboxMessage.Attachment] = []
        for file in mail.attachments {
            files.append(SandboxMessage.Attachment(id: attachmentID(), file: file, modified: mail.sentAt))
        }
        let message = addMessage(
            content, files, internetMessageID: mail.internetMessageID, in: .inbox, of: user, at: mail.sentAt)
        mailbox.messages[message.key]?.sent = mail.sentAt
    }
}
