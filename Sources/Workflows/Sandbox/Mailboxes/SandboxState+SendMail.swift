extension SandboxState {
    /// `POST …/sendMail`: 202 without a body; the mail is in the outbox.
    mutating func answerSendMail(
        from owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        try call.checkMailSize()
        guard let json = try call.json?.get(), let message = json["message"], var content = message.object else {
            throw .badRequest("The parameter 'Message' is missing.", code: "ErrorInvalidParameter")
        }
        var attachments: [SandboxMessage.Attachment] = []
        for value in content["attachments"]?.array ?? [] {
            attachments.append(try attachment(from: value, at: call.date))
        }
        content["attachments"] = nil
        let properties = try SandboxExtendedProperty.merging(content.takeExtendedProperties(), into: [])
        var mail = try Self.mail(message, attachments.map(\.file))
        mail.sentAt = call.date
        mail.sender = message["from"]?["emailAddress"]?["address"]?.string ?? owner.userPrincipalName
        mail.isSavedToSentItems = json["saveToSentItems"]?.bool ?? true
        guard mail.isSavedToSentItems else {
            mail.id = messageID(isImmutable: true)
            mail.internetMessageID = "<\(guid().uppercased().replacing("-", with: ""))@contoso.com>"
            deliver(mail)
            return HTTPResponse(status: 202)
        }
        let kept = addMessage(
            content, attachments, internetMessageID: content["internetMessageId"]?.string, in: .drafts, of: owner,
            at: call.date, extended: properties, isListed: false)
        (mail.id, mail.internetMessageID) = (kept.immutableID, kept.internetMessageID)
        accept(kept, as: mail, isDraft: false, at: call.date)
        return HTTPResponse(status: 202)
    }

    static func mail(
        _ message: Value, _ attachments: [Sandbox.Mail.Attachment]
    ) throws(SandboxError) -> Sandbox.Mail {
        func addresses(_ field: String) throws(SandboxError) -> [String] {
            var result: [String] = []
            for recipient in message[field]?.array ?? [] {
                let address = recipient["emailAddress"]?["address"]?.string ?? ""
                guard isAddress(address) else {
                    throw .badRequest(
                        "At least one recipient is not valid., Recipient '\(address)' is not resolved. All recipients"
                            + " must be resolved before a message can be submitted.", code: "ErrorInvalidRecipients")
                }
                result.append(address)
            }
            return result
        }
        let replyTo = (message["replyTo"]?.array ?? []).compactMap { $0["emailAddress"]?["address"]?.string }
        let (to, cc, bcc) = (
            try addresses("toRecipients"), try addresses("ccRecipients"), try addresses("bccRecipients")
        )
        guard !(to + cc + bcc).isEmpty else {
            throw .badRequest("At least one recipient is not valid.", code: "ErrorInvalidRecipients")
        }
        return Sandbox.Mail(
            id: "", internetMessageID: "", sentAt: .distantPast, sender: "", to: to, cc: cc, bcc: bcc,
            replyTo: replyTo, subject: message["subject"]?.string ?? "",
            bodyType: message["body"]?["contentType"]?.string ?? "text",
            body: message["body"]?["content"]?.string ?? "", importance: message["importance"]?.string ?? "normal",
            isSavedToSentItems: true, attachments: attachments, deliveries: 1)
    }

    static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && !text.contains(where: \.isWhitespace)
            && PlainText.invisible(in: text) == nil
    }

    static func attachment(_ value: Value) throws(SandboxError) -> Sandbox.Mail.Attachment {
        guard value["@odata.type"]?.string == "#microsoft.graph.fileAttachment" else {
            throw SandboxError(
                status: 501, code: "notImplemented", message: "The sandbox accepts file attachments only.")
        }
        guard let name = value["name"]?.string, !name.isEmpty else {
            throw .badRequest(
                "The required property 'name' of the attachment is missing.", code: "ErrorRequiredPropertyMissing")
        }
        guard let text = value["contentBytes"]?.string, let content = Data(base64Encoded: text) else {
            throw .badRequest(
                "Cannot convert the value of 'contentBytes' to the expected type 'Edm.Binary'.", code: "RequestBodyRead"
            )
        }
        return Sandbox.Mail.Attachment(
            name: name, contentType: value["contentType"]?.string ?? ContentType.sniff(content), content: content,
            isInline: value["isInline"]?.bool ?? false, contentID: value["contentId"]?.string)
    }
}
