import Essentials
import Workflows

/// A plan as an archive of requests and answers (HAR 1.2), which a browser's developer tools open.
///
/// The answers are the plan's examples, marked as such: nothing was sent. A plan has no times, so the same plan always
/// makes the same archive; a millisecond between two requests keeps them in order where tools sort by time.
struct HTTPArchive {
    private static let start = Date(timeIntervalSince1970: 0)
    private let plan: Plan

    init(_ plan: Plan) { self.plan = plan }

    /// The archive as JSON.
    var value: Value {
        let metadata = plan.workflow.metadata
        let requests = plan.allTasks.flatMap { task in
            task.steps.compactMap { step -> (request: PlannedRequest, task: PlannedTask)? in
                guard case .request(let request) = step else { return nil }
                return (request, task)
            }
        }
        let entries = requests.enumerated().map { entry($1.request, of: $1.task, number: $0) }
        return [
            "log": [
                "version": "1.2", "creator": ["name": "graphflow", "version": .string(Workflows.Graphflow.version)],
                "pages": [
                    [
                        "startedDateTime": .string(Self.start.iso8601), "id": "plan",
                        "title": .string("\(metadata.name) \(metadata.version): what a run would send"),
                        "pageTimings": ["onContentLoad": -1, "onLoad": -1],
                    ]
                ],
                "entries": .array(entries),
                "comment": .string(
                    "A dry run. \(Drawing.named("…")) is a value that only the service knows; tokens and secrets are redacted."
                        + (plan.isComplete ? "" : " It is not complete: \(plan.gaps.joined(separator: "; ")).")
                ),
            ]
        ]
    }

    private func entry(_ planned: PlannedRequest, of task: PlannedTask, number: Int) -> Value {
        let conditions = [task.certainty.description, planned.condition ?? ""].filter { !$0.isEmpty }
        let condition = conditions.map { ", \($0)" }.joined()
        return [
            "pageref": "plan",
            "startedDateTime": .string(Self.start.addingTimeInterval(Double(number) / 1_000).iso8601), "time": 0,
            "request": request(planned),
            "response": response(planned), "cache": [:],
            "timings": ["blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 0, "receive": 0],
            "comment": .string("\(task.number) \(task.name): \(planned.operation.name)\(condition)"),
            "_effect": .string(planned.operation.effect.rawValue),
        ]
    }

    private func request(_ planned: PlannedRequest) -> Value {
        let request = planned.request.redacted
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        let query = (parts?.queryItems ?? []).map { Self.pair($0.name, $0.value ?? "") }
        // The URL must be absolute, even where its beginning is unknown.
        let address =
            request.url.scheme == nil
            ? "https://unknown.example/\(request.url.absoluteString)" : request.url.absoluteString
        var members: Object = [
            "method": .string(request.method), "url": .string(address), "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": .array(request.headers.fields.map { Self.pair($0.name, $0.value) }),
            "queryString": .array(query), "headersSize": -1, "bodySize": .integer(request.body?.count ?? 0),
        ]
        if let body = planned.body { members["postData"] = data(body, request) }
        return .object(members)
    }

    private func data(_ body: PlannedBody, _ request: HTTPRequest) -> Value {
        var members: Object = ["mimeType": .string(request.headers["Content-Type"] ?? "")]
        switch body {
        case .text: members["text"] = .string(body.drawn)
        case .json(let value):
            let isKnown = !value.holdsUnknown
            members["text"] = .string(
                isKnown ? request.body.map { String(decoding: $0, as: UTF8.self) } ?? "" : body.drawn)
        case .bytes:
            // The format only has text: bytes are written in base64, as developer tools do.
            members["text"] = .string(request.body?.base64EncodedString() ?? "")
            members["_encoding"] = "base64"
            members["comment"] = .string(body.description)
        case .unknown: members["text"] = .string(body.drawn)
        }
        return .object(members)
    }

    private func response(_ planned: PlannedRequest) -> Value {
        let example = planned.operation.example
        let type = example.headers["Content-Type"] ?? "x-unknown"
        var content: Object = ["size": .integer(example.body.count), "mimeType": .string(type)]
        if let bytes = planned.answerBytes {
            content["text"] = .string(Drawing.of(bytes))
        } else if let answer = planned.answer {
            content["text"] = .string(planned.hasTextAnswer ? answer.drawn().string ?? "" : answer.drawn().json())
        } else if !example.body.isEmpty {
            content["text"] = .string(String(decoding: example.body, as: UTF8.self))
        }
        let isReal = planned.status != nil
        if isReal { content = ["size": -1, "mimeType": "x-unknown"] }
        return [
            "status": .integer(planned.status ?? example.status),
            "statusText": isReal ? "" : "not sent", "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": isReal ? [] : .array(example.headers.redacted.fields.map { Self.pair($0.name, $0.value) }),
            "content": .object(content), "redirectURL": "", "headersSize": -1, "bodySize": -1,
            "comment": isReal ? "The request was sent when the plan was made." : "An example: nothing was sent.",
        ]
    }

    private static func pair(_ name: String, _ value: String) -> Value {
        ["name": .string(name), "value": .string(value)]
    }
}
