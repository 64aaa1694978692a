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
        (given, self.path, self.host, self.body) = (method, plain, host, body)
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

    var effects: [Effect] {
        if last == "$batch", method == "POST" { return batch }
        guard let write = GraphWrite(self) else { return [unknown] }
        let effects = write.effects
        // What may change something has an effect, whatever is known of it.
        return effects.isEmpty && !write.changesNothing ? [unknown] : effects
    }

    var unknown: Effect {
        let path = "/" + path.trimmingPrefix("/")
        return Effect(.request(method: .string(given), host: .string(host), path: .string(path)))
    }

    private var batch: [Effect] {
        guard let requests = body?.member("requests")?.array else { return [unknown] }
        return requests.flatMap { inner -> [Effect] in
            guard let method = inner.member("method")?.string, let path = inner.member("url")?.string else {
                return [unknown]
            }
            guard method.uppercased() != "GET" else { return [] }
            return RequestEffects(method, path, host: host, inner.member("body")).effects
        }
    }

    /// The object that a reference names: its last segment.
    static func id(in address: Value?) -> Value {
        guard let text = address?.string, let last = text.split(separator: "/").last else { return .null }
        return segments(of: String(last)).last.map(Value.string) ?? .null
    }
}

extension Value {
    /// A member in any letters, as the service accepts it.
    func member(_ name: String) -> Value? {
        if let exact = self[name] { return exact }
        let name = name.lowercased()
        return object?.first { $0.key.lowercased() == name }?.value
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
