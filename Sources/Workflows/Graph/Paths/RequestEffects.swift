struct RequestEffects {
    /// The method as it was given: secrets are searched for in this spelling.
    let given: String
    let method: String
    let path: String
    let query: Substring
    let host: String
    let body: Value?
    /// The path's decoded segments, with `users` and an id instead of `me`.
    let segments: [String]
    let names: [String]
    let last: String
    let isOwn: Bool

    init(_ method: String, _ path: String, host: String, _ body: Value?) {
        let whole = path.utf8.prefix { $0 != UInt8(ascii: "#") }
        let plain = String(Substring(whole.prefix { $0 != UInt8(ascii: "?") }))
        query = Substring(whole.dropFirst(plain.utf8.count + 1))
        (given, self.path, self.host, self.body) = (method, plain, host, body.map(Self.named))
        self.method = method.uppercased()
        var segments = Self.segments(of: plain)
        isOwn = segments.first?.lowercased() == "me"
        if isOwn { segments.replaceSubrange(0..<1, with: ["users", ""]) }
        self.segments = segments
        names = segments.map { $0.lowercased() }
        last = String((names.last ?? "").trimmingPrefix("microsoft.graph."))
    }

    /// The decoded segments of a path; a key in parentheses is a segment: `messages('M')` is `messages/M`.
    private static func segments(of path: String) -> [String] {
        var isInFilePath = false
        return path.utf8.split(separator: UInt8(ascii: "/")).flatMap { part in
            let text = String(Substring(part))
            let segment = text.utf8.contains(UInt8(ascii: "%")) ? text.percentDecoded ?? text : text
            // The path of a file is between colons, and has no keys.
            if segment.hasSuffix(":") { isInFilePath.toggle() }
            return isInFilePath ? [segment] : nameAndKey(segment)
        }
    }

    private static func nameAndKey(_ segment: String) -> [String] {
        guard segment.hasSuffix(")"), let open = segment.firstIndex(of: "("),
            case let name = segment[..<open], !name.isEmpty, name.allSatisfy({ $0.isLetter || "._$".contains($0) })
        else { return [segment] }
        // An alternate key has a name: userPrincipalName='x'.
        let inside = segment[open...].dropFirst().dropLast()
        let key = inside.hasSuffix("'") ? inside.drop { $0 != "'" }.dropFirst().dropLast() : inside
        return key.isEmpty ? [String(name)] : [String(name), String(key).replacing("''", with: "'")]
    }

    private static let spellings = Dictionary(
        uniqueKeysWithValues: [
            "addLicenses", "address", "attachments", "attendees", "bccRecipients", "body", "ccRecipients",
            "contentBytes",
            "dateTime", "displayName", "emailAddress", "end", "expirationDateTime", "fileSize", "folder", "from",
            "item",
            "members@odata.bind", "message", "method", "name", "@odata.id", "password", "removeLicenses", "requests",
            "roles", "scope", "skuId", "start", "subject", "title", "toRecipients", "type", "url", "user@odata.bind",
        ].map { ($0.lowercased(), $0) })

    /// A body with these names, which the service accepts in any case.
    private static func named(_ body: Value) -> Value {
        switch body {
        case .array(let elements): .array(elements.map(named))
        case .object(let members):
            .object(Object(members.map { (spellings[$0.key.lowercased()] ?? $0.key, named($0.value)) }))
        case .null, .bool, .integer, .double, .string, .marked: body
        }
    }

    var effects: [Effect] {
        if last == "$batch", method == "POST", let requests = body?["requests"]?.array { return batch(requests) }
        let known = ["POST", "PUT", "PATCH", "DELETE"].contains(method) ? known : []
        return known.isEmpty ? [unknown] : known
    }

    var unknown: Effect {
        let path = "/" + path.trimmingPrefix("/")
        return Effect(.request(method: .string(given), host: .string(host), path: .string(path)))
    }

    var user: Value {
        guard names.first == "users", segments.count > 1, !isOwn else { return .null }
        return .string(segments[1])
    }

    private var known: [Effect] {
        // A list of new members comes with the group's other properties.
        if let added = body?["members@odata.bind"]?.array, names.first == "groups" {
            let group = segments.count > 1 ? Value.string(segments[1]) : body?["displayName"] ?? .null
            return added.map { Effect(.member(.init(group: group, member: Self.id(in: $0), added: true))) }
                + (method == "POST" || !properties.isEmpty ? object : [])
        }
        guard !segments.isEmpty else { return [] }
        if let drive { return self.drive(drive) }
        // Messages of chats and channels are not mails.
        if names.first == "users", names.count > 2,
            ["messages", "mailfolders"].contains(names[2]) || last == "sendmail"
        {
            return mail
        }
        if ["users", "groups"].contains(names.first),
            ["events", "calendar", "calendars"].contains(where: names.contains)
        {
            return event
        }
        if names.contains("members") || names.contains("owners"), names.contains("groups") || last == "$ref" {
            if let effects = members { return effects }
        }
        return object
    }

    // MARK: Batches of requests

    private func batch(_ requests: [Value]) -> [Effect] {
        requests.flatMap { inner -> [Effect] in
            guard let method = inner["method"]?.string, let path = inner["url"]?.string else { return [unknown] }
            return method.uppercased() == "GET" ? [] : RequestEffects(method, path, host: host, inner["body"]).effects
        }
    }

    // MARK: Mail

    private var mail: [Effect] {
        switch (method, last) {
        case ("POST", "sendmail"): return [message(body?["message"], isSent: true)]
        case ("POST", "messages"): return [message(body, isSent: false)]
        case ("POST", "send"): return [message(nil, isSent: true)]
        case ("POST", "reply"), ("POST", "replyall"), ("POST", "forward"):
            return [message(answer, isSent: true)]
        case ("POST", "createreply"), ("POST", "createreplyall"), ("POST", "createforward"):
            return [message(answer, isSent: false)]
        default: return object
        }
    }

    private var answer: Value {
        var message = body?["message"]?.object ?? [:]
        if let recipients = body?["toRecipients"] { message["toRecipients"] = recipients }
        return .object(message)
    }

    /// - Parameter given: The message; a token means that nothing is known.
    private func message(_ given: Value?, isSent: Bool) -> Effect {
        let message = given ?? .null
        let isNew = ["sendmail", "messages"].contains(last) && message.object != nil
        func addresses(_ name: String) -> Value {
            guard let list = message[name], !list.isNull else { return isNew ? [] : .null }
            guard let all = list.array else { return .null }
            return .array(all.map { $0["emailAddress"]?["address"] ?? .null })
        }
        return Effect(
            .mail(
                .init(
                    from: message["from"]?["emailAddress"]?["address"] ?? user, to: addresses("toRecipients"),
                    cc: addresses("ccRecipients"), bcc: addresses("bccRecipients"),
                    subject: message["subject"] ?? (isNew ? "" : .null),
                    attachments: message["attachments"].map(attachments) ?? (isNew ? [] : .null), sent: isSent)),
            isOwn: isOwn && message["from"] == nil)
    }

    private func attachments(_ list: Value) -> Value {
        guard let all = list.array else { return .null }
        return .array(
            all.map { attachment in
                let content = attachment["contentBytes"]?.string
                let bytes = content.flatMap { UnknownTokens.isIn($0) ? nil : Data(base64Encoded: $0)?.count }
                return ["name": attachment["name"] ?? .null, "size": bytes.map(Value.integer) ?? .null]
            })
    }

    // MARK: Calendars

    private var event: [Effect] {
        guard method == "POST", last == "events" else { return object }
        return [.event(body ?? .null, of: user, isOwn: isOwn)]
    }

    // MARK: Groups and licenses

    private var members: [Effect]? {
        guard let index = names.firstIndex(where: { ["members", "owners"].contains($0) }), index > 0 else { return nil }
        let group = Value.string(segments[index - 1])
        let rest = segments[(index + 1)...]
        if method == "POST", rest.first?.lowercased() == "$ref", let id = body?["@odata.id"] {
            return [Effect(.member(.init(group: group, member: Self.id(in: id), added: true)))]
        }
        if method == "DELETE", rest.count == 2, last == "$ref" || names.first != "groups" {
            return [Effect(.member(.init(group: group, member: .string(rest[rest.startIndex]), added: false)))]
        }
        if method == "POST", rest.isEmpty, let user = body?["user@odata.bind"] {
            return [Effect(.member(.init(group: group, member: Self.id(in: user), added: true)))]
        }
        return nil
    }

    private static func id(in address: Value) -> Value {
        guard let text = address.string, let last = text.split(separator: "/").last else { return .null }
        return segments(of: String(last)).last.map(Value.string) ?? .null
    }

    var licenses: [Effect] {
        func each(_ list: Value?, _ read: (Value) -> Value, isAdded: Bool) -> [Effect] {
            guard let all = list?.array else {
                return list.map { _ in [license(.null, isAdded: isAdded)] } ?? []
            }
            return all.map { license(read($0), isAdded: isAdded) }
        }
        return each(body?["addLicenses"], { $0["skuId"] ?? .null }, isAdded: true)
            + each(body?["removeLicenses"], { $0 }, isAdded: false)
    }

    private func license(_ id: Value, isAdded: Bool) -> Effect {
        Effect(.license(.init(user: user, license: id, added: isAdded)), isOwn: isOwn)
    }
}

extension Effect {
    /// The effect of a new event.
    /// - Parameters:
    ///   - user: The calendar's owner; null if unknown, or for the signed-in user.
    ///   - isOwn: Whether it is the signed-in user's calendar.
    static func event(_ event: Value, of user: Value, isOwn: Bool) -> Effect {
        let attendees = event["attendees"].map { list in
            list.array.map { Value.array($0.map { $0["emailAddress"]?["address"] ?? .null }) } ?? .null
        }
        return Effect(
            .event(
                .init(
                    organizer: user, attendees: attendees ?? (event.object == nil ? .null : []),
                    subject: event["subject"] ?? .null, start: event["start"]?["dateTime"] ?? .null,
                    end: event["end"]?["dateTime"] ?? .null)), isOwn: isOwn)
    }
}
