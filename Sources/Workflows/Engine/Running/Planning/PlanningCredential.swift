/// The credential of a plan that reads; requests without a token are not sent.
struct PlanningCredential: Credential {
    /// Represents a missing token; a request with it is never sent.
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
