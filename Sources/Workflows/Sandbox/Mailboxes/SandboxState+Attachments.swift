import Essentials

extension SandboxState {
    private static let sessionSizes = 3_000_000...(150 << 20)

    mutating func answerAttachments(
        of id: String, owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        var message = try message(id, of: owner, at: call.date)
        let context = "https://graph.microsoft.com/v1.0/$metadata#users('\(owner.id)')/messages('\(id)')/attachments"
        guard call.request.method == "POST" else {
            return Self.json([
                "@odata.context": .string(context),
                "value": .array(message.attachments.map { .object($0.value()) }),
            ])
        }
        try call.checkMailSize()
        guard let json = try call.json?.get() else { throw .unreadableBody }
        guard message.isDraft else { throw .notADraft }
        let attachment = try attachment(from: json, at: call.date)
        message.attachments.append(attachment)
        _ = keep(message, at: call.date)
        var answer = attachment.value()
        answer["@odata.context"] = .string(context + "/$entity")
        return Self.json(answer, status: 201)
    }

    /// `GET` and `DELETE` of one attachment; `$value` returns its bytes.
    mutating func answerAttachment(
        _ attachmentID: String, of id: String, isContent: Bool, owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        var message = try message(id, of: owner, at: call.date)
        guard let index = message.attachments.firstIndex(where: { $0.id == attachmentID }) else { throw .noMessage }
        if call.request.method == "DELETE" {
            message.attachments.remove(at: index)
            _ = keep(message, at: call.date)
            return HTTPResponse(status: 204)
        }
        let attachment = message.attachments[index]
        guard !isContent else {
            return HTTPResponse(
                status: 200, headers: ["Content-Type": attachment.file.contentType], body: attachment.file.content)
        }
        return Self.json(attachment.value())
    }

    /// `POST …/attachments/createUploadSession`: 201 with the address for the bytes.
    mutating func answerCreateAttachmentSession(
        of id: String, owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        let message = try message(id, of: owner, at: call.date)
        guard let item = try call.json?.get()["AttachmentItem"], let name = item["name"]?.string, !name.isEmpty,
            let size = item["size"]?.integer
        else {
            throw .badRequest("The parameter 'AttachmentItem' is missing or incomplete.", code: "ErrorInvalidParameter")
        }
        guard item["attachmentType"]?.string?.lowercased() == "file" else {
            throw .badRequest("The sandbox accepts file attachments only.", code: "ErrorInvalidParameter")
        }
        guard message.isDraft else { throw .notADraft }
        guard size >= Self.sessionSizes.lowerBound else {
            throw .badRequest(
                "The attachment size should not be less than the minimum size \(Self.sessionSizes.lowerBound).",
                code: "ErrorAttachmentSizeShouldNotBeLessThanMinimumSize")
        }
        guard size <= Self.sessionSizes.upperBound else {
            throw .badRequest(
                "The attachment size exceeds the limit of \(Self.sessionSizes.upperBound).",
                code: "ErrorAttachmentSizeLimitExceeded")
        }
        let attachment = SandboxUploadedAttachment(
            owner: owner, messageKey: message.key, name: name, contentType: item["contentType"]?.string,
            isInline: item["isInline"]?.bool ?? false, contentID: item["contentId"]?.string, size: size)
        return begin(.attachment(attachment), call, status: 201)
    }

    mutating func commit(
        _ uploaded: SandboxUploadedAttachment, _ content: Data, at date: Date
    ) throws(SandboxError) -> String {
        guard var message = mailbox.messages[uploaded.messageKey], message.isDraft else { throw .noMessage }
        let attachment = SandboxMessage.Attachment(
            id: attachmentID(),
            file: Sandbox.Mail.Attachment(
                name: uploaded.name, contentType: uploaded.contentType ?? Self.contentType(of: content),
                content: content, isInline: uploaded.isInline, contentID: uploaded.contentID),
            modified: date)
        message.attachments.append(attachment)
        message = keep(message, at: date)
        return "https://outlook.office.com/api/v2.0/Users('\(uploaded.owner.id)')/Messages('\(message.id)')"
            + "/Attachments('\(attachment.id)')"
    }

    mutating func attachment(from value: Value, at date: Date) throws(SandboxError) -> SandboxMessage.Attachment {
        SandboxMessage.Attachment(
            id: attachmentID(), file: try Self.attachment(value), modified: date)
    }

    mutating func attachmentID() -> String { messageID(isImmutable: false).dropLast() + "BEgAQ=" }
}

extension SandboxError {
    fileprivate static let notADraft = SandboxError(
        status: 400, code: "ErrorInvalidOperation", message: "Attachments can be added to drafts only.")
}
