extension SandboxState {
    mutating func arrange(_ contents: Sandbox.Contents, at date: Date) {
        if let groups = contents.groups { self.groups = groups }
        licences = contents.licences
        for (id, own) in licences { if let user = directory.user(named: id) { hold(own, user) } }
        for file in contents.files {
            _ = create(at: file.path, file.content, Self.contentType(of: file.content), of: file.owner, at: date)
        }
        for mail in contents.mails {
            let received = mail.received ?? date
            var files: [SandboxMessage.Attachment] = []
            for file in mail.attachments {
                files.append(
                    SandboxMessage.Attachment(id: messageID(isImmutable: false), file: file, modified: received))
            }
            var message = addMessage(
                mail.content, files, internetMessageID: mail.content["internetMessageId"]?.string, in: mail.folder,
                of: mail.owner, at: received)
            message.sent = mail.folder == .drafts ? nil : received
            mailbox.messages[message.key] = message
        }
        for (owner, content) in contents.events {
            events.append(
                SandboxEvent(
                    owner: owner.userPrincipalName, id: messageID(isImmutable: false), transactionID: nil,
                    created: date, modified: date, changeKey: changeKey(), content: content))
        }
        for (path, elements) in contents.entities {
            do throws(SandboxError) { try put(elements, at: path, date) } catch {
                misplaced.append((path, error.message))
            }
        }
    }
}
