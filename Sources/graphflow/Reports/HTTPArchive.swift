/// A plan as an HTTP archive (HAR 1.2), which a browser's developer tools open.
///
/// The answers are the plan's examples, marked as such: nothing was sent. A plan has no times, so the same plan always
/// makes the same archive; a millisecond between two requests keeps them in order where tools sort by time.
struct HTTPArchive {
    private static let start = Date(timeIntervalSince1970: 0)
    private let view: PlanView
    /// The requests with their bytes and answers, in order; a saved plan has neither answers nor binary bodies.
    private let planned: [PlannedRequest]

    init(_ view: PlanView) {
        self.view = view
        planned = view.made?.requests ?? []
    }

    var value: Value {
        let requests = view.requests
        let entries = requests.enumerated().map { number, request in
            entry(request.step, of: request.task, planned.isEmpty ? nil : planned[number], number: number)
        }
        return [
            "log": [
                "version": "1.2", "creator": ["name": "graphflow", "version": .string(Workflows.Graphflow.version)],
                "pages": [
                    [
                        "startedDateTime": .string(Self.start.iso8601), "id": "plan",
                        "title": .string("\(view.name): what a run would send"),
                        "pageTimings": ["onContentLoad": -1, "onLoad": -1],
                    ]
                ],
                "entries": .array(entries),
                "comment": .string(
                    "A dry run. \(Drawing.named("…")) is a value that only the service knows; tokens and secrets are redacted."
                        + (view.isComplete ? "" : " It is not complete: \(view.gaps.joined(separator: "; ")).")
                ),
            ]
        ]
    }

    private func entry(_ step: Value, of task: Value, _ planned: PlannedRequest?, number: Int) -> Value {
        let conditions = [task["certainty"]?["words"], step["condition"]].compactMap { $0?.string.map { ", \($0)" } }
        let words = PlanView.label(of: task)
        return [
            "pageref": "plan",
            "startedDateTime": .string(Self.start.addingTimeInterval(Double(number) / 1_000).iso8601), "time": 0,
            "request": request(step, planned),
            "response": response(planned, status: step["status"]), "cache": [:],
            "timings": ["blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 0, "receive": 0],
            "comment": .string("\(words): \(step["function"]?.string ?? "")\(conditions.joined())"),
            "_effect": step["effect"] ?? .null,
        ]
    }

    private func request(_ step: Value, _ planned: PlannedRequest?) -> Value {
        let url = step["url"]?.string ?? ""
        let query = URLComponents(string: url)?.queryItems ?? []
        // The URL must be absolute, even if its beginning is unknown.
        let address = URL(string: url)?.scheme == nil ? "https://unknown.example/\(url)" : url
        let body = planned?.request.redacted.body
        var members: Object = [
            "method": step["method"] ?? .null, "url": .string(address), "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": step["headers"] ?? [],
            "queryString": .array(query.map { Self.pair($0.name, $0.value ?? "") }), "headersSize": -1,
            "bodySize": body.map { .integer($0.count) } ?? step["body"].map { $0["size"] ?? -1 } ?? 0,
        ]
        members["postData"] = step["body"].map { data($0, type: Self.contentType(of: step), planned?.body, sent: body) }
        return .object(members)
    }

    private func data(_ body: Value, type: String, _ planned: PlannedBody?, sent: Data?) -> Value {
        var members: Object = ["mimeType": .string(type)]
        switch body["kind"]?.string {
        case "json":
            var text = body["json"]?.json()
            if case .json(let value)? = planned, !value.holdsUnknown, let sent {
                text = String(decoding: sent, as: UTF8.self)
            }
            members["text"] = .string(text ?? "")
        case "bytes":
            // The format only has text: bytes are written in base64, as developer tools do.
            members["text"] = .string(sent?.base64EncodedString() ?? "")
            members["_encoding"] = "base64"
            members["comment"] = .string(
                Self.words(body) + (planned == nil ? ", which a saved plan does not have" : ""))
        default: members["text"] = body["text"] ?? body["symbol"] ?? ""
        }
        return .object(members)
    }

    private static func contentType(of step: Value) -> String {
        let fields = step["headers"]?.array ?? []
        return fields.first { $0["name"]?.string?.lowercased() == "content-type" }?["value"]?.string ?? ""
    }

    private static func words(_ body: Value) -> String {
        let (type, size, hash) = (body["type"]?.string ?? "", body["size"] ?? 0, body["sha256"]?.string ?? "")
        return size == 0 ? "no content" : "\(type), \(size.json()) bytes, sha256:\(hash)"
    }

    private func response(_ planned: PlannedRequest?, status: Value?) -> Value {
        var content: Object = ["size": -1, "mimeType": "x-unknown"]
        var headers: [Value] = []
        if let planned, status == nil {
            let example = planned.operation.example
            headers = example.headers.redacted.fields.map { Self.pair($0.name, $0.value) }
            content["size"] = .integer(example.body.count)
            content["mimeType"] = example.headers["Content-Type"].map(Value.string) ?? "x-unknown"
            if let bytes = planned.answerBytes {
                content["text"] = .string(Drawing.of(bytes))
            } else if let answer = planned.answer {
                content["text"] = .string(planned.hasTextAnswer ? answer.drawn().string ?? "" : answer.drawn().json())
            } else if !example.body.isEmpty {
                content["text"] = .string(String(decoding: example.body, as: UTF8.self))
            }
        }
        let words =
            status != nil
            ? "The request was sent when the plan was made."
            : planned == nil ? "A saved plan has no answers: nothing was sent." : "An example: nothing was sent."
        return [
            "status": status ?? .integer(planned?.operation.example.status ?? 0),
            "statusText": status == nil ? "not sent" : "", "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": .array(headers),
            "content": .object(content), "redirectURL": "", "headersSize": -1, "bodySize": -1,
            "comment": .string(words),
        ]
    }

    private static func pair(_ name: String, _ value: String) -> Value {
        ["name": .string(name), "value": .string(value)]
    }
}
