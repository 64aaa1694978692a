import Foundation

extension SandboxState {
    /// What a request that writes to a mailbox may hold in all.
    private static let sizeLimit = 4 * 1024 * 1024

    /// `POST …/sendMail`: 202 without a body, and the mail is in the outbox.
    mutating func answerSendMail(
        from owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard (call.request.body?.count ?? 0) <= Self.sizeLimit else {
            throw SandboxError(status: 413, code: "BadRequest", message: "Maximum request length exceeded.")
        }
        guard let json = try call.json?.get(), let message = json["message"] else {
            throw .badRequest("The parameter 'Message' is missing.", code: "ErrorInvalidParameter")
        }
        var mail = try Self.mail(message)
        mail.id = text(48, of: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        mail.sentAt = call.date
        mail.sender = message["from"]?["emailAddress"]?["address"]?.string ?? owner.userPrincipalName
        mail.isSavedToSentItems = json["saveToSentItems"]?.bool ?? true
        mail.deliveries = 1 + mails.count { $0.hasContent(of: mail) }
        for index in mails.indices where mails[index].hasContent(of: mail) {
            mails[index].deliveries = mail.deliveries
        }
        mails.append(mail)
        return HTTPResponse(status: 202)
    }

    private static func mail(_ message: Value) throws(SandboxError) -> Sandbox.Mail {
        func addresses(_ field: String) throws(SandboxError) -> [String] {
            var result: [String] = []
            for recipient in message[field]?.array ?? [] {
                let address = recipient["emailAddress"]?["address"]?.string ?? ""
                let parts = address.split(separator: "@", omittingEmptySubsequences: false)
                guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !address.contains(where: \.isWhitespace)
                else {
                    throw .badRequest(
                        "At least one recipient is not valid., Recipient '\(address)' is not resolved. All recipients"
                            + " must be resolved before a message can be submitted.", code: "ErrorInvalidRecipients")
                }
                result.append(address)
            }
            return result
        }
        let (to, cc, bcc) = (
            try addresses("toRecipients"), try addresses("ccRecipients"), try addresses("bccRecipients")
        )
        guard !(to + cc + bcc).isEmpty else {
            throw .badRequest("At least one recipient is not valid.", code: "ErrorInvalidRecipients")
        }
        var attachments: [Sandbox.Mail.Attachment] = []
        for attachment in message["attachments"]?.array ?? [] { attachments.append(try Self.attachment(attachment)) }
        return Sandbox.Mail(
            id: "", sentAt: .distantPast, sender: "", to: to, cc: cc, bcc: bcc,
            subject: message["subject"]?.string ?? "", bodyType: message["body"]?["contentType"]?.string ?? "text",
            body: message["body"]?["content"]?.string ?? "", importance: message["importance"]?.string ?? "normal",
            isSavedToSentItems: true, attachments: attachments, deliveries: 1)
    }

    private static func attachment(_ value: Value) throws(SandboxError) -> Sandbox.Mail.Attachment {
        guard value["@odata.type"]?.string == "#microsoft.graph.fileAttachment" else {
            throw SandboxError(
                status: 501, code: "notImplemented", message: "The sandbox takes attachments that are files only.")
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
            isInline: value["isInline"]?.bool ?? false)
    }
}
