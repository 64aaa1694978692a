/// The error in a failed request's answer.
///
/// Graph wraps errors in `{"error": {"code", "message", "innerError": {…}}}`, spells `innerError` in two ways and nests
/// it; proxies answer with HTML, or with an empty or incomplete body.
package struct ServiceError: Sendable, Hashable {
    private static let largestBody = 1_000_000
    private static let deepest = 16

    package private(set) var code: String?
    package private(set) var message: String?
    package private(set) var requestID: String?
    package private(set) var date: String?
    package private(set) var answerDate: String?

    package init(_ response: HTTPResponse) {
        requestID = response.headers["request-id"].map { PlainText.line($0, limit: 100) }
        answerDate = response.headers["Date"].map { PlainText.line($0, limit: 100) }
        guard response.body.count <= Self.largestBody else { return }
        guard let body = try? Value(json: response.body), var error = Self.member("error", of: body) else {
            message = response.webPage
            return
        }
        if let text = error.string {
            // The sign-in service's shape: {"error": "code", "error_description": "message"}.
            code = Self.text(.string(text), limit: 100)
            message = Self.text(body["error_description"])
            return
        }
        message = Self.text(Self.member("message", of: error))
        for _ in 0..<Self.deepest {
            code = Self.text(Self.member("code", of: error), limit: 100) ?? code
            requestID = requestID ?? Self.text(Self.member("request-id", of: error), limit: 100)
            date = Self.text(Self.member("date", of: error), limit: 100) ?? date
            guard let inner = Self.member("innererror", of: error) else { break }
            error = inner
        }
    }

    /// Ignores case: services disagree about `innerError` and `Code`.
    private static func member(_ name: String, of value: Value) -> Value? {
        value[name] ?? value.object?.first { $0.key.lowercased() == name }?.value
    }

    private static func text(_ value: Value?, limit: Int = 500) -> String? {
        guard let text = value?.string.map({ PlainText.line($0, limit: limit) }), !text.isEmpty else { return nil }
        return text
    }
}
