extension GraphExchange {
    /// Says what a forbidden request needs: a permission, or another setting of the organisation.
    func explainForbidden(_ error: inout GraphError, _ response: HTTPResponse, _ token: AccessToken?) {
        guard let reason = policy(in: response, token) else {
            error.hint = permissions.whatToDo(isApplication: token?.isOfApplication)
            return
        }
        error.isPolicy = true
        error.message = PlainText.sentence("The organisation does not allow this link: \(reason)")
        error.hint = "Signing in again does not help: ask an administrator."
    }

    /// Why a sharing link is forbidden although no permission is missing; nil for any other refusal.
    private func policy(in response: HTTPResponse, _ token: AccessToken?) -> String? {
        guard ["createLink", "invite"].contains(http.url.lastPathComponent) else { return nil }
        if let reason = response.headers["SharePoint-CreateSharingLink-Error"] { return PlainText.line(reason) }
        let said = ServiceError(response)
        let words = [said.message, said.code].compactMap(\.self)
        let isPolicy = words.contains { word in
            let word = word.lowercased()
            return Self.policyWords.contains { word.contains($0) }
        }
        if isPolicy { return words.first }
        guard let claims = token?.claimedPermissions else { return nil }
        let needed = claims.isApplication ? permissions.application : permissions.delegated
        guard !needed.isEmpty, claims.names.cover(needed) else { return nil }
        return "the token has the permission \(needed.joined(separator: ", "))"
    }

    /// What the service says only where a setting forbids a link.
    private static let policyWords = [
        "sharing", "policy", "organi", "tenant", "admin", "not enabled", "disabled", "notallowed", "not allowed",
        "blocked", "restricted",
    ]
}

extension Permissions {
    /// The advice after a forbidden request that these permissions would have allowed.
    /// - Parameter isApplication: Whether the token belongs to a program without a user; nil if unknown.
    fileprivate func whatToDo(isApplication: Bool?) -> String {
        let own = application.joined(separator: ", ")
        let users = delegated.joined(separator: " ")
        switch (isApplication, users.isEmpty, own.isEmpty) {
        case (true, _, false): return "An administrator has to grant the application the permission \(own)."
        case (true, _, true), (_, true, true):
            return
                "The token needs a permission that is not known here: Microsoft's reference for the request names it."
        case (_, true, false): return "A program without a user needs the permission \(own)."
        case (_, false, _):
            let others = own.isEmpty || delegated == application ? "" : " (\(own) for a program without a user)"
            return "The token needs the permission \(delegated.joined(separator: ", "))\(others). "
                + "Sign in with it: graphflow login --scopes '\(users)'"
        }
    }
}
