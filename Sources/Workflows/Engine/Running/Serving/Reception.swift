/// Where a service listens, and whom it answers.
package struct Reception: Sendable {
    package var address: ListeningAddress
    /// The tokens of permitted clients; nil for everyone who reaches the address.
    package var tokens: BearerTokens?
    /// Answers requests for pages about the service; nil for any other request.
    package var page: @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil }

    /// The path at which subscriptions of Microsoft Graph ring, without a token and under the name of a proxy.
    package var hookPath: String?

    /// The path of pages on which people approve what waits, without a token; nil for none.
    package var approvalPath: String?
    /// Whether these pages are for other machines, too, under the name of a proxy.
    package var servesApprovers = false

    package init(at address: ListeningAddress, tokens: BearerTokens? = nil) {
        self.address = address
        self.tokens = tokens
    }

    /// Health checks ask without a token.
    private static let open: Set<String> = ["/healthz", "/readyz"]

    /// Whether requests can come under any host name.
    var servesAnyHost: Bool { tokens != nil || hookPath != nil || servesApprovers }

    private func isForApprovers(_ path: String) -> Bool {
        approvalPath.map { path == $0 || path.hasPrefix("\($0)/") } ?? false
    }

    /// The refusal of a request because of its head.
    func refusal(_ request: HTTPRequest) -> HTTPResponse? {
        let path = request.url.path()
        guard path != hookPath, !isForApprovers(path) else { return nil }
        guard let tokens else {
            guard servesAnyHost, !HostName.isServed(field: request.headers["Host"] ?? "127.0.0.1") else { return nil }
            // A web page can make a browser send requests here under another host name.
            return HTTPResponse(status: 421, headers: [:], body: Data())
        }
        guard !Self.open.contains(request.url.path), !tokens.admit(request) else { return nil }
        let body: Value = [
            "type": "about:blank", "status": 401, "detail": "send one of the service's tokens as a bearer token",
        ]
        return HTTPResponse(
            status: 401, headers: ["Content-Type": "application/problem+json", "WWW-Authenticate": "Bearer"],
            body: body.jsonData())
    }
}
