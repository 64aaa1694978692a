/// Why there is no token, in words that say what to do.
public struct CredentialError: Error, Sendable, Hashable {
    /// The kind of failure; more may be added.
    public struct Code: Sendable, Hashable {
        private enum Kind {
            case signInRequired, malformedToken, notConfigured, misconfigured, declined, expired, blocked
            case serviceUnavailable, badAnswer, cacheUnusable
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// Nobody is signed in, or a person has to sign in again.
        public static let signInRequired = Code(.signInRequired)
        /// What was given as a token cannot be one.
        public static let malformedToken = Code(.malformedToken)
        /// What this credential works with is not there; another one may have it.
        public static let notConfigured = Code(.notConfigured)
        /// What the credential was given is wrong: the app registration, the secret, the tenant.
        public static let misconfigured = Code(.misconfigured)
        /// The person declined.
        public static let declined = Code(.declined)
        /// Nobody signed in while there was time to.
        public static let expired = Code(.expired)
        /// The organization forbids it; signing in again does not help.
        public static let blocked = Code(.blocked)
        /// The sign-in service cannot be reached, or failed.
        public static let serviceUnavailable = Code(.serviceUnavailable)
        /// The sign-in service answered what no such service answers.
        public static let badAnswer = Code(.badAnswer)
        /// The token cache cannot be used as it is.
        public static let cacheUnusable = Code(.cacheUnusable)
    }

    /// The kind of failure.
    public let code: Code
    /// What is missing and what to do, in one or two sentences.
    public let message: String
    /// The service's own text, which begins with a code such as `AADSTS50076`; nil where it said nothing.
    public var serviceMessage: String?
    /// The id that Microsoft's support asks for; nil where the service gave none.
    public var correlationID: String?
    /// What the service wants to see proven, as a claims challenge in base64; nil where it asked for nothing.
    public var claimsChallenge: String?
    /// Where several credentials were asked: why each of them has no token.
    public var reasons: [String] = []

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static var malformedToken: CredentialError {
        CredentialError(
            .malformedToken,
            "The access token holds characters that no token has; copy it again, without quotes and in one line.")
    }
}

extension CredentialError: CustomStringConvertible {
    /// What is missing and what to do, and what the service said.
    public var description: String {
        var text = message
        if let serviceMessage { text += " The service said: \(serviceMessage)" }
        if let correlationID { text += " (correlation id \(correlationID))" }
        return ([text] + reasons).joined(separator: "\n  ")
    }
}
