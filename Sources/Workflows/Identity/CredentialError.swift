/// Why there is no token, in words that say what to do.
public struct CredentialError: Error, Sendable, Hashable {
    /// The kind of failure; more may be added.
    public struct Code: Sendable, Hashable {
        private enum Kind { case signInRequired, malformedToken }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// Nobody is signed in, or what they signed in with is no longer accepted.
        public static let signInRequired = Code(.signInRequired)
        /// What was given as a token cannot be one.
        public static let malformedToken = Code(.malformedToken)
    }

    /// The kind of failure.
    public let code: Code
    /// What is missing and what to do, in one or two sentences.
    public let message: String

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
    /// What is missing and what to do.
    public var description: String { message }
}
