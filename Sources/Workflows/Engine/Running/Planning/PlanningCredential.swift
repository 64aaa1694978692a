import Promises

/// The credential of a plan that reads: where there is no token for something, the plan takes it as not asked.
struct PlanningCredential: Credential {
    /// What stands in the place of a token that there is not; a request with it is never sent.
    static let none = AccessToken("planned")

    let real: any Credential

    func token(for scopes: [String]) -> Promise<AccessToken> { real.token(for: scopes).recover(on: nil, Self.instead) }

    func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken> {
        real.token(for: scopes, after: refusal)
    }

    private static func instead(_ error: any Error) throws -> Promise<AccessToken> {
        guard error is CredentialError else { throw error }
        return .value(none)
    }
}
