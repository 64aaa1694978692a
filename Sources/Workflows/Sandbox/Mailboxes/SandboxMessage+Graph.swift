import Essentials

extension SandboxMessage {
    private static let fieldNames: Set<String> = [
        "id", "createddatetime", "lastmodifieddatetime", "changekey", "categories", "receiveddatetime",
        "sentdatetime", "hasattachments", "internetmessageid", "internetmessageheaders", "subject", "bodypreview",
        "importance", "parentfolderid", "conversationid", "conversationindex", "isdeliveryreceiptrequested",
        "isreadreceiptrequested", "isread", "isdraft", "weblink", "inferenceclassification", "body", "sender", "from",
        "torecipients", "ccrecipients", "bccrecipients", "replyto", "flag", "uniquebody",
        "singlevalueextendedproperties", "attachments",
    ]

    static func hasField(_ name: String) -> Bool { fieldNames.contains(name.lowercased()) }

    /// The message in Graph's shape.
    /// - Parameters:
    ///   - owner: The mailbox's owner.
    ///   - isImmutable: Whether to show the immutable id.
    ///   - select: The value of `$select`; nil for the default properties.
    ///   - expansion: What `$expand` adds.
    func value(
        owner: SandboxUser, isImmutable: Bool, select: String?, expansion: SandboxExpansion
    ) throws(SandboxError) -> Object {
        let all = fields(owner: owner, isImmutable: isImmutable)
        var result: Object = ["@odata.etag": .string("W/\"\(changeKey)\"")]
        if expansion.hasAttachments { result["attachments"] = .array(attachments.map { .object($0.value()) }) }
        let expanded = extendedProperties.filter { expansion.ids.contains($0.id) }
        if !expanded.isEmpty { result["singleValueExtendedProperties"] = .array(expanded.map(\.shown)) }
        guard let select else {
            for (name, value) in all where name != "internetMessageHeaders" { result[name] = value }
            return result
        }
        result["id"] = all["id"]
        for name in select.split(separator: ",") {
            let name = name.trimmed
            guard Self.hasField(name) else {
                throw GraphProperties.unknown(name, on: "microsoft.graph.message", code: "RequestBroker--ParseUri")
            }
            if let member = all.first(where: { $0.key.lowercased() == name.lowercased() }) {
                result[member.key] = member.value
            }
        }
        return result
    }

    func fields(owner: SandboxUser, isImmutable: Bool) -> Object {
        let text = content["body"]?["content"]?.string ?? ""
        let myself: Value = [
            "emailAddress": [
                "name": .string(owner.displayName), "address": .string(owner.mail ?? owner.userPrincipalName),
            ]
        ]
        let date = Value.string(SandboxClock.timestamp(sent ?? created))
        var result: Object = [
            "id": .string(id(isImmutable: isImmutable)), "createdDateTime": .string(SandboxClock.timestamp(created)),
            "lastModifiedDateTime": .string(SandboxClock.timestamp(modified)), "changeKey": .string(changeKey),
            "categories": content["categories"] ?? [], "receivedDateTime": date, "sentDateTime": date,
            "hasAttachments": .bool(attachments.contains { !$0.file.isInline }),
            "internetMessageId": .string(internetMessageID), "subject": content["subject"] ?? "",
            "bodyPreview": .string(Self.preview(of: text)), "importance": content["importance"] ?? "normal",
            "parentFolderId": .string(folder.id(of: owner)),
            "conversationId": .string("AAQkADAwATM\(key)="), "conversationIndex": "AQHb",
            "isDeliveryReceiptRequested": content["isDeliveryReceiptRequested"] ?? false,
            "isReadReceiptRequested": content["isReadReceiptRequested"] ?? false,
            "isRead": content["isRead"] ?? true, "isDraft": .bool(isDraft),
            "webLink": .string("https://outlook.office365.com/owa/?ItemID=\(id)&exvsurl=1&viewmodel=ReadMessageItem"),
            "inferenceClassification": content["inferenceClassification"] ?? "focused",
            "body": ["contentType": content["body"]?["contentType"] ?? "text", "content": .string(text)],
            "sender": content["sender"] ?? content["from"] ?? myself, "from": content["from"] ?? myself,
            "toRecipients": content["toRecipients"] ?? [], "ccRecipients": content["ccRecipients"] ?? [],
            "bccRecipients": content["bccRecipients"] ?? [], "replyTo": content["replyTo"] ?? [],
            "flag": content["flag"] ?? ["flagStatus": "notFlagged"],
        ]
        result["internetMessageHeaders"] = content["internetMessageHeaders"]
        return result
    }

    private static func preview(of text: String) -> String {
        var result = ""
        var count = 0
        var isInTag = false
        for character in text {
            if character == "<" {
                isInTag = true
            } else if character == ">", isInTag {
                isInTag = false
            } else if !isInTag {
                result.append(character.isNewline ? " " : character)
                count += 1
                if count == 255 { break }
            }
        }
        return result
    }
}

extension SandboxMessage.Attachment {
    /// In Graph's shape; the bytes are shown only if the attachment itself is requested.
    func value(hasContent: Bool = true) -> Object {
        var result: Object = [
            "@odata.type": "#microsoft.graph.fileAttachment", "@odata.mediaContentType": .string(file.contentType),
            "id": .string(id), "lastModifiedDateTime": .string(SandboxClock.timestamp(modified)),
            "name": .string(file.name), "contentType": .string(file.contentType), "size": .integer(file.size),
            "isInline": .bool(file.isInline), "contentId": file.contentID.map(Value.string) ?? .null,
            "contentLocation": .null,
        ]
        if hasContent { result["contentBytes"] = .string(file.content.base64EncodedString()) }
        return result
    }
}

extension Object {
    /// Takes the extended properties out of a message's content, where they are never shown.
    mutating func takeExtendedProperties() -> Value? {
        defer { self["singleValueExtendedProperties"] = nil }
        return self["singleValueExtendedProperties"]
    }
}
