extension Sandbox {
    /// How the sandbox simulates the identity platform.
    public struct SignInRules: Sendable, Hashable {
        /// Who decides about a sign-in.
        public enum Person: Sendable, Hashable {
            /// A person at the sign-in page, or a call of ``Sandbox/approve(userCode:as:)``.
            case asked
            /// Everything is approved at once by the account with this user principal name.
            case approving(String)
            /// Everything is declined at once.
            case declining
        }

        /// Who decides about a sign-in.
        public var person = Person.asked
        /// Whether Graph accepts only the sandbox's tokens; else any except `expired`, `invalid` and `revoked`.
        public var demandsIssuedTokens = false
        /// Seconds until an access token expires.
        public var tokenLifetime = 3_600
        /// Seconds after which a token may be refreshed early (`refresh_in`); nil to omit it.
        public var refreshIn: Int?
        /// Seconds until an unused refresh token expires: 90 days.
        public var refreshTokenLifetime = 90 * 86_400
        /// Whether a refresh token can be used more than once, as on the platform.
        public var acceptsUsedRefreshTokens = true
        /// Seconds until an authorization code expires.
        public var codeLifetime = 600
        /// Seconds until a device code expires.
        public var deviceCodeLifetime = 900
        /// Seconds between two polls of a device, else the response is `slow_down`; 0 for no limit.
        public var deviceInterval = 5
        /// The registered redirect URIs; a loopback address matches at any port.
        public var redirectURIs = ["http://localhost"]
        /// The redirect URIs of web applications, by application id.
        ///
        /// They authenticate when they request tokens, and their codes are sent only to these addresses.
        public var applications: [String: [String]] = [:]
        /// The permissions that an administrator granted to applications without a user; nil for all.
        public var applicationPermissions: Set<String>?
        /// Claims of all ID tokens, such as the `idp` of a guest; null leaves a claim out.
        package var idTokenClaims: Object = [:]
        /// The value of `IDENTITY_HEADER` that a managed identity must send.
        public var identityHeader = "sandbox"

        /// Creates the platform's default rules.
        public init() {}
    }
}

extension Sandbox.SignInRules {
    func redirectURIs(of application: String) -> [String] {
        applications[application] ?? redirectURIs + ["msal\(application)://auth"]
    }

    /// Registers a web application's redirect URI.
    /// - Throws: ``Sandbox/SignInError`` if the application or the address is not accepted.
    package mutating func register(_ application: String, at uri: String) throws(Sandbox.SignInError) {
        guard let id = try? SandboxAuthorization.application(application) else {
            throw Sandbox.SignInError(
                "the id of an application is a GUID, not '\(PlainText.exact(application, limit: 100))'")
        }
        let address = URLComponents(string: uri)
        // As on the platform, only loopback addresses may lack TLS.
        let isSafe = address?.scheme == "https" || ["localhost", "127.0.0.1"].contains(address?.host)
        guard let address, isSafe, ["http", "https"].contains(address.scheme), address.host?.isEmpty == false,
            address.fragment == nil, !uri.contains("*")
        else {
            throw Sandbox.SignInError(
                "'\(PlainText.exact(uri, limit: 200))' is not a redirect URI: it needs https:// or http://localhost")
        }
        applications[id, default: []].append(uri)
    }

    static let names = [
        "person", "demandsIssuedTokens", "tokenLifetime", "refreshIn", "refreshTokenLifetime",
        "acceptsUsedRefreshTokens", "codeLifetime", "deviceCodeLifetime", "deviceInterval", "applications",
        "idTokenClaims",
    ]

    var value: Value {
        [
            "person": .string(person.text), "demandsIssuedTokens": .bool(demandsIssuedTokens),
            "tokenLifetime": .integer(tokenLifetime), "refreshIn": refreshIn.map(Value.integer) ?? .null,
            "refreshTokenLifetime": .integer(refreshTokenLifetime),
            "acceptsUsedRefreshTokens": .bool(acceptsUsedRefreshTokens), "codeLifetime": .integer(codeLifetime),
            "deviceCodeLifetime": .integer(deviceCodeLifetime), "deviceInterval": .integer(deviceInterval),
            "applications": .object(
                Object(applications.sorted { $0.key < $1.key }.map { ($0.key, .array($0.value.map(Value.string))) })),
            "idTokenClaims": .object(idTokenClaims),
        ]
    }

    /// Changes the rules named in the object.
    /// - Throws: A description of its mistake.
    mutating func change(_ object: Object) throws(Sandbox.SignInError) {
        for (name, value) in object {
            func seconds() throws(Sandbox.SignInError) -> Int {
                guard let seconds = value.integer, (0...100_000_000).contains(seconds) else {
                    throw Sandbox.SignInError("'\(name)' needs whole seconds from 0 to 100000000")
                }
                return seconds
            }
            func flag() throws(Sandbox.SignInError) -> Bool {
                guard let flag = value.bool else { throw Sandbox.SignInError("'\(name)' needs true or false") }
                return flag
            }
            switch name {
            case "person":
                guard let text = value.string else { throw Sandbox.SignInError("'person' needs a string") }
                person = try Person(parsing: text)
            case "demandsIssuedTokens": demandsIssuedTokens = try flag()
            case "tokenLifetime": tokenLifetime = try seconds()
            case "refreshIn": refreshIn = value.isNull ? nil : try seconds()
            case "refreshTokenLifetime": refreshTokenLifetime = try seconds()
            case "acceptsUsedRefreshTokens": acceptsUsedRefreshTokens = try flag()
            case "codeLifetime": codeLifetime = try seconds()
            case "deviceCodeLifetime": deviceCodeLifetime = try seconds()
            case "deviceInterval": deviceInterval = try seconds()
            case "idTokenClaims":
                guard let claims = value.object else { throw Sandbox.SignInError("'idTokenClaims' needs an object") }
                idTokenClaims = claims
            case "applications":
                guard let members = value.object else { throw Sandbox.SignInError("'applications' needs an object") }
                applications = [:]
                for (application, uris) in members {
                    for uri in uris.array ?? [uris] {
                        try register(application, at: uri.string ?? "")
                    }
                }
            default:
                throw Sandbox.SignInError("there is no rule '\(name)', only \(Self.names.joined(separator: ", "))")
            }
        }
    }
}

extension Sandbox.SignInRules.Person {
    var text: String {
        switch self {
        case .asked: "ask"
        case .approving(let name): name
        case .declining: "decline"
        }
    }
}
