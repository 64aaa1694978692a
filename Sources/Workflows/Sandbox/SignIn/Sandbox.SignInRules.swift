extension Sandbox {
    /// How the sandbox plays the identity platform.
    public struct SignInRules: Sendable, Hashable {
        /// Who decides about a sign-in.
        public enum Person: Sendable, Hashable {
            /// Somebody at the sign-in page, or a call of ``Sandbox/approve(userCode:as:)``.
            case asked
            /// Everything is approved at once, by that user principal name.
            case approving(String)
            /// Everything is declined at once.
            case declining
        }

        /// Who decides about a sign-in.
        public var person = Person.asked
        /// Whether Graph takes only tokens that the sandbox issued; else any but `expired`, `invalid` and `revoked`.
        public var demandsIssuedTokens = false
        /// Seconds until an access token ends.
        public var tokenLifetime = 3_600
        /// Seconds after which a token may be refreshed early, as `refresh_in`; nil to say nothing.
        public var refreshIn: Int?
        /// Seconds for which a refresh token lives without being used: 90 days.
        public var refreshTokenLifetime = 90 * 86_400
        /// Whether a refresh token is good for more than one use, as the platform has it.
        public var acceptsUsedRefreshTokens = true
        /// Seconds in which an authorization code has to be redeemed.
        public var codeLifetime = 600
        /// Seconds in which a device code has to be approved and redeemed.
        public var deviceCodeLifetime = 900
        /// Seconds between two questions of a device, of which a hastier one is told to slow down; 0 lets everybody ask.
        public var deviceInterval = 5
        /// Where codes may be sent; a loopback address matches at any port.
        public var redirectURIs = ["http://localhost"]
        /// The permissions that an administrator gave to applications without a user; nil for all.
        public var applicationPermissions: Set<String>?
        /// The value of `IDENTITY_HEADER` that a managed identity shows.
        public var identityHeader = "sandbox"

        /// Creates the rules that the platform has by default.
        public init() {}
    }
}

extension Sandbox.SignInRules {
    /// What a control request for `/sandbox/sign-in` may change.
    static let names = [
        "person", "demandsIssuedTokens", "tokenLifetime", "refreshIn", "refreshTokenLifetime",
        "acceptsUsedRefreshTokens", "codeLifetime", "deviceCodeLifetime", "deviceInterval",
    ]

    /// As `/sandbox/sign-in` shows them.
    var value: Value {
        [
            "person": .string(person.text), "demandsIssuedTokens": .bool(demandsIssuedTokens),
            "tokenLifetime": .integer(tokenLifetime), "refreshIn": refreshIn.map(Value.integer) ?? .null,
            "refreshTokenLifetime": .integer(refreshTokenLifetime),
            "acceptsUsedRefreshTokens": .bool(acceptsUsedRefreshTokens), "codeLifetime": .integer(codeLifetime),
            "deviceCodeLifetime": .integer(deviceCodeLifetime), "deviceInterval": .integer(deviceInterval),
        ]
    }

    /// Changes the rules that the object names.
    /// - Throws: What is wrong with it, in words.
    mutating func change(_ object: Object) throws(SandboxControlError) {
        for (name, value) in object {
            func seconds() throws(SandboxControlError) -> Int {
                guard let seconds = value.integer, (0...100_000_000).contains(seconds) else {
                    throw SandboxControlError("'\(name)' needs whole seconds from 0 to 100000000")
                }
                return seconds
            }
            func flag() throws(SandboxControlError) -> Bool {
                guard let flag = value.bool else { throw SandboxControlError("'\(name)' needs true or false") }
                return flag
            }
            switch name {
            case "person":
                guard let text = value.string else { throw SandboxControlError("'person' needs a text") }
                person = try Person(text)
            case "demandsIssuedTokens": demandsIssuedTokens = try flag()
            case "tokenLifetime": tokenLifetime = try seconds()
            case "refreshIn": refreshIn = value.isNull ? nil : try seconds()
            case "refreshTokenLifetime": refreshTokenLifetime = try seconds()
            case "acceptsUsedRefreshTokens": acceptsUsedRefreshTokens = try flag()
            case "codeLifetime": codeLifetime = try seconds()
            case "deviceCodeLifetime": deviceCodeLifetime = try seconds()
            case "deviceInterval": deviceInterval = try seconds()
            default:
                throw SandboxControlError("there is no rule '\(name)', only \(Self.names.joined(separator: ", "))")
            }
        }
    }
}

extension Sandbox.SignInRules.Person {
    /// The person of a text: `ask`, `decline`, or the user principal name of who approves.
    init(_ text: String) throws(SandboxControlError) {
        switch text {
        case "ask": self = .asked
        case "decline": self = .declining
        default: self = .approving(try SandboxUser.signingIn(text).userPrincipalName)
        }
    }

    var text: String {
        switch self {
        case .asked: "ask"
        case .approving(let name): name
        case .declining: "decline"
        }
    }
}
