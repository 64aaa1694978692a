struct SandboxError: Error {
    var status: Int
    var code: String
    var message: String
    var headers: HTTPHeaders = [:]
    var innerCode: String?

    func response(requestID: String, clientRequestID: String?, date: Date) -> HTTPResponse {
        var inner: Object = [
            "date": .string(SandboxClock.timestampWithoutZone(date)), "request-id": .string(requestID),
            "client-request-id": .string(clientRequestID ?? requestID),
        ]
        if let innerCode { inner["code"] = .string(innerCode) }
        let body: Value = [
            "error": ["code": .string(code), "message": .string(message), "innerError": .object(inner)]
        ]
        var response = HTTPResponse(status: status, headers: headers, body: body.jsonData())
        response.headers["Content-Type"] = "application/json"
        return response
    }

    static func badRequest(_ message: String, code: String = "BadRequest") -> SandboxError {
        SandboxError(status: 400, code: code, message: message)
    }

    /// Graph may have this resource; the sandbox, which lacks it, says so in its own name.
    static func notPlayed(_ segment: String) -> SandboxError {
        SandboxError(
            status: 501, code: "sandboxNotImplemented",
            message:
                "The sandbox plays users, groups, licences, photos, mail, events and files, "
                + "and not \(segment.isEmpty ? "this path" : "'\(PlainText.exact(segment, limit: 50))'"): "
                + "try it with Microsoft Graph, or look at a dry run.")
    }

    /// An action whose result the sandbox does not know, with the mock that answers it.
    static func unplayed(_ name: String, _ method: String, at path: String) -> SandboxError {
        SandboxError(
            status: 501, code: "sandboxNotImplemented",
            message:
                "The sandbox does not play '\(PlainText.exact(name, limit: 50))'. In a test, or in a file of '--mock', "
                + "write: { request: { method: \(method), path: '\(PlainText.exact(path, limit: 200))' }, answer: { json: {} } }"
        )
    }

    static let noToken = SandboxError(
        status: 401, code: "InvalidAuthenticationToken", message: "Access token is empty.", headers: challenge)

    static let badToken = SandboxError(
        status: 401, code: "InvalidAuthenticationToken",
        message: "Lifetime validation failed, the token is expired or was revoked.", headers: challenge)

    static let wrongAudience = SandboxError(
        status: 401, code: "InvalidAuthenticationToken",
        message: "Access token validation failure. Invalid audience.", headers: challenge)

    static let tokenForUpload = SandboxError(
        status: 401, code: "unauthenticated",
        message: "The address of an upload session takes no Authorization header.")

    static let methodNotAllowed = SandboxError(
        status: 405, code: "Request_BadRequest",
        message: "Specified HTTP method is not allowed for the request target.")

    static let noItem = SandboxError(status: 404, code: "itemNotFound", message: "The resource could not be found.")

    static let noPhoto = SandboxError(
        status: 404, code: "ImageNotFound",
        message: "Exception of type 'Microsoft.Fast.Profile.Core.Exception.ImageNotFoundException' was thrown.")

    static let unreadableBody = badRequest(
        "Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON"
            + " format.")

    static let noSession = SandboxError(
        status: 404, code: "itemNotFound", message: "The upload session was not found: it has ended or never was.")

    static let noMessage = SandboxError(
        status: 404, code: "ErrorItemNotFound", message: "The specified object was not found in the store.")

    static let modified = SandboxError(
        status: 412, code: "resourceModified", message: "ETag does not match current item's value")

    static let nameTaken = SandboxError(
        status: 409, code: "nameAlreadyExists",
        message: "An item with the same name already exists under the parent.")

    static let quotaReached = SandboxError(
        status: 507, code: "quotaLimitReached", message: "Insufficient Space Available")

    static let tooLargeForMailbox = SandboxError(
        status: 413, code: "BadRequest", message: "Maximum request length exceeded.")

    static func noUser(_ name: String) -> SandboxError {
        SandboxError(
            status: 404, code: "Request_ResourceNotFound",
            message:
                "Resource '\(name)' does not exist or one of its queried reference-property objects are not present.")
    }

    private static let challenge: HTTPHeaders = [
        "WWW-Authenticate": "Bearer realm=\"\","
            + " authorization_uri=\"https://login.microsoftonline.com/common/oauth2/authorize\","
            + " client_id=\"00000003-0000-0000-c000-000000000000\""
    ]
}
