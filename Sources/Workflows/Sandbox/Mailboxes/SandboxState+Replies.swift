extension SandboxState {
    /// `POST …/reply`, `…/replyAll` and `…/forward`: 202 without a body; `…/createReply` and the like: 201 with a
    /// draft.
    mutating func answerReply(
        _ kind: SandboxRoute.Reply, to id: String, isDraft: Bool, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        let original = try message(id, of: owner, at: call.date)
        guard let json = try call.json?.get() else { throw .unreadableBody }
        func member(_ name: String) -> Value? { json.object?.first { $0.key.lowercased() == name }?.value }
        let changes = member("message")?.object ?? [:]
        guard member("comment")?.string == nil || changes["body"] == nil else {
            throw .badRequest(
                "The parameter 'Comment' and the body of 'Message' exclude each other.", code: "ErrorInvalidParameter")
        }
        let shown = original.fields(owner: owner, isImmutable: false)
        var content = changes
        let subject = original.content["subject"]?.string ?? ""
        content["subject"] = changes["subject"] ?? .string((kind == .forward ? "FW: " : "RE: ") + subject)
        if content["body"] == nil {
            let quoted = original.content["body"]?["content"]?.string ?? ""
            let comment = member("comment")?.string ?? ""
            let isHTML = original.content["body"]?["contentType"]?.string?.lowercased() == "html"
            content["body"] = [
                "contentType": isHTML ? "html" : "text",
                "content": .string(
                    isHTML
                        ? "<html><body><div>\(html: comment)</div><hr>\(quoted)</body></html>"
                        : "\(comment)\n\n\(quoted)"),
            ]
        }
        switch kind {
        case .forward: content["toRecipients"] = member("torecipients") ?? changes["toRecipients"] ?? []
        case .reply where changes["toRecipients"] == nil: content["toRecipients"] = [shown["from"] ?? .null]
        case .replyAll where changes["toRecipients"] == nil:
            content["toRecipients"] = .array([shown["from"] ?? .null] + (shown["toRecipients"]?.array ?? []))
            content["ccRecipients"] = shown["ccRecipients"]
        default: break
        }
        let attachments = kind == .forward ? original.attachments : []
        guard !isDraft else {
            let draft = addMessage(content, attachments, in: .drafts, of: owner, at: call.date)
            return Self.noting(call, Self.json(try show(draft, of: owner, call), status: 201))
        }
        var mail = try Self.mail(.object(content), attachments.map(\.file))
        mail.sentAt = call.date
        mail.sender = owner.userPrincipalName
        let kept = addMessage(content, attachments, in: .drafts, of: owner, at: call.date, isListed: false)
        (mail.id, mail.internetMessageID) = (kept.immutableID, kept.internetMessageID)
        accept(kept, as: mail, isDraft: false, at: call.date)
        return HTTPResponse(status: 202)
    }

    func answerMIME(_ id: String, of owner: SandboxUser, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        let message = try message(id, of: owner, at: call.date)
        return HTTPResponse(
            status: 200, headers: ["Content-Type": "text/plain"], body: Data(message.mime(of: owner).utf8))
    }
}

extension SandboxMessage {
    /// RFC 5322, RFC 2045 to 2047.
    fileprivate func mime(of owner: SandboxUser) -> String {
        let shown = fields(owner: owner, isImmutable: false)
        func encoded(_ text: String) -> String {
            text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
                ? text : "=?utf-8?B?\(Data(text.utf8).base64EncodedString())?="
        }
        func people(_ field: String) -> String {
            (shown[field]?.array ?? [shown[field] ?? .null]).compactMap { person in
                guard let address = person["emailAddress"]?["address"]?.string else { return nil }
                let name = person["emailAddress"]?["name"]?.string ?? ""
                return name.isEmpty ? address : "\(encoded(name)) <\(address)>"
            }.joined(separator: ", ")
        }
        func part(_ type: String, _ content: Data, _ more: String = "") -> String {
            let text = content.base64EncodedString()
            let lines = stride(from: 0, to: text.utf8.count, by: 76).map { start in
                String(decoding: text.utf8.dropFirst(start).prefix(76), as: UTF8.self)
            }
            return "Content-Type: \(type)\r\n\(more)Content-Transfer-Encoding: base64\r\n\r\n"
                + lines.joined(separator: "\r\n") + "\r\n"
        }
        var head = "From: \(people("from"))\r\n"
        for (name, field) in [("To", "toRecipients"), ("Cc", "ccRecipients"), ("Reply-To", "replyTo")] {
            let all = people(field)
            if !all.isEmpty { head += "\(name): \(all)\r\n" }
        }
        head +=
            "Subject: \(encoded(shown["subject"]?.string ?? ""))\r\nDate: \(SandboxClock.httpDate(sent ?? created))\r\n"
        head += "Message-ID: \(internetMessageID)\r\nMIME-Version: 1.0\r\n"
        let isHTML = content["body"]?["contentType"]?.string == "html"
        let text = part(
            "text/\(isHTML ? "html" : "plain"); charset=utf-8", Data((content["body"]?["content"]?.string ?? "").utf8))
        guard !attachments.isEmpty else { return head + text }
        let boundary = "sandbox-\(key)"
        let parts =
            [text]
            + attachments.map { attachment in
                part(
                    attachment.file.contentType, attachment.file.content,
                    "Content-Disposition: attachment; filename=\"\(encoded(attachment.file.name))\"\r\n")
            }
        return head + "Content-Type: multipart/mixed; boundary=\"\(boundary)\"\r\n\r\n"
            + parts.map { "--\(boundary)\r\n\($0)" }.joined() + "--\(boundary)--\r\n"
    }

    /// Whether every word of a `$search` is in the message, or in the property before its colon.
    func matches(search text: String, of owner: SandboxUser) -> Bool {
        let shown = fields(owner: owner, isImmutable: false)
        func people(_ field: String) -> String {
            (shown[field]?.array ?? [shown[field] ?? .null]).map { person in
                [person["emailAddress"]?["name"]?.string, person["emailAddress"]?["address"]?.string]
                    .compactMap(\.self).joined(separator: " ")
            }.joined(separator: " ")
        }
        let places = [
            "subject": shown["subject"]?.string ?? "", "body": content["body"]?["content"]?.string ?? "",
            "from": people("from"), "to": people("toRecipients"), "cc": people("ccRecipients"),
            "attachment": attachments.map(\.file.name).joined(separator: " "),
        ].mapValues { $0.lowercased() }
        // Quotes are not part of the searched words.
        return text.split { $0.isWhitespace || $0 == "'" }.allSatisfy { word in
            let parts = word.lowercased().split(separator: ":", maxSplits: 1)
            if parts.count == 2, let place = places[String(parts[0])] { return place.hasWord(from: parts[1]) }
            return places.values.contains { $0.hasWord(from: word.lowercased()[...]) }
        }
    }
}

extension String {
    fileprivate func hasWord(from start: Substring) -> Bool {
        ranges(of: start).contains { range in
            guard range.lowerBound > startIndex else { return true }
            let before = self[index(before: range.lowerBound)]
            return !before.isLetter && !before.isNumber
        }
    }
}
