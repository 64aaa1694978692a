import Essentials

extension Effect {
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
    /// An owner in an effect: null for the signed-in user, whose address the account adds.
    static func owner(_ user: String?) -> Value { user.map(Value.string) ?? .null }

    static func drivePath(_ path: String) -> Value { .string(String(path.trimmingPrefix("/"))) }
}
