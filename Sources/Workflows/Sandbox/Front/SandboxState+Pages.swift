extension SandboxState {
    mutating func show(_ page: SandboxPage, _ call: SandboxCall) -> HTTPResponse {
        let method = call.request.method
        if page == .all, method == "DELETE" {
            reset(at: call.date)
            return HTTPResponse(status: 204)
        }
        guard method == "GET" || method == "HEAD" else {
            return Self.plain(405, "Only GET is allowed here.\n", ["Allow": page == .all ? "GET, DELETE" : "GET"])
        }
        var response: HTTPResponse
        switch page {
        case .board: response = Self.board
        case .style: response = Self.resource(PackageResources.page_css, "text/css")
        case .script: response = Self.resource(PackageResources.page_js, "text/javascript")
        case .state: response = Self.json(boardState)
        case .mail(let number): response = body(ofMail: number) ?? Self.missing
        case .attachment(let index, let number):
            let mail = mails.indices.contains(number) ? mails[number] : nil
            let files = mail?.attachments ?? []
            response = Self.content(files.indices.contains(index) ? files[index].content : nil)
        case .exchange(let number): response = exchange(number).map(Self.json) ?? Self.missing
        case .icon: return HTTPResponse(status: 204)
        case .outbox: response = Self.list(mails.map(\.value))
        case .drive: response = Self.list(items.map(\.value))
        case .requests: response = Self.list(log.all.map(\.value))
        case .throttling: response = Self.list(throttles.map(\.value))
        case .all:
            let all: Value = [
                "profile": .string(profile.rawValue), "outbox": .array(mails.map(\.value)),
                "drive": .array(items.map(\.value)), "requests": .array(log.all.map(\.value)),
                "throttling": .array(throttles.map(\.value)),
            ]
            response = Self.json(all)
        case .share(let key):
            response = Self.content(shared(at: "/s/\(key)"))
        case .download(let key):
            let download = downloads[key].flatMap { $0.expires > call.date ? $0 : nil }
            response = Self.content(download.flatMap { found in items.first { $0.id == found.itemID }?.content })
                .part(call.request.headers["Range"])
        case .thumbnail(let size): response = Self.content(Self.thumbnails.values.first { $0.size == size }?.content)
        case .monitor(let id): response = progress(ofCopy: id) ?? Self.missing
        case .file(let id): response = Self.content(items.first { $0.id == id }?.content)
        }
        response.headers["Date"] = SandboxClock.httpDate(call.date)
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
    }

    mutating func answer(_ request: HTTPRequest, with error: SandboxError, at date: Date) -> SandboxAnswer {
        let requestID = guid()
        var response = error.response(
            requestID: requestID, clientRequestID: request.headers["client-request-id"], date: date)
        response.headers["request-id"] = requestID
        response.headers["Date"] = SandboxClock.httpDate(date)
        let answer = SandboxAnswer(response)
        record(request, answer, at: date)
        return answer
    }

    /// With the detected type instead of the client's: no script may run in the page's origin.
    private static func content(_ content: Data?) -> HTTPResponse {
        guard let content else { return missing }
        let type = ContentType.sniff(content)
        return HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": type == "text/plain" ? "text/plain; charset=utf-8" : type,
                "Content-Disposition": type == "application/octet-stream" ? "attachment" : "inline",
            ], body: content)
    }

    private static func list(_ values: [Value]) -> HTTPResponse { json(.array(values)) }

    private static func json(_ value: Value) -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: ["Content-Type": "application/json"], body: value.jsonData(pretty: true))
    }

    private static func resource(_ bytes: [UInt8], _ type: String) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": "\(type); charset=utf-8"], body: Data(bytes))
    }

    private static var missing: HTTPResponse { plain(404, "There is no such file, or its link has expired.\n") }

    private static func plain(_ status: Int, _ text: String, _ headers: HTTPHeaders = [:]) -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = "text/plain; charset=utf-8"
        return HTTPResponse(status: status, headers: headers, body: Data(text.utf8))
    }
}
