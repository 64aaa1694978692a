extension RequestEffects {
    var drive: Int? {
        names.firstIndex(of: "drive").map { $0 + 1 } ?? (names.first == "drives" && names.count > 2 ? 2 : nil)
    }

    func drive(_ start: Int) -> [Effect] {
        // The path is split before anything in it is decoded.
        let parts = self.path.split(separator: ":", omittingEmptySubsequences: false)
        let named = parts.count > 1 ? String(parts[1].split(separator: "/").joined(separator: "/")) : nil
        let path: Value =
            named.map { .string($0.percentDecoded ?? $0) } ?? Self.item(of: segments[start...])
        let owner = names.first == "users" ? user : names.first == "groups" ? .string(segments[1]) : .null
        func file(_ path: Value, replaces: Bool?) -> [Effect] {
            let size = body?["item"]?["fileSize"] ?? .null
            return [Effect(.file(.init(owner: owner, path: path, replaces: replaces, size: size)), isOwn: isOwn)]
        }
        switch (method, last) {
        case ("PUT", "content"), ("POST", "createuploadsession"), ("POST", "content"):
            return file(path, replaces: nil)
        case ("POST", "children"), ("PUT", "children"):
            let name = body?["name"]?.string
            let folder = named == nil ? "" : path.string.map { "\($0)/" } ?? ""
            let isInRoot = names.suffix(2) == ["root", "children"]
            let path = name.map { named != nil || isInRoot ? Value.string(folder + $0) : .string($0) } ?? .null
            guard body?["folder"] != nil else { return file(path, replaces: false) }
            return [Effect(.folder(.init(owner: owner, path: path, replaces: false)), isOwn: isOwn)]
        case ("POST", "createlink"):
            return [
                Effect(
                    .link(
                        .init(
                            owner: owner, item: path, type: body?["type"] ?? .null, scope: body?["scope"] ?? .null,
                            expires: body?["expirationDateTime"] ?? .null,
                            password: body.map { !($0["password"] ?? .null).isNull })), isOwn: isOwn)
            ]
        case ("POST", "invite"):
            return [
                Effect(
                    .link(
                        .init(
                            owner: owner, item: path, type: body?["roles"]?.array?.first ?? .null, scope: "users",
                            expires: body?["expirationDateTime"] ?? .null, password: false)), isOwn: isOwn)
            ]
        case ("POST", "copy"):
            return [item(.create, "driveItem", path.string, body?["name"].map { ["name": $0] } ?? [:])]
        case ("POST", "permanentdelete"): return [item(.delete, "driveItem", path.string)]
        case ("DELETE", _):
            if let index = names.lastIndex(of: "permissions"), index + 1 < segments.count {
                return [item(.delete, "permission", segments[index + 1])]
            }
            return [item(.delete, "driveItem", path.string)]
        case ("PATCH", _): return [item(.change, "driveItem", path.string, properties)]
        case ("POST", _) where Self.actions.contains(last):
            return [item(.change, "driveItem", path.string, [last: .null])]
        default: return []
        }
    }

    private static func item(of segments: ArraySlice<String>) -> Value {
        guard let index = segments.firstIndex(where: { $0.lowercased() == "items" }), index + 1 < segments.endIndex
        else { return segments.first?.lowercased() == "root" ? "" : .null }
        return .string(segments[index + 1])
    }

    // MARK: Everything else that has a name

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
        "owners": "owner", "extensions": "extension", "events": "event", "attachments": "attachment",
    ]
    /// Actions of which the bounds of agents know what they may do; others are requests.
    private static let actions: Set<String> = [
        "accept", "addfavorite", "archive", "checkin", "checkout", "copy", "decline", "discardcheckout", "follow",
        "forward", "move", "removefavorite", "renew", "restore", "restoreversion", "revokesigninsessions",
        "tentativelyaccept", "unarchive", "unfollow",
    ]

    var object: [Effect] {
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

    private var action: [Effect] {
        guard method == "POST", names.count > 2, let what = Self.collections[names[names.count - 3]] else { return [] }
        let id = isOwn && names.count == 3 ? nil : segments[segments.count - 2]
        if last == "permanentdelete" || last == "cancel" { return [item(.delete, what, id)] }
        return Self.actions.contains(last) ? [item(.change, what, id, [last: .null])] : []
    }

    var properties: Object { body?.object?.filter { !$0.key.contains("@odata.") } ?? [:] }

    func item(_ kind: Effect.Kind, _ what: String, _ id: String?, _ properties: Object = [:]) -> Effect {
        let name = properties["displayName"] ?? properties["name"] ?? properties["title"] ?? properties["subject"]
        var effect = Effect(.init(kind, [:]), isOwn: isOwn)
        effect.objectChange = .init(
            what: what, id: id.map { $0.isEmpty ? .null : .string($0) } ?? .null, name: name ?? .null,
            properties: properties.mapValues { ["before": .null, "after": $0] })
        return effect
    }
}
