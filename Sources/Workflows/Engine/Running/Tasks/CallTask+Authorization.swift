import Foundation
import Promises

/// How the requests of one call are signed, and the `$authorization` for its expressions.
struct CallAuthorization: Sendable {
    /// Signs requests.
    var http: HTTPAuthorization
    /// Gets the credentials before the first request, for expressions that read `$authorization`.
    var prepare: @Sendable () -> Promise<Void> = { .value(()) }
    /// The current text after the scheme's name.
    var parameter: @Sendable () -> Secret?
}

extension Run {
    /// The authorization of a call; nil for a call without authentication.
    func authorization(
        _ reference: Authentication.Reference?, input: Value, scope: Scope
    ) throws -> CallAuthorization? {
        let place = scope.owner.task
        guard let policy = try policy(reference, of: place) else { return nil }
        let data: Value
        switch policy.properties {
        case .inline(let template): data = try evaluate(template, input, scope)
        case .secret(let name):
            try secrets.demand([name], in: place)
            data = secrets.data[name] ?? .null
        }
        switch policy.scheme {
        case .basic:
            let (username, password) = try login(data, of: policy, in: place)
            guard !username.contains(":") else {
                throw AuthenticationFailure.configuration("a user name for 'basic' cannot contain a colon")
            }
            let pair = Data("\(username):\(password.revealed)".utf8).base64EncodedString()
            return fixed("Basic", Secret(runner.isPlanning ? "‹authorization.parameter›" : pair))
        case .bearer:
            let revealed = try secrets.reveal(data, in: place)
            guard let token = revealed["token"]?.string ?? revealed.string else {
                throw AuthenticationFailure.configuration("'bearer' needs a token as text")
            }
            guard runner.isPlanning || !token.isEmpty && token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw AuthenticationFailure.configuration("the token of 'bearer' has invalid characters")
            }
            return fixed("Bearer", Secret(token))
        case .digest:
            let (username, password) = try login(data, of: policy, in: place)
            return digest(username, password, key: "digest:\(data.json(sortedKeys: true))")
        case .oauth2, .oidc:
            let revealed = try secrets.reveal(data, in: place)
            let source = try tokens(
                revealed, isDiscovered: policy.scheme == .oidc, in: place,
                key: "\(policy.scheme.rawValue):\(data.json(sortedKeys: true))")
            return granted(by: source)
        }
    }

    /// The `$authorization` for expressions, with a placeholder for the token.
    func descriptor(of authorization: CallAuthorization) -> Value {
        let parameter = authorization.parameter().map { secrets.placeholder(for: $0, named: "authorization.parameter") }
        return [
            "scheme": authorization.http.scheme.map(Value.string) ?? .null,
            "parameter": parameter.map(Value.string) ?? .null,
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
        _ data: Value, of policy: Authentication, in place: JSONPointer
    ) throws -> (username: String, password: Secret) {
        let revealed = try secrets.reveal(data, in: place)
        guard let username = revealed["username"]?.string, let password = revealed["password"]?.string else {
            throw AuthenticationFailure.configuration(
                "'\(policy.scheme.rawValue)' needs a 'username' and a 'password' as texts")
        }
        hide(Secret(password), as: "authorization.password")
        return (username, Secret(password))
    }

    /// Conceals a secret from now on.
    private func hide(_ secret: Secret, as name: String) {
        guard !runner.isPlanning, !secret.isEmpty else { return }
        _ = secrets.placeholder(for: secret, named: name)
    }

    private func fixed(_ scheme: String, _ parameter: Secret) -> CallAuthorization {
        hide(parameter, as: "authorization.parameter")
        let http = HTTPAuthorization(scheme: scheme, parameter: parameter) { request in
            var signed = request
            signed.headers["Authorization"] = "\(scheme) \(parameter.revealed)"
            return .value(signed)
        }
        return CallAuthorization(http: http, parameter: { parameter })
    }

    private func digest(_ username: String, _ password: Secret, key: String) -> CallAuthorization {
        let digest = authorizations.withLock { known in
            let digest = known.digests[key] ?? DigestAuthorization(username: username, password: password)
            known.digests[key] = digest
            return digest
        }
        let http = HTTPAuthorization(
            scheme: "Digest", authorize: { .value(digest.authorize($0)) },
            answer: { .value(digest.answer($0, to: $1)) })
        return CallAuthorization(http: http, parameter: { digest.parameter })
    }

    private func tokens(
        _ data: Value, isDiscovered: Bool, in place: JSONPointer, key: String
    ) throws -> OAuth2TokenSource {
        if let known = authorizations.withLock({ $0.sources[key] }) { return known }
        var settings = try OAuth2Settings(data, isDiscovered: isDiscovered)
        for (name, secret) in settings.secrets { hide(secret, as: "authorization.\(name)") }
        if runner.isPlanning { settings.redact() }
        let source = OAuth2TokenSource(
            settings, transport: runner.graph.transport, clock: runner.clock, now: runner.now, task: place)
        return authorizations.withLock { known in
            let kept = known.sources[key] ?? source
            known.sources[key] = kept
            return kept
        }
    }

    private func granted(by source: OAuth2TokenSource) -> CallAuthorization {
        let used = Locked<Secret?>(nil)
        @Sendable func token(besides refused: Secret?) -> Promise<Secret> {
            source.token(besides: refused).get { token in
                used.withLock { $0 = token }
                self.hide(token, as: "authorization.parameter")
            }
        }
        @Sendable func sign(_ request: HTTPRequest, _ token: Secret) -> HTTPRequest {
            var signed = request
            signed.headers["Authorization"] = "Bearer \(token.revealed)"
            return signed
        }
        let http = HTTPAuthorization(
            scheme: "Bearer",
            authorize: { request in token(besides: nil).map { sign(request, $0) } },
            answer: { _, request in
                guard let refused = used.withLock({ $0 }) else { return .value(nil) }
                return token(besides: refused).map { $0 == refused ? nil : sign(request, $0) }
            })
        return CallAuthorization(
            http: http, prepare: { token(besides: nil).asVoid() }, parameter: { used.withLock { $0 } })
    }
}

/// The token sources and digest states of one run, by the policies used so far.
struct RunAuthorizations {
    var sources: [String: OAuth2TokenSource] = [:]
    var digests: [String: DigestAuthorization] = [:]
}

extension OAuth2Settings {
    /// The secrets with their names.
    fileprivate var secrets: [(name: String, secret: Secret)] {
        [
            ("client.secret", clientSecret), ("client.assertion", clientAssertion), ("password", password),
            ("subject", subject?.token), ("actor", actor?.token),
        ].compactMap { name, secret in secret.map { (name, $0) } }
    }

    /// Replaces secrets by unknowns, for a plan.
    fileprivate mutating func redact() {
        clientSecret = clientSecret.map { _ in Secret("‹client.secret›") }
        clientAssertion = clientAssertion.map { _ in Secret("‹client.assertion›") }
        password = password.map { _ in Secret("‹password›") }
        subject?.token = Secret("‹subject.token›")
        actor?.token = Secret("‹actor.token›")
    }
}
