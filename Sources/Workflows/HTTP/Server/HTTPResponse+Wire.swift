extension HTTPResponse {
    /// The response as one piece: a separate body would wait 40 ms for the client's delayed acknowledgement of the
    /// head.
    /// - Parameters:
    ///   - hasBody: Whether the body is included, as for every request except HEAD.
    ///   - isLast: Whether the connection closes after it.
    func wireBytes(hasBody: Bool = true, isLast: Bool) -> Data {
        var head = "HTTP/1.1 \(status) \(Self.phrase(status))\r\n"
        for field in headers.fields { head += "\(field.name): \(field.value)\r\n" }
        let isBodiless = status == 204 || status == 304 || status < 200
        // A stream has no length: it ends with the connection.
        let isStream = headers["Content-Type"] == "text/event-stream"
        if !isBodiless, !isStream { head += "Content-Length: \(body.count)\r\n" }
        head += isLast ? "Connection: close\r\n\r\n" : "\r\n"
        var bytes = Data(head.utf8)
        if hasBody, !isBodiless { bytes.append(body) }
        return bytes
    }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 302: "Found"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 421: "Misdirected Request"
        case 423: "Locked"
        case 424: "Failed Dependency"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: "Status"
        }
    }
}
