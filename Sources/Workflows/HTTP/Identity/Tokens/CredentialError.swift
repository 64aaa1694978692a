/// Why there is no token, and what to do about it.
public struct CredentialError: Error, Sendable, Hashable {
    /// The kind of failure; cases may be added.
    public struct Code: Sendable, Hashable {
        private enum Kind {
            case signInRequired, malformedToken, notConfigured, misconfigured, declined, expired, blocked
            case serviceUnavailable, badAnswer, cacheUnusable
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// No account is signed in, or the user has to sign in again.
        public static let signInRequired = Code(.signInRequired)
        /// The given token is malformed.
        public static let malformedToken = Code(.malformedToken)
        /// This credential's configuration is missing; another credential may have a token.
        public static let notConfigured = Code(.notConfigured)
        /// The credential's configuration is wrong: the app registration, the secret, the tenant.
        public static let misconfigured = Code(.misconfigured)
        /// The user declined.
        public static let declined = Code(.declined)
        /// The time for signing in ran out.
        public static let expired = Code(.expired)
        /// The organization forbids it; signing in again does not help.
        public static let blocked = Code(.blocked)
        /// The sign-in service cannot be reached, or failed.
        public static let serviceUnavailable = Code(.serviceUnavailable)
        /// The sign-in service's response is not valid.
        public static let badAnswer = Code(.badAnswer)
        /// The token cache is not usable.
        public static let cacheUnusable = Code(.cacheUnusable)
    }

    /// The kind of failure.
    public let code: Code
    /// What is missing and what to do, in one or two sentences.
    public let message: String
    /// The service's own message, which begins with a code such as `AADSTS50076`; nil if there is none.
    public var serviceMessage: String?
    /// The correlation id for Microsoft's support; nil if the service sent none.
    public var correlationID: String?
    /// The claims that the service requires, as a claims challenge in Base64; nil if it requires none.
    public var claimsChallenge: String?
    /// If several credentials were asked: why each of them has no token.
    public var reasons: [String] = []

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static var malformedToken: CredentialError {
        CredentialError(
            .malformedToken,
            "The access token contains invalid characters; copy it again, without quotes and on one line.")
    }
}

extension CredentialError: CustomStringConvertible {
    /// The message, then on separate lines the service's message and each credential's reason.
    public var description: String { ([message] + details).joined(separator: "\n  ") }

    package var details: [String] {
        var lines: [String] = []
        if let serviceMessage { lines.append("the service said: \(serviceMessage)") }
        if let correlationID { lines.append("correlation id: \(correlationID)") }
        return lines + reasons
    }
}
