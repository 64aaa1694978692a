extension SandboxState {
    /// In seconds, whether or not ranges arrive.
    private static let attachmentSessionLifetime = 3600.0

    mutating func begin(_ target: SandboxUpload.Target, _ call: SandboxCall, status: Int) -> HTTPResponse {
        let id = text(32, of: "abcdefghijklmnopqrstuvwxyz0123456789")
        var upload = SandboxUpload(
            target: target, secret: text(40, of: "abcdefghijklmnopqrstuvwxyz0123456789"), expires: call.date)
        upload.expires = call.date.addingTimeInterval(
            upload.isAttachment ? Self.attachmentSessionLifetime : settings.uploadSessionLifetime.seconds)
        uploads = uploads.filter { $0.value.expires > call.date }
        uploads[id] = upload
        let secretName = upload.isAttachment ? "authtoken" : "tempauth"
        var answer = Self.session(upload)
        answer["uploadUrl"] = .string("\(origin)/uploadSession/\(id)?\(secretName)=\(upload.secret)")
        return Self.json(answer, status: status)
    }

    /// Answers a request to a session's address, which replaces the token.
    mutating func answerUpload(_ id: String, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        guard let upload = uploads[id], upload.expires > call.date else {
            uploads[id] = nil
            throw .noSession
        }
        guard call.target.query.contains(where: { $0.value == upload.secret }) else { throw .noSession }
        switch call.request.method {
        case "PUT": return try take(call, upload, id)
        case "DELETE":
            uploads[id] = nil
            return HTTPResponse(status: 204)
        case "POST": return try commitDeferred(upload, id, call)
        default: return Self.json(Self.session(upload))
        }
    }

    private mutating func take(
        _ call: SandboxCall, _ upload: SandboxUpload, _ id: String
    ) throws(SandboxError) -> HTTPResponse {
        guard let range = SandboxRange(parsing: call.request.headers["Content-Range"]) else {
            throw SandboxError(
                status: 400, code: "invalidRequest",
                message: "The Content-Range header is missing or malformed: bytes FIRST-LAST/TOTAL is expected.",
                innerCode: "invalidRange")
        }
        if let encoding = call.request.headers["Content-Encoding"], encoding.lowercased() != "identity" {
            throw .badRequest("A range cannot be encoded as '\(encoding)'.", code: "invalidRequest")
        }
        var upload = upload
        try upload.take(range, call.request.body ?? Data())
        if !upload.isAttachment {
            upload.expires = call.date.addingTimeInterval(settings.uploadSessionLifetime.seconds)
        }
        uploads[id] = upload
        guard range.isLast, let content = try upload.buffer?.content() else {
            return Self.json(Self.session(upload), status: upload.isAttachment ? 200 : 202)
        }
        switch upload.target {
        case .file(let file):
            if file.isDeferred { return Self.json(Self.session(upload), status: 202) }
            let response = try commit(file, content, at: call.date)
            uploads[id] = nil
            return response
        case .attachment(let attachment):
            let location = try commit(attachment, content, at: call.date)
            uploads[id] = nil
            return HTTPResponse(status: 201, headers: ["Location": location])
        }
    }

    /// The empty `POST` that turns a deferred session into a file.
    private mutating func commitDeferred(
        _ upload: SandboxUpload, _ id: String, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard case .file(let file) = upload.target, file.isDeferred, call.request.body?.isEmpty ?? true else {
            throw .badRequest("Only a session with deferCommit is finished by an empty POST.", code: "invalidRequest")
        }
        guard let buffer = upload.buffer, buffer.count == upload.total else {
            throw .badRequest("Ranges of the file are missing.", code: "invalidRequest")
        }
        let response = try commit(file, try buffer.content(), at: call.date)
        uploads[id] = nil
        return response
    }

    private static func session(_ upload: SandboxUpload) -> Object {
        [
            "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#microsoft.graph.uploadSession",
            "expirationDateTime": .string(SandboxClock.timestamp(upload.expires)),
            "nextExpectedRanges": upload.expectedRanges,
        ]
    }
}
