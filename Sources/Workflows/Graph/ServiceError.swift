import Foundation

/// What an answer that is no success says about itself, read from whatever body came.
///
/// Graph wraps errors in `{"error": {"code", "message", "innerError": {…}}}`, spells `innerError` in two ways and nests
/// it; machines in front of it answer with HTML, with nothing, or with half of something.
package struct ServiceError: Sendable, Hashable {
    /// A body beyond this size is not an error of Graph and is not read.
    private static let largestBody = 1_000_000
    /// Nested errors beyond this depth are not looked at.
    private static let deepest = 16

    /// The most specific code.
    package private(set) var code: String?
    /// The outermost message as one line.
    package private(set) var message: String?
    /// The service's id of the request.
    package private(set) var requestID: String?
    /// When the service answered, in its words.
    package private(set) var date: String?

    /// Reads the body and the headers of an answer; what they do not say stays nil.
    package init(_ response: HTTPResponse) {
        requestID = response.headers["request-id"].map { PlainText.line($0, limit: 100) }
        date = response.headers["Date"].map { PlainText.line($0, limit: 100) }
        guard response.body.count <= Self.largestBody, let body = try? Value(json: response.body),
            var error = body["error"]
        else { return }
        if let text = error.string {
            // The sign-in service's shape: {"error": "code", "error_description": "message"}.
            code = Self.text(.string(text), limit: 100)
            message = Self.text(body["error_description"])
            return
        }
        message = Self.text(error["message"])
        for _ in 0..<Self.deepest {
            code = Self.text(error["code"], limit: 100) ?? code
            requestID = requestID ?? Self.text(error["request-id"], limit: 100)
            date = Self.text(error["date"], limit: 100) ?? date
            guard let inner = error["innerError"] ?? error["innererror"] else { break }
            error = inner
        }
    }

    private static func text(_ value: Value?, limit: Int = 500) -> String? {
        guard let text = value?.string.map({ PlainText.line($0, limit: limit) }), !text.isEmpty else { return nil }
        return text
    }
}
