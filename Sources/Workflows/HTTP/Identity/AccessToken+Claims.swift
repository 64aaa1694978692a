import Foundation

extension AccessToken {
    /// The permissions that the token itself says it carries; nil where it says nothing that can be read.
    ///
    /// Only the service can tell whether that is true, so it is good for advice and for nothing else. A token for a
    /// signed-in user names its permissions in `scp`, a program's own in `roles`.
    package var claimedPermissions: (names: [String], isApplication: Bool)? {
        let parts = secret.revealed.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])),
            let claims = try? Value(json: payload)
        else { return nil }
        if let scopes = claims["scp"]?.string { return (scopes.split(separator: " ").map(String.init), false) }
        guard let roles = claims["roles"]?.array else { return nil }
        return (roles.compactMap(\.string), true)
    }
}
