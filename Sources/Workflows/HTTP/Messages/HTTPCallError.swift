/// Why an HTTP call failed, as an error of the standard.
///
/// Specification: dsl.md, "Supported Protocols": a problem during a call is an error of type `communication`.
package struct HTTPCallError: Error {
    private var kind = ProblemKind.communication
    package var status: Int
    package var title: String
    package var message: String
    package var hint: String?
    /// Whether the service may have done what it was asked to do.
    package private(set) var isUnclear = false

    package init(status: Int, title: String, message: String, hint: String? = nil) {
        (self.status, self.title, self.message, self.hint) = (status, title, message, hint)
    }

    private enum ProblemKind: String {
        case communication, configuration
    }

    package static func address(_ message: String, hint: String? = nil) -> HTTPCallError {
        var error = HTTPCallError(status: 400, title: "Unusable address", message: message, hint: hint)
        error.kind = .configuration
        return error
    }

    package static func refusal(_ response: HTTPResponse, of request: HTTPRequest, effect: Idempotency) -> HTTPCallError
    {
        let said = excerpt(of: response).map { ": \($0)" } ?? ""
        var error = HTTPCallError(
            status: response.status, title: HTTPStatus.phrase(response.status),
            message: "\(request.place) was answered \(HTTPStatus.words(response.status))\(said)")
        if (300..<400).contains(response.status) {
            let target = response.headers["Location"].map { " to \(PlainText.line($0, limit: 200))" } ?? ""
            error.message = "\(request.place) redirects\(target) (\(HTTPStatus.words(response.status)))"
            error.hint = "write 'redirect: true' to accept that"
        } else if response.status >= 500, effect == .once {
            error.isUnclear = true
            error.hint = "the request may have been processed: check before you repeat it"
        }
        return error
    }

    package static func failure(_ failure: HTTPFailure, of request: HTTPRequest, effect: Idempotency) -> HTTPCallError {
        let status =
            switch failure.reason {
            case .cannotConnect, .untrustedCertificate: 503
            case .timedOut: 504
            default: 502
            }
        var error = HTTPCallError(
            status: status, title: failure.phase == .notSent ? "No connection" : "No usable answer",
            message: "\(request.place): \(failure.reason.words): \(PlainText.line(failure.detail, limit: 300))")
        error.isUnclear = failure.phase == .sent
        if failure.phase == .sent, effect == .once {
            error.hint = "the request may have been processed: check before you repeat it"
        } else if failure.reason == .timedOut {
            error.hint = "give the task a 'timeout' to say how long it may take"
        }
        return error
    }

    package static func content(_ message: String, of request: HTTPRequest, hint: String? = nil) -> HTTPCallError {
        HTTPCallError(
            status: 502, title: "Unusable answer", message: "\(request.place): \(message)", hint: hint)
    }

    static func excerpt(of response: HTTPResponse) -> String? {
        guard !response.body.isEmpty else { return nil }
        if ContentType.isJSON(response.headers["Content-Type"] ?? ""), response.body.count <= 1_000_000,
            let value = try? Value(json: response.body)
        {
            let places = [["detail"], ["message"], ["error", "message"], ["error_description"], ["title"], ["error"]]
            for place in places {
                if let text = value[JSONPointer(place)]?.string { return PlainText.line(text, limit: 500) }
            }
            return PlainText.exact(value.json(), limit: 500)
        }
        guard ContentType.sniff(response.body.prefix(4096)).hasPrefix("text/") else { return nil }
        return PlainText.line(PlainText.beginning(of: response.body, upTo: 4096), limit: 500)
    }
}

extension HTTPCallError: ProblemConvertible, CustomStringConvertible {
    package var problem: Object {
        [
            "type": .string("https://serverlessworkflow.io/spec/1.0.0/errors/\(kind.rawValue)"),
            "status": .integer(status), "title": .string(title), "detail": .string(description),
        ]
    }

    package var description: String { message + (hint.map { "; \($0)" } ?? "") }
}

extension HTTPRequest {
    /// Method and address for messages, without the query, which may contain secrets.
    package var place: String {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        let address = PlainText.withoutQuery(components?.string ?? url.path())
        return "\(method) \(PlainText.line(address, limit: 300))"
    }
}
