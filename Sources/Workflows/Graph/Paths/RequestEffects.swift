import Essentials

extension GraphClient {
    /// What a request to an address of the service does, by its method, its path and its body.
    ///
    /// Every request that may change something has an effect: one that is not known is a `request`.
    /// - Parameters:
    ///   - path: The path after the service's base, percent-encoded, with or without its query.
    ///   - body: The body if it is JSON; nil for any other.
    package static func effects(
        of method: String, at path: String, host: String, _ body: Value?
    ) -> [Effect] {
        RequestEffects(method, path, host: host, body).effects
    }
}

/// Recognizes the effects of requests that a workflow writes itself.
private struct RequestEffects {
    /// The method as it was given: a secret in it is searched for as it is.
    private let given: String
    private let path: String
    private let host: String
    private let body: Value?
    /// The segments of the path, decoded, with `users` and an id in place of `me`.
    private let segments: [String]
    /// Whether the path begins with the signed-in user.
    private let isOwn: Bool

    init(_ method: String, _ path: String, host: String, _ body: Value?) {
        let plain = String(path.prefix { $0 != "?" && $0 != "#" })
        (given, self.path, self.host, self.body) = (method, plain, host, body)
        var segments = plain.split(separator: "/").map { String($0).percentDecoded ?? String($0) }
        isOwn = segments.first?.lowercased() == "me"
        if isOwn { segments.replaceSubrange(0..<1, with: ["users", ""]) }
        // users('ID') is users/ID.
        if let first = segments.first, first.lowercased().hasPrefix("users('"), first.hasSuffix("')") {
            segments.replaceSubrange(
                0..<1, with: ["users", String(first.dropFirst(7).dropLast(2)).replacing("''", with: "'")])
        }
        self.segments = segments
    }

    var effects: [Effect] {
        let known = known
        guard known.isEmpty else { return known }
        return [Effect(.request, ["method": .string(given), "host": .string(host), "path": .string("/" + trimmed)])]
    }

    private var trimmed: String { String(path.trimmingPrefix("/")) }

    private var method: String { given.uppercased() }

    /// The names of the path in lower case.
    private var names: [String] { segments.map { $0.lowercased() } }

    /// The last segment in lower case, without the namespace of an action.
    private var last: String { String((names.last ?? "").trimmingPrefix("microsoft.graph.")) }

    /// The id of the user at the path's beginning; null for the signed-in user.
    private var user: Value {
        guard names.first == "users", segments.count > 1, !isOwn else { return .null }
        return .string(segments[1])
    }

    private var known: [Effect] {
        // A list of new members comes with the group's other properties.
        if let added = body?["members@odata.bind"]?.array, names.first == "groups" {
            let group = segments.count > 1 ? Value.string(segments[1]) : body?["displayName"] ?? .null
            return added.map { Effect(.member, ["group": group, "member": Self.id(in: $0), "added": true]) }
                + (method == "POST" || !properties.isEmpty ? object : [])
        }
        if last == "$batch", method == "POST" { return batch }
        guard !segments.isEmpty else { return [] }
        if let drive { return self.drive(drive) }
        if names.contains("messages") || names.contains("mailfolders") || last == "sendmail" {
            // Messages of chats and channels are no mails.
            if names.first == "users", !names.contains("chats") { return mail }
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

    private var batch: [Effect] {
        (body?["requests"]?.array ?? []).flatMap { inner -> [Effect] in
            let method = inner["method"]?.string ?? "GET"
            guard method.uppercased() != "GET", let path = inner["url"]?.string else { return [] }
            return RequestEffects(method, path, host: host, inner["body"]).effects
        }
    }

    // MARK: Mail

    private var mail: [Effect] {
        let index = names.lastIndex(of: "messages")
        let rest = index.map { segments[($0 + 1)...] } ?? []
        switch (method, last) {
        case ("POST", "sendmail"): return [message(body?["message"] ?? [:], isSent: true)]
        case ("POST", "messages"): return [message(body ?? [:], isSent: false)]
        case ("POST", "send"): return [message([:], isSent: true)]
        case ("POST", "reply"), ("POST", "replyall"), ("POST", "forward"):
            return [message(answer, isSent: true)]
        case ("POST", "createreply"), ("POST", "createreplyall"), ("POST", "createforward"):
            return [message(answer, isSent: false)]
        default: break
        }
        guard let id = rest.first else { return object }
        switch (method, rest.count, last) {
        case ("DELETE", 1, _), ("POST", 2, "permanentdelete"): return [item(.delete, "message", id)]
        default: return [item(.change, "message", id, rest.count > 1 ? [rest[rest.startIndex + 1]: .null] : properties)]
        }
    }

    /// What is known of an answer to a message, or of one that is forwarded.
    private var answer: Value {
        var message = body?["message"]?.object ?? [:]
        if let recipients = body?["toRecipients"] { message["toRecipients"] = recipients }
        return .object(message)
    }

    private func message(_ message: Value, isSent: Bool) -> Effect {
        let isNew = ["sendmail", "messages"].contains(last)
        func addresses(_ name: String) -> Value {
            guard let list = message[name], !list.isNull else { return isNew ? [] : .null }
            guard let all = list.array else { return .null }
            return .array(all.map { $0["emailAddress"]?["address"] ?? .null })
        }
        var effect = Effect(
            .mail,
            [
                "from": message["from"]?["emailAddress"]?["address"] ?? user, "to": addresses("toRecipients"),
                "cc": addresses("ccRecipients"), "bcc": addresses("bccRecipients"),
                "subject": message["subject"] ?? (isNew ? "" : .null),
                "attachments": message["attachments"].map(attachments) ?? (isNew ? [] : .null), "sent": .bool(isSent),
            ], isOwn: isOwn && message["from"] == nil)
        effect.isOnce = isSent
        return effect
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
        guard let index = names.lastIndex(of: "events") else { return object }
        let rest = segments[(index + 1)...]
        if method == "POST", rest.isEmpty { return [.event(body ?? [:], of: user, isOwn: isOwn)] }
        guard let id = rest.first else { return object }
        if method == "DELETE" || last == "cancel" { return [item(.delete, "event", id)] }
        return [item(.change, "event", id, rest.count > 1 ? [rest[rest.startIndex + 1]: .null] : properties)]
    }

    // MARK: Groups and licenses

    private var members: [Effect]? {
        guard let index = names.firstIndex(where: { ["members", "owners"].contains($0) }), index > 0 else { return nil }
        let group = Value.string(segments[index - 1])
        let rest = segments[(index + 1)...]
        if method == "POST", rest.first?.lowercased() == "$ref", let id = body?["@odata.id"] {
            return [Effect(.member, ["group": group, "member": Self.id(in: id), "added": true])]
        }
        if method == "DELETE", rest.count == 2, last == "$ref" || names.first != "groups" {
            return [Effect(.member, ["group": group, "member": .string(rest[rest.startIndex]), "added": false])]
        }
        if method == "POST", rest.isEmpty, let user = body?["user@odata.bind"] {
            return [Effect(.member, ["group": group, "member": Self.id(in: user), "added": true])]
        }
        return nil
    }

    /// The id at the end of an object's address.
    private static func id(in address: Value) -> Value {
        guard let text = address.string, let last = text.split(separator: "/").last else { return .null }
        let id = String(last).percentDecoded ?? String(last)
        guard let quote = id.firstIndex(of: "'"), id.hasSuffix("')") else { return .string(id) }
        return .string(String(id[id.index(after: quote)...].dropLast(2)).replacing("''", with: "'"))
    }

    private var licenses: [Effect] {
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
        Effect(.license, ["user": user, "license": id, "added": .bool(isAdded)], isOwn: isOwn)
    }

    // MARK: Drives

    /// Where the part of the path begins that is inside a drive.
    private var drive: Int? {
        names.firstIndex(of: "drive").map { $0 + 1 } ?? (names.first == "drives" && names.count > 2 ? 2 : nil)
    }

    private func drive(_ start: Int) -> [Effect] {
        // Where a path begins and ends is looked for before anything in it is decoded.
        let parts = self.path.split(separator: ":", omittingEmptySubsequences: false)
        let named = parts.count > 1 ? String(parts[1].split(separator: "/").joined(separator: "/")) : nil
        let path: Value =
            named.map { .string($0.percentDecoded ?? $0) } ?? Self.item(of: segments[start...])
        let owner = names.first == "users" ? user : names.first == "groups" ? .string(segments[1]) : .null
        func made(_ kind: Effect.Kind, _ path: Value, replaces: Value) -> [Effect] {
            let size = kind == .file ? body?["item"]?["fileSize"] ?? .null : .null
            return [
                Effect(kind, ["owner": owner, "path": path, "replaces": replaces, "size": size], isOwn: isOwn)
            ]
        }
        switch (method, last) {
        case ("PUT", "content"), ("POST", "createuploadsession"), ("POST", "content"):
            return made(.file, path, replaces: .null)
        case ("POST", "children"), ("PUT", "children"):
            let name = body?["name"]?.string
            let folder = named == nil ? "" : path.string.map { "\($0)/" } ?? ""
            let isInRoot = names.suffix(2) == ["root", "children"]
            let path = name.map { named != nil || isInRoot ? Value.string(folder + $0) : .string($0) }
            return made(body?["folder"] == nil ? .file : .folder, path ?? .null, replaces: false)
        case ("POST", "createlink"):
            let body = body ?? [:]
            return [
                Effect(
                    .link,
                    [
                        "owner": owner, "item": path, "type": body["type"] ?? .null, "scope": body["scope"] ?? .null,
                        "expires": body["expirationDateTime"] ?? .null,
                        "password": .bool(body["password"].map { !$0.isNull } ?? false),
                    ], isOwn: isOwn)
            ]
        case ("POST", "invite"):
            return [
                Effect(
                    .link,
                    [
                        "owner": owner, "item": path, "type": body?["roles"]?.array?.first ?? .null, "scope": "users",
                        "expires": body?["expirationDateTime"] ?? .null, "password": false,
                    ], isOwn: isOwn)
            ]
        case ("POST", "copy"):
            return [item(.create, "driveItem", path.string, body?["name"].map { ["name": $0] } ?? [:])]
        case ("DELETE", _):
            if let index = names.lastIndex(of: "permissions"), index + 1 < segments.count {
                return [item(.delete, "permission", segments[index + 1])]
            }
            return [item(.delete, "driveItem", path.string)]
        default: return [item(.change, "driveItem", path.string, properties)]
        }
    }

    /// The id of an item in a path without a colon.
    private static func item(of segments: ArraySlice<String>) -> Value {
        guard let index = segments.firstIndex(where: { $0.lowercased() == "items" }), index + 1 < segments.endIndex
        else { return segments.first?.lowercased() == "root" ? "" : .null }
        return .string(segments[index + 1])
    }

    // MARK: Everything else that has a name

    /// What a collection has, by its name.
    private static let collections: [String: String] = [
        "users": "user", "groups": "group", "teams": "team", "channels": "channel", "chats": "chat",
        "messages": "message", "replies": "message", "lists": "list", "items": "list item", "columns": "column",
        "plans": "plan", "buckets": "bucket", "tasks": "task", "checklistitems": "checklist item",
        "contacts": "contact", "contactfolders": "contact folder", "calendars": "calendar",
        "calendargroups": "calendar group", "mailfolders": "mail folder", "childfolders": "mail folder",
        "messagerules": "mail rule", "subscriptions": "subscription", "applications": "application",
        "serviceprincipals": "service principal", "devices": "device", "invitations": "guest",
        "photo": "photo", "photos": "photo", "drives": "drive", "sites": "site", "permissions": "permission",
        "tabs": "tab", "directoryobjects": "directory object", "deleteditems": "deleted item", "members": "member",
        "owners": "owner", "extensions": "extension", "events": "event",
    ]

    private var object: [Effect] {
        if last == "assignlicense", method == "POST" {
            let all = licenses
            return all.isEmpty ? [item(.change, "user", user.string)] : all
        }
        var names = names
        var segments = segments
        if let end = names.last, ["$value", "$ref"].contains(end) {
            names.removeLast()
            segments.removeLast()
        }
        guard let end = names.last else { return [] }
        if let what = Self.collections[end], method == "POST" {
            return [item(.create, what, nil, properties)]
        }
        if ["photo", "photos"].contains(end) {
            return [item(method == "DELETE" ? .delete : .change, "photo", user.string)]
        }
        guard names.count > 1, let what = Self.collections[names[names.count - 2]] else { return action }
        let id = isOwn && names.count == 2 ? nil : segments.last
        switch method {
        case "DELETE": return [item(.delete, what, id)]
        case "PATCH", "PUT": return [item(.change, what, id, properties)]
        default: return []
        }
    }

    /// An action on an object, such as `users/ID/revokeSignInSessions`.
    private var action: [Effect] {
        guard method == "POST", names.count > 2, let what = Self.collections[names[names.count - 3]] else { return [] }
        return [item(.change, what, isOwn && names.count == 3 ? nil : segments[segments.count - 2], [last: .null])]
    }

    /// The properties that a body sets.
    private var properties: Object { body?.object?.filter { !$0.key.contains("@odata.") } ?? [:] }

    private func item(_ kind: Effect.Kind, _ what: String, _ id: String?, _ properties: Object = [:]) -> Effect {
        let name = properties["displayName"] ?? properties["name"] ?? properties["title"] ?? properties["subject"]
        return Effect(
            kind,
            [
                "what": .string(what), "id": id.map { $0.isEmpty ? .null : .string($0) } ?? .null,
                "name": name ?? .null,
                "properties": .object(
                    Object(properties.map { ($0.key, ["before": .null, "after": $0.value]) })),
            ], isOwn: isOwn)
    }
}

extension Effect {
    /// What a new event does.
    /// - Parameters:
    ///   - user: Whose calendar it is in; null if that is not known, or the signed-in user's.
    ///   - isOwn: Whether it is in the signed-in user's calendar.
    static func event(_ event: Value, of user: Value, isOwn: Bool) -> Effect {
        let attendees = event["attendees"].map { list in
            list.array.map { Value.array($0.map { $0["emailAddress"]?["address"] ?? .null }) } ?? .null
        }
        return Effect(
            .event,
            [
                "organizer": user, "attendees": attendees ?? [], "subject": event["subject"] ?? .null,
                "start": event["start"]?["dateTime"] ?? .null, "end": event["end"]?["dateTime"] ?? .null,
            ], isOwn: isOwn)
    }
}
