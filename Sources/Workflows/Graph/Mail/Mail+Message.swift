extension Mail {
    func payload() throws(GraphError) -> Value {
        ["message": try message(with: attachments), "saveToSentItems": .bool(saveToSentItems)]
    }

    func message(with attachments: [Attachment]) throws(GraphError) -> Value {
        var message: Object = ["subject": .string(subject), "body": itemBody, "toRecipients": recipients(to)]
        if !cc.isEmpty { message["ccRecipients"] = recipients(cc) }
        if !bcc.isEmpty { message["bccRecipients"] = recipients(bcc) }
        if !replyTo.isEmpty { message["replyTo"] = recipients(replyTo) }
        if let unknownImportance {
            message["importance"] = .string(unknownImportance)
        } else if importance != .normal {
            message["importance"] = .string(importance.rawValue)
        }
        if let key { message[Key.property] = key.value }
        if !attachments.isEmpty {
            var values: [Value] = []
            if let first = attachments.first, first.isList, let all = first.unknown {
                message["attachments"] = .string(all)
                return .object(message)
            }
            for attachment in attachments {
                if let unknown = attachment.unknown {
                    values.append(.string(unknown))
                } else {
                    values.append(try attachment.value())
                }
            }
            message["attachments"] = .array(values)
        }
        return .object(message)
    }

    func division() throws(GraphError) -> (inside: [Attachment], added: [Attachment]) {
        var message = try message(with: [])
        // Also in a plan that does not know the key.
        if key != nil, case .object(var members) = message {
            members[Key.property] = Key.example
            message = .object(members)
        }
        let fits = Self.fit(attachments.map(\.encodedSize), into: message)
        guard Self.room(in: message) >= 0 else {
            throw GraphError(
                .invalidInput, message: "Even without its attachments, the message exceeds the mailbox limit of 4 MB.",
                hint: "Attach the text, or upload it and send a link.")
        }
        let all = zip(attachments, fits)
        return (all.filter(\.1).map(\.0), all.filter { !$0.1 }.map(\.0))
    }

    private static func room(in message: Value) -> Int { largestRequest - message.jsonData().count - 100 }

    package static func fit(_ sizes: [Int], into message: Value) -> [Bool] {
        var room = room(in: message)
        return sizes.map { size in
            guard size <= room else { return false }
            room -= size
            return true
        }
    }

    package func check() throws(GraphError) {
        guard !(to + cc + bcc).isEmpty else {
            throw GraphError(.invalidInput, message: "The message has no recipient.")
        }
        for address in to + cc + bcc + replyTo { try MailAddress.check(address) }
        for attachment in attachments {
            guard !attachment.name.isEmpty else {
                throw GraphError(.invalidInput, message: "An attachment has no name.")
            }
            guard attachment.content.size <= Self.largestAttachment else {
                throw GraphError(
                    .invalidInput,
                    message: "The attachment '\(PlainText.exact(attachment.name, limit: 100))' has "
                        + "\(attachment.content.size) bytes; a mailbox accepts \(Self.largestAttachment) at most.",
                    hint: "Upload it and send a link instead.")
            }
        }
        guard key == nil || isDraftable else {
            throw GraphError(
                .invalidInput,
                message:
                    "A message that is delivered directly cannot be looked up, so another machine could send it"
                    + " a second time.",
                hint: "Leave 'delivery' and 'saveToSentItems' out, or turn lookups off (--no-lookup).")
        }
        guard delivery != .draft || saveToSentItems else {
            throw GraphError(
                .invalidInput, message: "A message that is delivered as a draft always stays in Sent Items.",
                hint: "Deliver it directly, or keep a copy.")
        }
    }

    var isDraftable: Bool { delivery != .direct && saveToSentItems }

    private var itemBody: Value {
        switch body {
        case .text(let text): ["contentType": "text", "content": .string(text)]
        case .html(let html): ["contentType": "html", "content": .string(html)]
        }
    }

    private func recipients(_ addresses: [String]) -> Value {
        if let first = addresses.first, unknownLists.contains(first) { return .string(first) }
        return .array(addresses.map { ["emailAddress": ["address": .string($0)]] })
    }
}

extension Mail.Attachment {
    func value() throws(GraphError) -> Value {
        var value: Object = ["@odata.type": "#microsoft.graph.fileAttachment"]
        for (name, member) in metadata { value[name] = member }
        value["contentBytes"] = .string(try content.bytes.base64EncodedString())
        return .object(value)
    }

    /// What a request says of it, apart from its bytes.
    var metadata: Object {
        var members: Object = ["name": .string(name), "contentType": .string(content.contentType)]
        members["contentId"] = contentID.map(Value.string)
        members["isInline"] = inline
        return members
    }

    /// The most bytes that it takes in a request: Base64 turns three bytes into four.
    var encodedSize: Int { (content.size + 2) / 3 * 4 + Value.object(metadata).jsonData().count + 100 }
}
