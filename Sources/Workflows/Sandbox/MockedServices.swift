/// Services that answer from a file of patterns; a request that matches no pattern is refused and never sent.
package final class MockedServices: HTTPTransport {
    private struct Mock: Sendable {
        let method: String?
        let url: String?
        let path: String?
        let query: Object
        let body: Value?
        let answer: HTTPResponse
        let name: String
    }

    private let mocks: [Mock]
    private let state: Locked<(isUsed: [Bool], refused: [String])>

    /// Reads a YAML or JSON file.
    /// - Throws: ``ReadingError`` with the position of every mistake.
    package convenience init(contentsOf url: URL) throws(ReadingError) {
        try self.init(try Document(dataAt: url))
    }

    package convenience init(_ document: Document) throws(ReadingError) {
        let schema: JSONSchema
        do {
            schema = try Self.schema.get()
        } catch {
            throw ReadingError(diagnostics: [Diagnostic(id: "mock", error.message, file: document.name)])
        }
        let findings = schema.validate(document.value).map { violation in
            Diagnostic(
                id: "mock", violation.message, hint: violation.hint, file: document.name,
                range: document.range(of: violation.instance))
        }
        guard findings.isEmpty else { throw ReadingError(diagnostics: findings) }
        self.init(document.value)
    }

    package init(_ mocks: Value) {
        self.mocks = (mocks.array ?? []).map(Self.mock)
        state = Locked((Array(repeating: false, count: self.mocks.count), []))
    }

    package var unused: [String] {
        let isUsed = state.withLock { $0.isUsed }
        return zip(mocks, isUsed).filter { !$1 }.map(\.0.name)
    }

    package var refused: [String] { state.withLock { $0.refused } }

    package func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        guard let answer = answer(to: request) else {
            let address = PlainText.line("\(request.method) \(request.url.absoluteString)", limit: 300)
            state.withLock { state in
                if !state.refused.contains(address) { state.refused.append(address) }
            }
            return Promise(
                error: HTTPFailure(
                    phase: .notSent, reason: .cannotConnect, detail: "no mock matches \(address), and nothing was sent")
            )
        }
        return .value(answer)
    }

    /// The answer of the first pattern that matches a request; nil without one.
    /// - Parameter isOfGraph: Whether it is sent to Graph: a pattern must have a place then, with or without the version.
    func answer(to request: HTTPRequest, isOfGraph: Bool = false) -> HTTPResponse? {
        guard let place = mocks.firstIndex(where: { Self.matches($0, request, isOfGraph: isOfGraph) }) else {
            return nil
        }
        state.withLock { $0.isUsed[place] = true }
        return mocks[place].answer
    }

    private static func matches(_ mock: Mock, _ request: HTTPRequest, isOfGraph: Bool) -> Bool {
        if isOfGraph, mock.url == nil, mock.path == nil { return false }
        if let method = mock.method, method.uppercased() != request.method.uppercased() { return false }
        let whole = request.url.absoluteString.prefix { $0 != "?" && $0 != "#" }
        if let url = mock.url, !isMatch(Array(url), Array(whole)) { return false }
        if let path = mock.path {
            let whole = request.url.path(percentEncoded: true)
            let short = ["/v1.0", "/beta"].first { isOfGraph && whole.hasPrefix("\($0)/") }
                .map { String(whole.dropFirst($0.count)) }
            guard [whole, short].contains(where: { $0.map { isMatch(Array(path), Array($0)) } ?? false }) else {
                return false
            }
        }
        let given = (URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? [])
        for (name, value) in mock.query {
            let text = value.string ?? value.json()
            guard given.contains(where: { $0.name == name && $0.value == text }) else { return false }
        }
        guard let body = mock.body else { return true }
        let bytes = request.body ?? Data()
        if let text = body.string, String(decoding: bytes, as: UTF8.self) == text { return true }
        guard let sent = try? Value(json: bytes) else { return false }
        return isPart(body, of: sent)
    }

    private static func isPart(_ pattern: Value, of sent: Value) -> Bool {
        guard let members = pattern.object else { return pattern == sent }
        return members.allSatisfy { name, value in sent[name].map { isPart(value, of: $0) } ?? false }
    }

    /// Matches a pattern, in which `*` is anything without a slash and `**` anything at all.
    private static func isMatch(_ pattern: [Character], _ text: [Character]) -> Bool {
        func spread(_ places: Set<Int>) -> Set<Int> {
            var all = places
            var open = Array(places)
            while let place = open.popLast() {
                if place < pattern.count, pattern[place] == "*", all.insert(place + 1).inserted {
                    open.append(place + 1)
                }
            }
            return all
        }
        var places = spread([0])
        for character in text {
            var next: Set<Int> = []
            for place in places where place < pattern.count {
                if pattern[place] == "*" {
                    let isDouble =
                        place + 1 < pattern.count && pattern[place + 1] == "*" || place > 0 && pattern[place - 1] == "*"
                    if character != "/" || isDouble { next.insert(place) }
                } else if pattern[place] == character {
                    next.insert(place + 1)
                }
            }
            places = spread(next)
            if places.isEmpty { return false }
        }
        return places.contains(pattern.count)
    }

    private static func mock(_ value: Value) -> Mock {
        let (request, answer) = (value["request"] ?? [:], value["answer"] ?? [:])
        var response = HTTPResponse(status: answer["status"]?.integer ?? 200)
        for (name, text) in answer["headers"]?.object ?? [:] { response.headers[name] = text.string ?? text.json() }
        if let json = answer["json"] {
            response.body = json.jsonData()
            if response.headers["Content-Type"] == nil { response.headers["Content-Type"] = "application/json" }
        } else if let text = answer["body"]?.string {
            response.body = Data(text.utf8)
            if response.headers["Content-Type"] == nil {
                response.headers["Content-Type"] = "text/plain; charset=utf-8"
            }
        }
        let address = request["url"]?.string ?? request["path"]?.string ?? "**"
        return Mock(
            method: request["method"]?.string, url: request["url"]?.string, path: request["path"]?.string,
            query: request["query"]?.object ?? [:], body: request["body"], answer: response,
            name: "\(request["method"]?.string ?? "any request") \(address)")
    }

    private static let schema = Result { () throws(JSONSchemaError) in try JSONSchema(description) }

    package static let description: Value = [
        "type": "array",
        "items": [
            "type": "object", "required": ["request", "answer"], "additionalProperties": false,
            "properties": [
                "request": [
                    "type": "object", "minProperties": 1, "additionalProperties": false,
                    "properties": [
                        "method": ["type": "string", "minLength": 1], "url": ["type": "string", "minLength": 1],
                        "path": ["type": "string", "pattern": "^/|^\\*"], "query": ["type": "object"], "body": true,
                    ],
                ],
                "answer": [
                    "type": "object", "additionalProperties": false,
                    "properties": [
                        "status": ["type": "integer", "minimum": 100, "maximum": 599],
                        "headers": ["type": "object"], "json": true, "body": ["type": "string"],
                    ],
                    "not": ["required": ["json", "body"]],
                ],
            ],
        ],
    ]
}
