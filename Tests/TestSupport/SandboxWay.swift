import Foundation
import Promises
package import GraphSandbox

/// The two ways to reach a sandbox, which must behave the same.
package enum SandboxWay: CaseIterable {
    case inProcess
    case overSocket

    /// Calls the body with a sandbox that is reached this way.
    package func withSandbox(
        _ profile: Sandbox.Profile = .default, settings: Sandbox.Settings = Sandbox.Settings(),
        faults: [Sandbox.Fault] = [],
        _ body: (Sandbox, SandboxClient) async throws -> Void
    ) async throws {
        let sandbox = Sandbox(
            profile: profile, settings: settings, faults: faults, now: { Date(timeIntervalSince1970: 1_790_000_000) },
            random: CountingRandom())
        switch self {
        case .inProcess:
            try await body(sandbox, SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL))
        case .overSocket:
            let server = SandboxServer(sandbox)
            let port = try server.start()
            defer { server.stop() }
            let base = URL(string: "http://127.0.0.1:\(port)/v1.0") ?? Sandbox.baseURL
            try await body(sandbox, SandboxClient(transport: NetworkTransport(clock: .patient), base: base))
        }
    }
}

/// Numbers that are the same in every run.
package struct CountingRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64 = 0

    package init() {}

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}

/// Sends requests like a program that uses Graph.
package struct SandboxClient: Sendable {
    package let transport: any HTTPTransport
    package let base: URL
    package var token: String?

    package init(transport: any HTTPTransport, base: URL, token: String? = "sandbox") {
        self.transport = transport
        self.base = base
        self.token = token
    }

    /// A client without a token, for addresses that contain their own secret.
    package var withoutToken: SandboxClient {
        var copy = self
        copy.token = nil
        return copy
    }

    /// Sends a request to a path below `/v1.0`, or to a whole address.
    package func send(
        _ method: String, _ path: String, headers: HTTPHeaders = [:], json: Value? = nil, body: Data? = nil
    ) async throws -> HTTPResponse {
        let address = path.contains("://") ? path : base.absoluteString + path
        guard let url = URL(string: address) else { throw URLError(.badURL) }
        var request = HTTPRequest(method, url, headers: headers, body: json.map { $0.jsonData() } ?? body)
        if json != nil, headers["Content-Type"] == nil { request.headers["Content-Type"] = "application/json" }
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        let operation = HTTPOperation(
            name: "test", effect: method == "GET" ? .read : .once, example: HTTPResponse(status: 200))
        return try await transport.send(request, for: operation).value
    }

    /// The JSON of an answer to a GET.
    package func get(_ path: String, headers: HTTPHeaders = [:]) async throws -> Value {
        try await send("GET", path, headers: headers).json
    }

    package func put(_ path: String, _ text: String, headers: HTTPHeaders = ["Content-Type": "text/plain"]) async throws
        -> HTTPResponse
    {
        try await send("PUT", path, headers: headers, body: Data(text.utf8))
    }

    /// Sends a request until it succeeds, at most 4 times, like a client with retries.
    package func sendPersistently(
        _ method: String, _ path: String, headers: HTTPHeaders = [:], json: Value? = nil, body: Data? = nil
    ) async throws -> (answer: HTTPResponse?, failures: [String]) {
        var failures: [String] = []
        for _ in 0..<4 {
            do {
                let answer = try await send(method, path, headers: headers, json: json, body: body)
                guard answer.status >= 400 else { return (answer, failures) }
                failures.append("\(answer.status)\(answer.headers["Retry-After"].map { " after \($0)" } ?? "")")
            } catch let failure as HTTPFailure {
                failures.append(failure.reason.rawValue)
            }
        }
        return (nil, failures)
    }
}

extension HTTPResponse {
    /// The body as JSON.
    package var json: Value { get throws { try Value(json: body) } }

    /// The code of Graph's error envelope.
    package var errorCode: String? { (try? Value(json: body))?["error"]?["code"]?.string }
}
