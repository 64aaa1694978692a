package enum HTTPStatus {
    private static let names: [Int: String] = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
        401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
        413: "Content Too Large", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        422: "Unprocessable Content", 423: "Locked", 429: "Too Many Requests", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        507: "Insufficient Storage", 509: "Bandwidth Limit Exceeded",
    ]

    package static func phrase(_ status: Int) -> String { names[status] ?? "Status \(status)" }

    package static func words(_ status: Int) -> String {
        names[status].map { "\(status) \($0)" } ?? String(status)
    }
}

extension HTTPFailure.Reason {
    package var words: String {
        switch self {
        case .cannotConnect: "no connection"
        case .connectionLost: "the connection was lost"
        case .timedOut: "no response in time"
        case .untrustedCertificate: "the server's certificate is not trusted"
        case .tooLarge: "the response is too large"
        case .badResponse: "the response is not HTTP"
        case .cancelled: "cancelled"
        case .fileUnusable: "a file cannot be used"
        }
    }
}
