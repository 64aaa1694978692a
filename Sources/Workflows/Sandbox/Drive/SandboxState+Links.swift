extension SandboxState {
    private static let kinds = ["view", "edit", "embed"]
    private static let scopes = ["anonymous", "organization", "users"]

    /// `POST …/createLink`: 201 with a new link, 200 with an existing one.
    mutating func answerCreateLink(
        _ item: SandboxRoute.Item, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let body = try call.json?.get() else { throw .unreadableBody }
        guard let found = try node(item, of: owner) else { throw .noItem }
        if case .root = found { throw .notPlayed("a link to the root of a drive") }
        let type = body["type"]?.string ?? "view"
        let scope = body["scope"]?.string ?? "organization"
        guard Self.kinds.contains(type) else {
            throw .badRequest("Invalid value for type: '\(type)'", code: "invalidRequest")
        }
        guard Self.scopes.contains(scope) else {
            throw .badRequest("Invalid value for scope: '\(scope)'", code: "invalidRequest")
        }
        guard scope != "anonymous" || settings.allowsAnonymousLinks else {
            throw SandboxError(
                status: 403, code: "accessDenied",
                message: "Anonymous links are disabled by an administrator: the sharing policy does not allow them.",
                innerCode: "sharingDisabled")
        }
        var links = links(to: found)
        let position = links.firstIndex { $0.type == type && $0.scope == scope }
        var link =
            position.map { links[$0] }
            ?? Sandbox.DriveItem.Link(
                id: guid(), type: type, scope: scope,
                webURL: "\(origin)/s/\(text(22, of: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"))",
                hasPassword: false, expirationDateTime: nil)
        if body["password"]?.string != nil { link.hasPassword = true }
        if let end = body["expirationDateTime"]?.string { link.expirationDateTime = end }
        if let position { links[position] = link } else { links.append(link) }
        keep(links, of: found)
        return Self.json(Self.permission(of: link), status: position == nil ? 201 : 200)
    }

    /// `GET …/permissions`: the links of an item.
    func answerPermissions(
        of item: SandboxRoute.Item, owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard call.request.method == "GET" else { throw .notPlayed("permissions") }
        guard let found = try node(item, of: owner) else { throw .noItem }
        return try SandboxList(
            context: "permissions", type: "microsoft.graph.permission",
            elements: links(to: found).map { link in Self.permission(of: link).filter { $0.key != "@odata.context" } }
                + (store.lists[grants(of: found)] ?? []),
            fields: [
                "id", "roles", "link", "hasPassword", "shareId", "expirationDateTime", "grantedToV2", "invitation",
            ]
        ).answer(call)
    }

    /// `GET` and `DELETE …/permissions/ID` of a link.
    mutating func answerPermission(
        _ id: String, of item: SandboxRoute.Item, owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let found = try node(item, of: owner) else { throw .noItem }
        let links = links(to: found)
        if let grant = store.object(id, in: grants(of: found)) {
            guard call.request.method == "DELETE" else { return Self.json(grant) }
            store.remove(id, from: grants(of: found))
            return HTTPResponse(status: 204)
        }
        guard let link = links.first(where: { $0.id == id }) else { throw .noItem }
        guard call.request.method == "DELETE" else { return Self.json(Self.permission(of: link)) }
        keep(links.filter { $0.id != id }, of: found)
        return HTTPResponse(status: 204)
    }

    /// The list of what people get to a file or folder, but for links.
    private func grants(of node: SandboxNode) -> String {
        switch node {
        case .root: "drives/root/permissions"
        case .file(let index): "drives/items/\(items[index].id)/permissions"
        case .folder(let folder): "drives/items/\(folder.id)/permissions"
        }
    }

    /// `POST …/invite`: a permission for each recipient, and the mail that tells them.
    mutating func answerInvite(
        to item: SandboxRoute.Item, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        let body = try body(call, of: nil)
        guard let found = try node(item, of: owner) else { throw .noItem }
        let roles = body["roles"]?.array?.compactMap(\.string) ?? []
        guard !roles.isEmpty, roles.allSatisfy({ ["read", "write", "owner"].contains($0) }) else {
            throw .badRequest("One of the provided arguments is not acceptable: roles.", code: "invalidRequest")
        }
        let names = (body["recipients"]?.array ?? []).compactMap {
            ($0["email"] ?? $0["alias"] ?? $0["objectId"])?.string
        }
        guard !names.isEmpty else {
            throw .badRequest("One of the provided arguments is not acceptable: recipients.", code: "invalidRequest")
        }
        var granted: [Value] = []
        for name in names {
            let user = directory.user(named: name) ?? directory.user(at: name)
            guard user != nil || name.contains("@") else { throw .noUser(name) }
            var person: Object = [
                "displayName": .string(user?.displayName ?? name), "email": .string(user?.mail ?? name),
            ]
            if let user { person["id"] = .string(user.id) }
            let permission: Object = [
                "id": .string(guid()), "roles": .array(roles.map(Value.string)),
                "grantedToV2": ["user": .object(person)], "grantedTo": ["user": .object(person)],
                "invitation": ["email": .string(name), "signInRequired": body["requireSignIn"] ?? true],
            ]
            store.add(permission, to: grants(of: found))
            granted.append(.object(permission))
        }
        if body["sendInvitation"] == true {
            let addresses = names.map { directory.user(named: $0)?.mail ?? $0 }
            mail(
                "\(owner.displayName) shared a file with you", body["message"]?.string ?? "", to: addresses, of: owner,
                call)
        }
        return Self.json(["value": .array(granted)])
    }

    private mutating func keep(_ links: [Sandbox.DriveItem.Link], of node: SandboxNode) {
        switch node {
        case .root: break
        case .file(let index): items[index].links = links
        case .folder(let folder):
            if let index = folders.firstIndex(where: { $0.id == folder.id }) { folders[index].links = links }
        }
    }

    private func links(to node: SandboxNode) -> [Sandbox.DriveItem.Link] {
        switch node {
        case .root: []
        case .file(let index): items[index].links
        case .folder(let folder): folder.links
        }
    }

    func shared(at suffix: String) -> Data? {
        func leadsHere(_ links: [Sandbox.DriveItem.Link]) -> Bool { links.contains { $0.webURL.hasSuffix(suffix) } }
        if let item = items.first(where: { leadsHere($0.links) }) { return item.content }
        guard let folder = folders.first(where: { leadsHere($0.links) }) else { return nil }
        let start = folder.path + "/"
        let inside = (items.map { ($0.owner, $0.path) } + folders.map { ($0.owner, $0.path + "/") })
            .filter { $0.0 == folder.owner && $0.1.hasPrefix(start) && $0.1 != start }
            .map { String($0.1.dropFirst(start.count)) }.sorted()
        return Data(([folder.path] + inside).joined(separator: "\n").utf8)
    }

    private static func permission(of link: Sandbox.DriveItem.Link) -> Object {
        var details: Object = [
            "type": .string(link.type), "scope": .string(link.scope), "webUrl": .string(link.webURL),
            "preventsDownload": false,
            "application": ["id": "00000000-0000-0000-0000-000000000000", "displayName": "graphflow"],
        ]
        if link.type == "embed" { details["webHtml"] = .string("<iframe src=\"\(link.webURL)\"></iframe>") }
        var result: Object = [
            "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#permission", "id": .string(link.id),
            "roles": [link.type == "edit" ? "write" : "read"], "hasPassword": .bool(link.hasPassword),
            "shareId": .string("u!" + Data(link.webURL.utf8).base64EncodedString().prefix { $0 != "=" }),
            "link": .object(details),
        ]
        if let end = link.expirationDateTime { result["expirationDateTime"] = .string(end) }
        return result
    }
}
