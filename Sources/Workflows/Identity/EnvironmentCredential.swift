import Foundation
public import Promises

/// A token from the environment: `GRAPHFLOW_ACCESS_TOKEN`, used as it is.
public struct EnvironmentCredential: Credential {
    private static let variable = "GRAPHFLOW_ACCESS_TOKEN"

    private let token: AccessToken?

    /// Creates a credential from these environment variables.
    public init(_ environment: [String: String]) {
        let text = environment[Self.variable] ?? ""
        token = text.isEmpty ? nil : AccessToken(text)
    }

    /// The token; rejected with what to do where there is none.
    public func token(for scopes: [String]) -> Promise<AccessToken> {
        guard let token else {
            return Promise(
                error: CredentialError(
                    .signInRequired,
                    "Nobody is signed in. Set \(Self.variable) to an access token for \(Self.list(scopes))."))
        }
        return .value(token)
    }

    /// Rejects: the environment of a running program has no other token.
    public func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken> {
        Promise(
            error: CredentialError(
                .signInRequired,
                "The token in \(Self.variable) was refused: it is wrong, expired or revoked. Set it to a fresh one."))
    }

    private static func list(_ scopes: [String]) -> String {
        scopes.isEmpty ? "Microsoft Graph" : "Microsoft Graph with \(scopes.joined(separator: ", "))"
    }
}

extension Credential where Self == EnvironmentCredential {
    /// A token from the environment of this process.
    public static var environment: EnvironmentCredential {
        EnvironmentCredential(ProcessInfo.processInfo.environment)
    }

    /// A token from these environment variables.
    public static func environment(_ variables: [String: String]) -> EnvironmentCredential {
        EnvironmentCredential(variables)
    }
}
