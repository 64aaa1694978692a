extension Effect {
    package func completed(by response: HTTPResponse) -> Effect {
        var effect = self
        let hasObject =
            (200...201).contains(response.status) && response.file == nil
            && ContentType.isJSON(response.headers["Content-Type"] ?? "")
        let answer = hasObject ? try? Value(json: response.body) : nil
        effect.object = answer.flatMap { ObjectVersion($0) }
        switch (kind, response.status) {
        case (.file, 200): return effect.with("replaces", true)
        case (.file, 201): return effect.with("replaces", false)
        case (.create, 200...201):
            guard self["id"].isNull, let id = answer?["id"] else { return effect }
            return effect.with("id", id)
        case (.link, 200...201):
            // Without a scope in the request, the organization's default applies.
            guard self["scope"].isNull, let scope = answer?["link"]?["scope"] else { return effect }
            return effect.with("scope", scope)
        default: return effect
        }
    }
}

extension Value {
    /// An owner in an effect: null for the signed-in user, whose address the account adds.
    static func owner(_ user: String?) -> Value { user.map(Value.string) ?? .null }

    static func drivePath(_ path: String) -> Value { .string(String(path.trimmingPrefix("/"))) }
}
