extension Effect {
    /// The effect as it happened.
    /// - Parameters:
    ///   - response: The answer to the request that had it.
    ///   - method: The request's method.
    ///   - path: Its path after the service's base, percent-encoded, with or without its query; nil if it was elsewhere.
    package func completed(by response: HTTPResponse, to method: String, _ path: String?) -> Effect {
        var effect = self
        let hasObject =
            (200...201).contains(response.status) && response.file == nil
            && ContentType.isJSON(response.headers["Content-Type"] ?? "")
        let answer = hasObject ? try? Value(json: response.body) : nil
        // An invitation makes a user.
        let made = answer?["invitedUser"] ?? answer
        effect.object = made.flatMap { ObjectVersion($0) }
        if let path, let place = effect.objectPath(of: RequestEffects(method, path, host: "", nil), response.status) {
            effect.object = ObjectVersion(id: effect.object?.id, etag: effect.object?.etag, path: place)
        }
        switch (details, response.status) {
        case (.file, 200...201): effect.file?.replaces = response.status == 200
        case (.create(let object), 200...201) where object.id.isNull:
            effect.objectChange?.id = made?["id"] ?? .null
        // Without a scope in the request, the organization's default applies.
        case (.link(var link), 200...201) where link.scope.isNull:
            link.scope = answer?["link"]?["scope"] ?? .null
            effect.details = .link(link)
        default: break
        }
        return effect
    }
}

extension Effect {
    /// Where the object is that the request made, changed or removed; nil if its answer does not say.
    private func objectPath(of request: RequestEffects, _ status: Int) -> String? {
        let parts = request.path.split(separator: "/").map(String.init)
        let names = parts.map { $0.lowercased() }
        let id = object?.id?.percentEncoded(keeping: "!")
        func path(_ parts: some Sequence<String>, _ more: String?...) -> String? {
            more.contains(nil) ? nil : (Array(parts) + more.compactMap(\.self)).joined(separator: "/")
        }
        /// An item by its id: its path changes with its name.
        func item() -> String? {
            let isShort = ["me", "drives"].contains(names.first) || names.first?.hasPrefix("users('") ?? false
            let place = names.first == "drives" ? 0 : isShort ? 1 : 2
            guard names.count > place + 1, ["drive", "drives"].contains(names[place]) else { return nil }
            return path(parts.prefix(names[place] == "drives" ? place + 2 : place + 1), "items", id)
        }
        switch (details, request.method) {
        case (.file, _), (.folder, _): return item()
        case (.change(let object), "PATCH") where object.what == "driveItem": return item() ?? path(parts)
        case (.link, "POST"):
            // An existing link is answered with 200: it was there before.
            guard status == 201, request.last == "createlink" else { return nil }
            return path(parts.dropLast(), "permissions", id)
        case (.event, "POST"): return path(parts, id)
        case (.create, "POST") where request.last == "invitations": return path(["users"], id)
        case (.create, "POST"), (.forward, "POST"): return path(parts, id)
        case (.grant(let grant), "POST"):
            guard grant.added == true else { return nil }
            guard names.last == "$ref" else {
                // A request for a role is taken back by another one in the same list.
                if grant.what == "role", request.last.hasSuffix("schedulerequests") { return path(parts) }
                // Other requests answer with what has the right, or with what asks for it.
                let isRight = grant.what == "owner" ? request.last == "members" : !request.last.hasSuffix("requests")
                return isRight && request.last != "invite" && request.last != "grant" ? path(parts, id) : nil
            }
            let only = grant.to.array?.first?.string?.percentEncoded(keeping: "@!")
            return path(parts.dropLast(), only, "$ref")
        case (.mail(let mail), "POST"):
            guard mail.sent == false, let place = names.lastIndex(of: "messages") else { return nil }
            return path(parts[...place], id)
        case (.member(let all), "POST"):
            guard names.last == "$ref" else { return request.last == "members" ? path(parts, id) : nil }
            return path(parts.dropLast(), all.member.string?.percentEncoded(keeping: "@!"), "$ref")
        case (.member, "DELETE"): return names.last == "$ref" ? path(parts) : nil
        case (.change, "PATCH"), (.change, "PUT"), (.delete, "DELETE"): return path(parts)
        default: return nil
        }
    }
}

extension Value {
    /// An owner in an effect: null for the signed-in user, whose address the account adds.
    static func owner(_ user: String?) -> Value { user.map(Value.string) ?? .null }

    static func drivePath(_ path: String) -> Value { .string(String(path.trimmingPrefix("/"))) }
}
