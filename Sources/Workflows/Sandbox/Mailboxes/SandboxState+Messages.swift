import Essentials

extension SandboxState {
    mutating func answerMessages(
        in folder: SandboxMessage.Folder?, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard call.request.method == "POST" else { return try list(in: folder, of: owner, call) }
        var (content, attachments, messageID) = try draft(from: call)
        let properties = try SandboxExtendedProperty.merging(content.takeExtendedProperties(), into: [])
        let message = addMessage(
            content, attachments, internetMessageID: messageID, in: folder ?? .drafts, of: owner, at: call.date,
            extended: properties)
        var response = Self.json(try show(message, of: owner, call), status: 201)
        response.headers["ETag"] = "W/\"\(message.changeKey)\""
        response.headers["Location"] =
            "https://graph.microsoft.com/v1.0/users('\(owner.id)')/messages('\(message.id(isImmutable: call.wantsImmutableIDs))')"
        return Self.noting(call, response)
    }

    private mutating func draft(
        from call: SandboxCall
    ) throws(SandboxError) -> (Object, [SandboxMessage.Attachment], messageID: String?) {
        try call.checkMailSize()
        guard let json = try call.json?.get(), var content = json.object else { throw .unreadableBody }
        var attachments: [SandboxMessage.Attachment] = []
        for value in content["attachments"]?.array ?? [] {
            attachments.append(try attachment(from: value, at: call.date))
        }
        content["attachments"] = nil
        let messageID = content["internetMessageId"]?.string
        return (content, attachments, messageID)
    }

    func show(
        _ message: SandboxMessage, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> Object {
        var answer: Object = [
            "@odata.context": .string(
                "https://graph.microsoft.com/v1.0/$metadata#users('\(owner.id)')/messages/$entity")
        ]
        let shown = try message.value(
            owner: owner, isImmutable: call.wantsImmutableIDs, select: call.target.option("select"),
            expansion: try SandboxExpansion(parsing: call.target.option("expand")))
        for (name, value) in shown { answer[name] = value }
        return answer
    }

    static func noting(_ call: SandboxCall, _ response: HTTPResponse) -> HTTPResponse {
        guard call.wantsImmutableIDs else { return response }
        var response = response
        response.headers["Preference-Applied"] = "IdType=\"ImmutableId\""
        return response
    }

    mutating func answerMessage(
        _ id: String, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        var message = try message(id, of: owner, at: call.date)
        try checkMatch(call, ["W/\"\(message.changeKey)\""])
        switch call.request.method {
        case "DELETE":
            if message.folder == .deletedItems {
                remove(message)
            } else {
                move(message, to: .deletedItems, at: call.date)
            }
            return HTTPResponse(status: 204)
        case "PATCH":
            try call.checkMailSize()
            guard var changes = try call.json?.get().object else { throw .unreadableBody }
            message.extendedProperties = try SandboxExtendedProperty.merging(
                changes.takeExtendedProperties(), into: message.extendedProperties)
            for (name, value) in changes where name != "attachments" && name != "@odata.type" {
                guard message.isDraft || ["isRead", "categories", "flag", "importance"].contains(name) else {
                    throw SandboxError(
                        status: 400, code: "ErrorInvalidPropertySet",
                        message: "Update operation is invalid for property '\(name)' of a message that was sent.")
                }
                message.content[name] = value
            }
            message = keep(message, at: call.date)
        default: break
        }
        var response = Self.json(try show(message, of: owner, call))
        response.headers["ETag"] = "W/\"\(message.changeKey)\""
        return Self.noting(call, response)
    }

    /// The messages with `$filter`, `$orderby`, `$select`, `$count` and pages by `$top` and `$skip`.
    private func list(
        in folder: SandboxMessage.Folder?, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        try call.target.checkOptions([
            "filter", "search", "orderby", "select", "expand", "count", "top", "skip", "skiptoken",
        ])
        let filter = try call.target.option("filter").map { text throws(SandboxError) in
            try SandboxFilter(parsing: text, on: "microsoft.graph.message", hasField: SandboxMessage.hasField)
        }
        guard filter?.fields.contains(where: { $0.lowercased() == "id" }) != true else { throw .noFilterByID }
        let isImmutable = call.wantsImmutableIDs
        var found = mailbox.messages.values.filter { message in
            guard message.owner == owner.userPrincipalName, message.isVisible(at: call.date),
                folder == nil || message.folder == folder
            else { return false }
            guard let filter else { return true }
            // A batch looks up each of its mails among all others, by a property that needs no fields.
            var fields: Object?
            return filter.matches(message.extendedProperties) { name in
                let known = fields ?? message.fields(owner: owner, isImmutable: isImmutable)
                fields = known
                return known.first { $0.key.lowercased() == name.lowercased() }?.value
            }
        }
        found.sort { ($0.sent ?? $0.created, $0.key) > ($1.sent ?? $1.created, $1.key) }
        if let text = call.target.option("search") {
            if let other = ["filter", "orderby"].first(where: { call.target.option($0) != nil }) {
                throw .badRequest(
                    "The query parameter '$\(other)' is not supported with '$search'.",
                    code: other == "filter" ? "SearchWithFilter" : "SearchWithOrderBy")
            }
            let words = text.filter { $0 != "\"" }
            found = found.filter { $0.matches(search: words, of: owner) }
        }
        if let order = call.target.option("orderby") { try sort(&found, by: order) }
        let top = call.target.option("top").map { Int($0) } ?? 10
        guard let top, (1...1000).contains(top) else {
            throw .badRequest(
                "The limit of '1000' for Top query has been exceeded, or it is no number.",
                code: "ErrorInvalidParameter")
        }
        let skipped = call.target.option("skip").map { Int($0) } ?? 0
        guard let skipped, skipped >= 0 else {
            throw .badRequest("The value of $skip is not valid.", code: "ErrorInvalidParameter")
        }
        let expansion = try SandboxExpansion(parsing: call.target.option("expand"))
        var page: [Value] = []
        for message in found.dropFirst(skipped).prefix(top) {
            page.append(
                .object(
                    try message.value(
                        owner: owner, isImmutable: isImmutable, select: call.target.option("select"),
                        expansion: expansion)))
        }
        var answer: Object = [
            "@odata.context": .string("https://graph.microsoft.com/v1.0/$metadata#users('\(owner.id)')/messages")
        ]
        if call.target.option("count")?.lowercased() == "true" { answer["@odata.count"] = .integer(found.count) }
        if skipped + page.count < found.count {
            answer["@odata.nextLink"] = .string(try call.link(replacing: "$skip", by: "\(skipped + page.count)"))
        }
        answer["value"] = .array(page)
        return Self.noting(call, Self.json(answer))
    }

    private func sort(_ messages: inout [SandboxMessage], by order: String) throws(SandboxError) {
        let words = order.split(separator: " ").map { $0.lowercased() }
        let isDescending = words.dropFirst().first == "desc"
        switch words.first {
        case "receiveddatetime", "sentdatetime", "createddatetime", "lastmodifieddatetime":
            messages.sort { ($0.sent ?? $0.created, $0.key) < ($1.sent ?? $1.created, $1.key) }
        case "subject":
            messages.sort { ($0.content["subject"]?.string ?? "") < ($1.content["subject"]?.string ?? "") }
        default:
            throw .badRequest("The property '\(order)' does not support sorting.", code: "ErrorInvalidParameter")
        }
        if isDescending { messages.reverse() }
    }

    /// `POST …/send` of a draft: 202 without a body; an accepted message is sent again.
    mutating func answerSend(
        _ id: String, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        let message = try message(id, of: owner, at: call.date)
        var mail = try Self.mail(.object(message.content), message.attachments.map(\.file))
        mail.id = message.immutableID
        mail.internetMessageID = message.internetMessageID
        mail.sentAt = call.date
        mail.sender = message.content["from"]?["emailAddress"]?["address"]?.string ?? owner.userPrincipalName
        guard message.isDraft, message.transit == nil else {
            // Graph documents no refusal, so a second request sends the message again.
            deliver(mail)
            return HTTPResponse(status: 202)
        }
        accept(message, as: mail, isDraft: true, at: call.date)
        return HTTPResponse(status: 202)
    }
}
