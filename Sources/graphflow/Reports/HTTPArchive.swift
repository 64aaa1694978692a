import Foundation
import Workflows

/// A plan as an archive of requests and answers (HAR 1.2), which a browser's developer tools open.
///
/// The answers are the plan's examples, marked as such: nothing was sent. A plan has no times, so the same plan always
/// makes the same archive.
struct HTTPArchive {
    private static let moment = "1970-01-01T00:00:00.000Z"
    private let plan: Plan

    init(_ plan: Plan) { self.plan = plan }

    /// The archive as JSON.
    var value: Value {
        let metadata = plan.workflow.metadata
        let entries = plan.allTasks.flatMap { task in
            task.steps.compactMap { step -> Value? in
                guard case .request(let request) = step else { return nil }
                return entry(request, of: task)
            }
        }
        return [
            "log": [
                "version": "1.2", "creator": ["name": "graphflow", "version": .string(Workflows.Graphflow.version)],
                "pages": [
                    [
                        "startedDateTime": .string(Self.moment), "id": "plan",
                        "title": .string("\(metadata.name) \(metadata.version): what a run would send"),
                        "pageTimings": ["onContentLoad": -1, "onLoad": -1],
                    ]
                ],
                "entries": .array(entries),
                "comment": "A dry run. ‹…› is a value that only the service knows; tokens and secrets are redacted.",
            ]
        ]
    }

    private func entry(_ planned: PlannedRequest, of task: PlannedTask) -> Value {
        let condition = task.certainty == .certain ? "" : ", \(task.certainty.description)"
        return [
            "pageref": "plan", "startedDateTime": .string(Self.moment), "time": 0, "request": request(planned),
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
        case .text(let text): members["text"] = .string(text)
        case .json(let value):
            let isKnown = value.symbols.isEmpty
            members["text"] = .string(
                isKnown ? request.body.map { String(decoding: $0, as: UTF8.self) } ?? "" : value.json())
        case .bytes:
            // The format only has text: bytes are written in base64, as developer tools do.
            members["text"] = .string(request.body?.base64EncodedString() ?? "")
            members["_encoding"] = "base64"
            members["comment"] = .string(body.description)
        case .unknown(let symbol, _): members["text"] = .string(symbol)
        }
        return .object(members)
    }

    private func response(_ planned: PlannedRequest) -> Value {
        let example = planned.operation.example
        let type = example.headers["Content-Type"] ?? "x-unknown"
        var content: Object = ["size": .integer(example.body.count), "mimeType": .string(type)]
        if let symbol = ExampleBytes.symbol(of: example.body) {
            content["text"] = .string(symbol)
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
