import Essentials

extension Effect {
    /// The effect with what an answer says of it.
    package func completed(by response: HTTPResponse) -> Effect {
        switch (kind, response.status) {
        case (.file, 200): return with("replaces", true)
        case (.file, 201): return with("replaces", false)
        case (.create, 200...201):
            guard self["id"].isNull, response.file == nil, ContentType.isJSON(response.headers["Content-Type"] ?? ""),
                let id = (try? Value(json: response.body))?["id"]
            else { return self }
            return with("id", id)
        case (.link, 200...201):
            // Without a scope in the request, the organization's default applies.
            guard self["scope"].isNull, response.file == nil,
                let scope = (try? Value(json: response.body))?["link"]?["scope"]
            else { return self }
            return with("scope", scope)
        default: return self
        }
    }
}

extension Value {
    /// Whose something is in an effect: null for the signed-in user's, whose address the account adds.
    static func owner(_ user: String?) -> Value { user.map(Value.string) ?? .null }

    /// A path in a drive, without a slash at its beginning.
    static func drivePath(_ path: String) -> Value { .string(String(path.trimmingPrefix("/"))) }
}
