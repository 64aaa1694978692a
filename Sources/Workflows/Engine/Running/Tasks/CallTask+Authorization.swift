/// How the requests of one call are signed, and the `$authorization` for its expressions.
struct CallAuthorization: Sendable {
    var http: HTTPAuthorization
    /// Gets the credentials before the first request, for expressions that read `$authorization`.
    var prepare: @Sendable () -> Promise<Void> = { .value(()) }
    /// The current text after the scheme's name.
    var parameter: @Sendable () -> Value?
}

private struct CredentialOrigin: Sendable {
    /// The names of the secrets among them; a common name if there are none.
    let names: [String]
    private let literals: Set<String>

    init(_ policy: Authentication, _ given: Value, in workflow: Workflow) {
        let secrets = Set(given.secrets.flatMap(\.names)).sorted()
        names = secrets.isEmpty ? [Seal.credential] : secrets
        literals = Set(workflow.document.value[policy.pointer]?.texts ?? [])
    }

    func isLiteral(_ text: String) -> Bool { literals.contains(text) }
}

extension Value {
    fileprivate var texts: [String] {
        switch self {
        case .null, .bool, .integer, .double, .marked: []
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(\.texts)
        case .object(let members): members.flatMap(\.value.texts)
        }
    }
}

extension Run {
    func authorization(
        _ reference: Authentication.Reference?, input: Value, scope: Scope
    ) throws -> CallAuthorization? {
        let place = scope.owner.task
        guard let policy = try policy(reference, of: place) else { return nil }
        let given: Value
        switch policy.properties {
        case .inline(let template): given = try scope.evaluate(template, input)
        case .secret(let name):
            try secrets.demand([name], in: place)
            given = secrets.data[name] ?? .null
        }
        do {
            return try authorization(policy, given, of: place)
        } catch {
            throw WorkflowError(error, at: place).marking(given)
        }
    }

    private func authorization(
        _ policy: Authentication, _ given: Value, of place: JSONPointer
    ) throws -> CallAuthorization {
        let data = sent(given)
        let origin = CredentialOrigin(policy, given, in: workflow)
        switch policy.scheme {
        case .basic:
            let (username, password) = try login(data, of: policy, origin)
            guard !username.contains(":") else {
                throw AuthenticationFailure.configuration("a user name for 'basic' cannot contain a colon")
            }
            let pair = Data("\(username):\(password.revealed)".utf8).base64EncodedString()
            let isLiteral = origin.isLiteral(username) && origin.isLiteral(password.revealed)
            return fixed(
                "Basic", Secret(pair), origin,
                isLiteral: isLiteral)
        case .bearer:
            guard let token = data["token"]?.string ?? data.string else {
                throw AuthenticationFailure.configuration("'bearer' needs a token as a string")
            }
            guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) || given.holdsUnknown else {
                throw AuthenticationFailure.configuration("the token of 'bearer' has invalid characters")
            }
            return fixed("Bearer", Secret(token), origin, isLiteral: origin.isLiteral(token))
        case .digest:
            let (username, password) = try login(data, of: policy, origin)
            return digest(username, password, origin, key: "digest:\(data.json(sortedKeys: true))")
        case .oauth2, .oidc:
            let source = try tokens(
                data, origin, isDiscovered: policy.scheme == .oidc, in: place,
                key: "\(policy.scheme.rawValue):\(data.json(sortedKeys: true))")
            return granted(by: source, origin)
        }
    }

    /// The `$authorization` for expressions, with a secret parameter.
    func descriptor(of authorization: CallAuthorization) -> Value {
        [
            "scheme": authorization.http.scheme.map(Value.string) ?? .null,
            "parameter": authorization.parameter() ?? .null,
        ]
    }

    private func policy(_ reference: Authentication.Reference?, of place: JSONPointer) throws -> Authentication? {
        switch reference {
        case nil: return nil
        case .own(let policy): return policy
        case .named(let name, _):
            guard let policy = workflow.components.authentications[name] else {
                throw WorkflowError(
                    .configuration, detail: "there is no authentication '\(name)'", instance: place)
            }
            return policy
        }
    }

    private func login(
        _ data: Value, of policy: Authentication, _ origin: CredentialOrigin
    ) throws -> (username: String, password: Secret) {
        guard let username = data["username"]?.string, let password = data["password"]?.string else {
            throw AuthenticationFailure.configuration(
                "'\(policy.scheme.rawValue)' needs a 'username' and a 'password' as strings")
        }
        hide(Secret(password), origin, isLiteral: origin.isLiteral(password))
        return (username, Secret(password))
    }

    /// Searches for a credential from now on, unless the file spells it out.
    private func hide(_ secret: Secret, _ origin: CredentialOrigin, isLiteral: Bool = false) {
        if !isLiteral { world.hide(secret, of: origin.names, secrets.known) }
    }

    private func value(of secret: Secret, _ origin: CredentialOrigin) -> Value {
        world.value(of: secret, of: origin.names, secrets.known)
    }

    private func fixed(
        _ scheme: String, _ parameter: Secret, _ origin: CredentialOrigin, isLiteral: Bool
    ) -> CallAuthorization {
        hide(parameter, origin, isLiteral: isLiteral)
        var http = HTTPAuthorization(scheme: scheme, parameter: parameter) { request in
            var signed = request
            signed.headers["Authorization"] = "\(scheme) \(parameter.revealed)"
            return .value(signed)
        }
        http.readsBody = false
        return CallAuthorization(http: http, parameter: { self.value(of: parameter, origin) })
    }

    private func digest(
        _ username: String, _ password: Secret, _ origin: CredentialOrigin, key: String
    ) -> CallAuthorization {
        let digest = authorizations.withLock { known in
            let digest = known.digests[key] ?? DigestAuthorization(username: username, password: password)
            known.digests[key] = digest
            return digest
        }
        let http = HTTPAuthorization(
            scheme: "Digest", authorize: { .value(digest.authorize($0)) },
            answer: { .value(digest.answer($0, to: $1)) })
        return CallAuthorization(
            http: http,
            // Each request has a new one that cannot be used again: it is not searched for.
            parameter: { digest.parameter.map { self.value(of: $0, origin) } })
    }

    private func tokens(
        _ data: Value, _ origin: CredentialOrigin, isDiscovered: Bool, in place: JSONPointer, key: String
    ) throws -> OAuth2TokenSource {
        if let known = authorizations.withLock({ $0.sources[key] }) { return known }
        var settings = try OAuth2Settings(data, isDiscovered: isDiscovered)
        for secret in settings.secrets {
            hide(secret, origin, isLiteral: origin.isLiteral(secret.revealed))
        }
        settings.changeSecrets { world.sent($0, named: $1) }
        let source = OAuth2TokenSource(
            settings, transport: runner.graph.transport, clock: runner.clock, now: runner.now, task: place)
        return authorizations.withLock { known in
            let kept = known.sources[key] ?? source
            known.sources[key] = kept
            return kept
        }
    }

    private func granted(by source: OAuth2TokenSource, _ origin: CredentialOrigin) -> CallAuthorization {
        let used = Locked<Secret?>(nil)
        @Sendable func token(besides refused: Secret?) -> Promise<Secret> {
            source.token(besides: refused).get { token in
                used.withLock { $0 = token }
                self.hide(token, origin)
            }
        }
        @Sendable func sign(_ request: HTTPRequest, _ token: Secret) -> HTTPRequest {
            var signed = request
            signed.headers["Authorization"] = "Bearer \(token.revealed)"
            return signed
        }
        var http = HTTPAuthorization(
            scheme: "Bearer",
            authorize: { request in token(besides: nil).map { sign(request, $0) } },
            answer: { _, request in
                guard let refused = used.withLock({ $0 }) else { return .value(nil) }
                return token(besides: refused).map { $0 == refused ? nil : sign(request, $0) }
            })
        http.readsBody = false
        return CallAuthorization(
            http: http, prepare: { token(besides: nil).asVoid() },
            parameter: { used.withLock { $0 }.map { self.value(of: $0, origin) } })
    }
}

/// The token sources and digest states of one run, by the policies used so far.
struct RunAuthorizations {
    var sources: [String: OAuth2TokenSource] = [:]
    var digests: [String: DigestAuthorization] = [:]
}

extension OAuth2Settings {
    fileprivate var secrets: [Secret] {
        [clientSecret, clientAssertion, password, subject?.token, actor?.token].compactMap(\.self)
    }

    fileprivate mutating func changeSecrets(_ change: (Secret, _ name: String) -> Secret) {
        clientSecret = clientSecret.map { change($0, "client.secret") }
        clientAssertion = clientAssertion.map { change($0, "client.assertion") }
        password = password.map { change($0, "password") }
        if let token = subject?.token { subject?.token = change(token, "subject.token") }
        if let token = actor?.token { actor?.token = change(token, "actor.token") }
    }
}
