extension Authentication {
    /// Decodes a policy: an object whose only member is the scheme with its properties.
    init?(_ node: DocumentNode, _ decoding: Decoding, isReferenceable: Bool = false) {
        let schemes = Scheme.allCases.map(\.rawValue)
        guard decoding.check(node, is: "an authentication", known: schemes + (isReferenceable ? ["use"] : [])) else {
            return nil
        }
        let given = Scheme.allCases.filter { node[$0.rawValue] != nil }
        guard let scheme = given.first, given.count == 1, let body = node[scheme.rawValue] else {
            if node.value.object?.keys.allSatisfy(schemes.contains) ?? false {
                decoding.report(
                    "authentication", "an authentication must have one of \(schemes.quoted)", at: node.pointer)
            }
            return nil
        }
        if body["use"] != nil {
            guard decoding.check(body, is: "an authentication by a secret", known: ["use"]),
                let name = decoding.string(body["use"], "the name of a secret")
            else { return nil }
            self.init(scheme: scheme, properties: .secret(name), pointer: body.pointer)
            return
        }
        guard Self.check(body, of: scheme, decoding), let template = decoding.template(body) else { return nil }
        self.init(scheme: scheme, properties: .inline(template), pointer: body.pointer)
    }

    private static func check(_ node: DocumentNode, of scheme: Scheme, _ decoding: Decoding) -> Bool {
        switch scheme {
        case .basic, .digest:
            let names = ["username", "password"]
            guard decoding.check(node, is: "'\(scheme.rawValue)'", known: names, required: names) else { return false }
            return names.allSatisfy { decoding.string(node[$0], "'\($0)'") != nil }
        case .bearer:
            guard decoding.check(node, is: "'bearer'", known: ["token"], required: ["token"]) else { return false }
            return decoding.string(node["token"], "'token'") != nil
        case .oauth2, .oidc: return checkGrant(node, of: scheme, decoding)
        }
    }

    private static let ofGrants = [
        "authority", "grant", "client", "request", "issuers", "scopes", "audiences", "username", "password", "subject",
        "actor",
    ]

    private static func checkGrant(_ node: DocumentNode, of scheme: Scheme, _ decoding: Decoding) -> Bool {
        let known = ofGrants + (scheme == .oauth2 ? ["endpoints"] : [])
        guard
            decoding.check(
                node, is: "'\(scheme.rawValue)'", known: known, required: ["authority", "grant"])
        else { return false }
        var isRight = decoding.string(node["authority"], "'authority'") != nil
        isRight = checkAuthority(node["authority"], decoding) && isRight
        isRight =
            checkMembers(node["client"], "'client'", ["id", "secret", "assertion", "authentication"], decoding)
            && isRight
        isRight = checkMembers(node["request"], "'request'", ["encoding"], decoding) && isRight
        isRight =
            checkMembers(node["endpoints"], "'endpoints'", ["token", "revocation", "introspection"], decoding)
            && isRight
        for name in ["issuers", "scopes", "audiences"] {
            isRight = checkTexts(node[name], "'\(name)'", decoding) && isRight
        }
        for name in ["username", "password"] where node[name] != nil {
            isRight = decoding.string(node[name], "'\(name)'") != nil && isRight
        }
        for name in ["subject", "actor"] {
            guard let token = node[name] else { continue }
            isRight =
                decoding.check(token, is: "'\(name)'", known: ["token", "type"], required: ["token", "type"]) && isRight
        }
        if node["grant"]?.value == "authorization_code" {
            decoding.report(
                "unsupported", "the grant 'authorization_code' needs a person at a browser, which a run does not have",
                hint: "use 'client_credentials', or 'refresh_token' with an existing token",
                at: node.pointer.appending("grant"))
            isRight = false
        } else {
            isRight = checkChoice(node["grant"], OAuth2Settings.Grant.self, "'grant'", decoding) && isRight
        }
        let client = node["client"]
        isRight =
            checkChoice(
                client?["authentication"], OAuth2Settings.ClientAuthentication.self, "'client.authentication'", decoding
            )
            && isRight
        isRight =
            checkChoice(
                node["request"]?["encoding"], OAuth2Settings.Encoding.self, "'request.encoding'", decoding) && isRight
        return isRight && checkCompleteness(node, decoding)
    }

    private static func checkMembers(
        _ node: DocumentNode?, _ what: String, _ known: [String], _ decoding: Decoding
    ) -> Bool {
        guard let node else { return true }
        guard decoding.check(node, is: what, known: known) else { return false }
        return (node.members ?? []).allSatisfy { name, member in
            !known.contains(name) || decoding.string(member, "'\(name)'") != nil
        }
    }

    private static func checkTexts(_ node: DocumentNode?, _ what: String, _ decoding: Decoding) -> Bool {
        guard let node else { return true }
        guard let elements = node.elements else {
            decoding.report(
                "type", "\(what) must be an array of strings, but this is \(node.value.described)", at: node.pointer)
            return false
        }
        return elements.allSatisfy { decoding.string($0, "an element of \(what)") != nil }
    }

    private static func checkChoice<Choice: RawRepresentable & CaseIterable>(
        _ node: DocumentNode?, _ type: Choice.Type, _ what: String, _ decoding: Decoding
    ) -> Bool where Choice.RawValue == String {
        guard let node, node.value.string?.contains("${") != true else { return true }
        return decoding.choice(node, type, what) != nil
    }

    private static func checkAuthority(_ node: DocumentNode?, _ decoding: Decoding) -> Bool {
        guard let node, let text = node.value.string, !text.contains("{") else { return true }
        guard let origin = URL(string: text).flatMap({ Origin($0) }) else {
            decoding.report(
                "address", "'authority' must be the address of an authorization server", hint: "write 'https://…'",
                at: node.pointer)
            return false
        }
        guard origin.isPrivate else {
            decoding.report(
                "address", "secrets are sent to an authorization server by https only", hint: "write 'https://…'",
                at: node.pointer)
            return false
        }
        return true
    }

    /// Reports missing properties that the standard requires for some grants and clients.
    private static func checkCompleteness(_ node: DocumentNode, _ decoding: Decoding) -> Bool {
        let client = node["client"]
        let method = client?["authentication"]?.value.string ?? "client_secret_post"
        let grant = node["grant"]?.value.string ?? ""
        var missing: [(name: String, why: String)] = []
        if !method.contains("${"), method != "none", client?["id"] == nil {
            missing.append(("client.id", "the client authentication '\(method)'"))
        }
        if ["client_secret_basic", "client_secret_jwt"].contains(method), client?["secret"] == nil {
            missing.append(("client.secret", "the client authentication '\(method)'"))
        }
        if method == "private_key_jwt", client?["assertion"] == nil {
            missing.append(("client.assertion", "the client authentication 'private_key_jwt'"))
        }
        let ofGrant = [
            "password": ["username", "password"], "refresh_token": ["subject"],
            OAuth2Settings.Grant.tokenExchange.rawValue: ["subject"],
        ]
        for name in ofGrant[grant] ?? [] where node[name] == nil { missing.append((name, "the grant '\(grant)'")) }
        for (name, why) in missing {
            decoding.report(
                "missing-property", "\(why) needs the property '\(name)'",
                hint: name == "client.id" ? "a client without an id has 'authentication: none'" : nil, at: node.pointer)
        }
        return missing.isEmpty
    }
}

extension Authentication.Reference {
    /// Decodes a call's authentication: its own policy, or `use` with a policy's name.
    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard node["use"] != nil else {
            guard let policy = Authentication(node, decoding, isReferenceable: true) else { return nil }
            self = .own(policy)
            return
        }
        guard decoding.check(node, is: "an authentication by its name", known: ["use"]), let use = node["use"],
            let name = decoding.string(use, "the name of an authentication")
        else { return nil }
        guard decoding.authenticationNames.contains(name) else {
            decoding.report(
                "unknown-reference", "'use.authentications' defines no '\(name)'",
                hint: Diagnostic.didYouMean(name, among: decoding.authenticationNames), at: use.pointer)
            return nil
        }
        self = .named(name, use.pointer)
    }
}
