extension GraphClient {
    /// Creates a link that opens a file for others; returns the same link if this program already created one.
    ///
    /// - Parameters:
    ///   - item: The file.
    ///   - type: What the link allows.
    ///   - scope: Who may use it; nil for the organisation's default.
    ///   - password: A password that readers must enter; personal OneDrive only.
    ///   - expirationDateTime: When the link expires: `2026-12-31T00:00:00Z`; nil for the organisation's default.
    ///   - user: The drive's owner: an id or user principal name; nil for the signed-in user.
    public func createLink(
        to item: DriveItem, type: SharingLink.Kind = .view, scope: SharingLink.Scope? = nil, password: String? = nil,
        expirationDateTime: String? = nil, user: String? = nil
    ) -> Promise<SharingLink> {
        createLink(
            toItem: item.id, type: type, scope: scope, password: password, expirationDateTime: expirationDateTime,
            user: user)
    }

    /// Creates a link that opens the file with this id; returns the same link if this program already created one.
    public func createLink(
        toItem id: String, type: SharingLink.Kind = .view, scope: SharingLink.Scope? = nil, password: String? = nil,
        expirationDateTime: String? = nil, user: String? = nil
    ) -> Promise<SharingLink> {
        let answer = plannedAnswer("createLink")
        return json {
            var body: Object = ["type": .string(type.rawValue)]
            body["scope"] = (scope?.rawValue).map(Value.string)
            body["password"] = password.map(Value.string)
            body["expirationDateTime"] = expirationDateTime.map(Value.string)
            let path = try GraphPath(user: user).adding("/drive/items").adding(id: id, what: "item's id")
                .adding("/createLink")
            var request = GraphRequest(
                "createLink", .idempotent, "POST", path,
                headers: ["Content-Type": "application/json", "Accept": "application/json"],
                body: Value.object(body).jsonData(),
                example: .json(
                    201,
                    [
                        "id": .string(answer("id", .text)), "roles": .string(answer("roles")),
                        "link": [
                            "type": .string(answer("link.type", .text)), "scope": .string(answer("link.scope")),
                            "webUrl": .string(answer("webUrl", .text)),
                        ],
                    ]))
            request.consequences = [
                Effect(
                    .link(
                        .init(
                            owner: .owner(user), item: .string(id), type: .string(type.rawValue),
                            scope: (scope?.rawValue).map(Value.string) ?? .null,
                            expires: expirationDateTime.map(Value.string) ?? .null, password: password != nil)),
                    isOwn: user == nil)
            ]
            return request
        } as: { link throws(GraphError) in
            try SharingLink(link)
        }.recover(on: nil) { error -> Promise<SharingLink> in
            // Without a scope the organisation's default applies, which may be anyone.
            guard var error = error as? GraphError, error.code == .forbidden, [nil, .anonymous].contains(scope)
            else { throw error }
            let rest =
                "If an administrator forbids links for anyone, the remaining scopes are organization and users."
            error.hint = error.hint.map { "\($0) \(rest)" } ?? rest
            throw error
        }
    }
}
