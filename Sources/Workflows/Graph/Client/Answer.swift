enum Answer {
    /// No JSON answer of Graph is this large.
    private static let largestBody = 100_000_000

    /// Reads an answer's body.
    ///
    /// If the effect must not happen twice, an unusable answer does not justify a retry: the effect happened, and only
    /// its result is lost.
    static func json<Result>(
        _ response: HTTPResponse, effect: Idempotency, _ read: (Value) throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        do throws(GraphError) {
            return try read(try value(response))
        } catch {
            var error = error
            error.status = response.status
            if effect == .once {
                error.code = .unknownOutcome
                error.message = "The request was carried out, but its answer is unusable. \(error.message)"
            }
            throw error
        }
    }

    private static func value(_ response: HTTPResponse) throws(GraphError) -> Value {
        guard response.body.count <= largestBody else {
            throw GraphError(
                .badAnswer, message: "The answer has \(response.body.count) bytes, more than any answer of Graph.")
        }
        do {
            return try Value(json: response.body)
        } catch {
            if let page = response.webPage { throw .webPage(page) }
            let type = response.headers["Content-Type"].map { PlainText.line($0, limit: 100) } ?? "no content type"
            let size = response.body.count
            throw GraphError(
                .badAnswer,
                message: size == 0
                    ? "The answer is empty, but JSON was expected." : "The answer is not JSON (\(type), \(size) bytes)."
            )
        }
    }
}

extension GraphError {
    /// A web page instead of an answer.
    /// - Parameter page: Describes it: `the answer is a web page: Sign in`.
    static func webPage(_ page: String) -> GraphError {
        GraphError(
            .badAnswer, message: PlainText.sentence(page.prefix(1).uppercased() + page.dropFirst()),
            hint: "Is there a proxy or a sign-in page in between?")
    }
}

extension Value {
    /// The id in Graph's description of something.
    func id(of what: String) throws(GraphError) -> String {
        guard object != nil, let id = self["id"]?.string, !id.isEmpty else {
            throw GraphError(.badAnswer, message: "The answer describes no \(what): it has no 'id'.")
        }
        return id
    }
}
