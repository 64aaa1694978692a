/// What an answer that is no success, or none, means to the caller.
extension GraphExchange {
    func error(for response: HTTPResponse, _ token: AccessToken? = nil, attempts: Int = 1) -> GraphError {
        var error = GraphError(response, attempts: attempts)
        switch error.code {
        case .forbidden: explainForbidden(&error, response, token)
        case .unauthorized:
            let challenge = ClaimsChallenge(challenges: response.headers.values(of: "WWW-Authenticate"))
            error.hint = challenge?.advice(isApplication: token?.isOfApplication) ?? FixedCredential.refused
        default: break
        }
        return complete(error, response)
    }

    /// Whether a proxy or a network's sign-in page answered with a web page; Graph's own pages name their request.
    func isPageInBetween(_ response: HTTPResponse, to token: AccessToken?) -> Bool {
        guard response.isHTML else { return false }
        let isContent = ["/content", "/$value"].contains { http.url.path().hasSuffix($0) }
        return !isContent || token != nil && response.headers["request-id"] == nil
    }

    func pageError(_ page: String, _ response: HTTPResponse) -> GraphError {
        var error = GraphError.webPage(page)
        error.status = response.status
        if request.effect == .once {
            error.code = .unknownOutcome
            error.message = GraphError.unknownOutcomePrefix + error.message
            error.hint = request.check
        }
        return complete(error, response)
    }

    func unknown(_ reply: Reply) -> GraphError {
        var error: GraphError
        switch reply {
        case .answer(let response, _): error = self.error(for: response)
        case .failure(let failure): error = complete(GraphError(failure: failure))
        }
        error.code = .unknownOutcome
        error.message = GraphError.unknownOutcomePrefix + error.message
        error.hint = request.check
        return error
    }

    func refusal(of response: HTTPResponse, _ why: String) -> GraphError {
        var error = GraphError(.badAnswer, status: response.status, message: "The service redirects: \(why).")
        // A redirect to a page after a POST may mean that the POST was done.
        if request.effect == .once, response.status < 304 {
            error.code = .unknownOutcome
            error.hint = request.check
        }
        return error
    }
}
