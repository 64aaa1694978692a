extension GraphClient {
    package static let publicURL = "https://graph.microsoft.com/v1.0"

    /// The service's address; fails for one that must not receive a token.
    static func resolve(_ given: URL?, environment: [String: String]) -> Result<URL, GraphError> {
        let variable = environment[Cloud.graphVariable].flatMap { $0.isEmpty ? nil : $0 }
        let text = given?.absoluteString ?? variable ?? publicURL
        let name = given == nil && variable != nil ? Cloud.graphVariable : "Graph's address"
        func refusal(_ why: String) -> Result<URL, GraphError> {
            .failure(
                GraphError(
                    .invalidInput, message: "\(name) is '\(PlainText.exact(text, limit: 200))': \(why).",
                    hint: "An address looks like \(publicURL)."))
        }
        guard var parts = URLComponents(string: text.trimmed), let url = parts.url,
            let origin = Origin(url)
        else { return refusal("it is not an absolute https address") }
        guard origin.isPrivate else {
            return refusal("plain http would send the token unencrypted and is only allowed to this machine")
        }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
            return refusal("it must not contain a user, a query or a fragment")
        }
        while parts.percentEncodedPath.hasSuffix("/") { parts.percentEncodedPath.removeLast() }
        guard let base = parts.url else { return refusal("it is not an absolute https address") }
        return .success(base)
    }
}
