public import Foundation
public import Promises

/// A program that proves itself by a token that its surroundings put into a file, as Kubernetes and CI services do.
///
/// The file is read whenever a new token is needed, since whoever writes it writes a new one before the old one ends.
public struct WorkloadIdentityCredential: GrantingCredential {
    /// More than this is no token.
    private static let largestFile = 1_000_000

    private let tokens: ApplicationTokens

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - clientID: The application's id.
    ///   - tokenFile: The file with the token, as `AZURE_FEDERATED_TOKEN_FILE` names it.
    ///   - platform: Who issues the tokens; its authority has to be one tenant.
    public init(clientID: String, tokenFile: URL, on platform: IdentityPlatform) {
        tokens = ApplicationTokens(platform, clientID: clientID, source: "the workload's identity") { _, _ in
            Promise { resolver in resolver.fulfill(.assertion(try Self.read(tokenFile))) }
        }
    }

    /// Gets a token with what is known about it; scopes do not matter to a program, an administrator gave them.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { tokens.grant(for: need) }

    private static func read(_ file: URL) throws(CredentialError) -> Secret {
        let shown = PlainText.line(file.path, limit: 300)
        guard let data = try? Data(contentsOf: file), data.count <= largestFile else {
            throw CredentialError(
                .misconfigured, "The token file '\(shown)' cannot be read: check AZURE_FEDERATED_TOKEN_FILE.")
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw CredentialError(.misconfigured, "The token file '\(shown)' is empty.") }
        return Secret(text)
    }
}
