public import Promises

extension GraphClient {
    /// Makes a link that opens a file for others; the same link where this program made one already.
    ///
    /// - Parameters:
    ///   - item: The file.
    ///   - type: What the link is good for.
    ///   - scope: Who may use it; nil for what the organisation has as its default.
    ///   - password: A password that the reader must know; personal OneDrive only.
    ///   - expirationDateTime: When the link ends: `2026-12-31T00:00:00Z`; nil for what the organisation has.
    ///   - user: Whose drive the file is in: an id or user principal name; nil for the signed-in user's.
    public func createLink(
        to item: DriveItem, type: SharingLink.Kind = .view, scope: SharingLink.Scope? = nil, password: String? = nil,
        expirationDateTime: String? = nil, user: String? = nil
    ) -> Promise<SharingLink> {
        createLink(
            toItem: item.id, type: type, scope: scope, password: password, expirationDateTime: expirationDateTime,
            user: user)
    }

    /// Makes a link that opens the file of that id for others; the same link where this program made one already.
    public func createLink(
        toItem id: String, type: SharingLink.Kind = .view, scope: SharingLink.Scope? = nil, password: String? = nil,
        expirationDateTime: String? = nil, user: String? = nil
    ) -> Promise<SharingLink> {
        let name = symbol("createLink")
        return json {
            var body: Object = ["type": .string(type.rawValue)]
            body["scope"] = (scope?.rawValue).map(Value.string)
            body["password"] = password.map(Value.string)
            body["expirationDateTime"] = expirationDateTime.map(Value.string)
            let path = try GraphPath(user: user).adding("/drive/items").adding(id: id, what: "item's id")
                .adding("/createLink")
            var request = GraphRequest(
                "createLink", .idempotent, .files, "POST", path,
                headers: ["Content-Type": "application/json", "Accept": "application/json"],
                body: Value.object(body).jsonData(),
                example: .json(
                    201,
                    [
                        "id": "‹\(name).id›", "roles": "‹\(name).roles›",
                        "link": [
                            "type": .string(type.rawValue),
                            "scope": .string(scope?.rawValue ?? "‹\(name).link.scope›"),
                            "webUrl": "‹\(name).webUrl›",
                        ],
                    ]))
            request.target = .link(item: id, kind: type.rawValue)
            return request
        } as: { answer throws(GraphError) in
            try SharingLink(answer)
        }.recover(on: nil) { error -> Promise<SharingLink> in
            // Without a scope the organisation's default counts, which may be everybody.
            guard var error = error as? GraphError, error.code == .forbidden, [nil, .anonymous].contains(scope)
            else { throw error }
            let rest =
                "Where an administrator forbids links for everybody, the scopes that remain are organization and users."
            error.hint = error.hint.map { "\($0) \(rest)" } ?? rest
            throw error
        }
    }
}
