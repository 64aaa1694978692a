import Foundation
import Promises
import TestSupport
import Workflows

/// Answers over HTTP as a server of the Model Context Protocol does.
final class MCPService: HTTPTransport {
    /// How it answers a request: with a result, or with a whole response.
    enum Reply: Sendable {
        case result(Value)
        case error(Int, String)
        case response(HTTPResponse)
        case lost(HTTPFailure.Phase)
    }

    typealias Answer = @Sendable (_ method: String, _ params: Value) -> Reply?

    private let isStreamed: Bool
    private let session: String?
    private let answer: Answer
    private let kept = Locked<[HTTPRequest]>([])

    /// - Parameters:
    ///   - isStreamed: Whether an answer is a stream of events.
    ///   - session: The id of a session; nil for none.
    ///   - answer: Answers a request; nil for the usual result.
    init(isStreamed: Bool = false, session: String? = nil, answer: @escaping Answer = { _, _ in nil }) {
        (self.isStreamed, self.session, self.answer) = (isStreamed, session, answer)
    }

    var requests: [HTTPRequest] { kept.withLock { $0 } }

    /// The messages that it got.
    var messages: [Value] { requests.compactMap { $0.body.flatMap { try? Value(json: $0) } } }

    var methods: [String] { messages.compactMap { $0["method"]?.string } }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        kept.withLock { $0.append(request) }
        guard let message = request.body.flatMap({ try? Value(json: $0) }), let method = message["method"]?.string
        else {
            return .value(HTTPResponse(status: 400))
        }
        guard let id = message["id"] else { return .value(HTTPResponse(status: 202)) }
        switch answer(method, message["params"] ?? [:]) ?? Self.usual(method, message["params"] ?? [:]) {
        case .result(let result): return .value(response(["jsonrpc": "2.0", "id": id, "result": result], method))
        case .error(let code, let words):
            return .value(
                response(
                    ["jsonrpc": "2.0", "id": id, "error": ["code": .integer(code), "message": .string(words)]], method))
        case .response(let response): return .value(response)
        case .lost(let phase):
            return Promise(error: HTTPFailure(phase: phase, reason: .connectionLost, detail: "reset by peer"))
        }
    }

    private static func usual(_ method: String, _ params: Value) -> Reply {
        switch method {
        case "initialize":
            .result(["protocolVersion": params["protocolVersion"] ?? .null, "capabilities": [:], "serverInfo": [:]])
        default: .result(["content": [["type": "text", "text": .string(method)]]])
        }
    }

    private func response(_ message: Value, _ method: String) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": isStreamed ? "text/event-stream" : "application/json"]
        if method == "initialize", let session { headers["Mcp-Session-Id"] = session }
        let note = #"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#
        let text =
            isStreamed
            ? ": hello\r\nevent: message\r\ndata: \(note)\r\n\r\nevent: message\ndata:\(message.json())\n\n"
            : message.json()
        return HTTPResponse(status: 200, headers: headers, body: Data(text.utf8))
    }
}

/// Calls of the Model Context Protocol in workflows of one task.
enum MCPFixture {
    /// A server in Python that speaks every version over its standard streams.
    static let server = """
        import fcntl, json, os, sys, termios, time
        def say(message):
            print(json.dumps(dict(message, jsonrpc="2.0"), ensure_ascii=False), flush=True)
        open("started", "a").write("x")
        if os.environ.get("GREETS"):
            print("Welcome!", flush=True)
        for line in sys.stdin:
            message = json.loads(line)
            open("messages", "a").write(line)
            method, params = message.get("method"), message.get("params", {})
            if "id" not in message or method is None:
                continue
            def answer(result):
                say({"id": message["id"], "result": result})
            if method == "initialize":
                say({"id": "s1", "method": "ping"})
                say({"id": "s2", "method": "sampling/createMessage", "params": {}})
                say({"method": "notifications/message", "params": {}})
                answer({"protocolVersion": os.environ.get("SPEAKS", params["protocolVersion"]), "capabilities": {}})
            elif method == "tools/list":
                answer({"tools": [{"name": "find", "annotations": {"readOnlyHint": True}},
                                  {"name": "put", "annotations": {"idempotentHint": True}}, {"name": "lend"}]})
            elif params.get("name") == "die":
                print("no space left", file=sys.stderr, flush=True)
                sys.exit(3)
            elif params.get("name") == "hang":
                print("waiting for the shelf", file=sys.stderr, flush=True)
                # Marked once the other end of the pipe has read it, and had the time to keep it.
                while int.from_bytes(fcntl.ioctl(2, termios.FIONREAD, bytes(4)), sys.byteorder): time.sleep(0.01)
                time.sleep(0.5)
                open("waiting", "w").close()
                time.sleep(1000)
            elif params.get("name") == "flood":
                print("x" * 70_000_000, flush=True)
                time.sleep(1000)
            elif params.get("name") == "linger":
                answer({"content": []})
                time.sleep(1000)
            elif params.get("name") == "fail":
                answer({"isError": True, "content": [{"type": "text", "text": "no such\\nbook " + "x" * 5000}]})
            elif params.get("name") == "refuse":
                say({"id": message["id"], "error": {"code": -32602, "message": "Unknown tool"}})
            else:
                answer({"content": [], "got": params, "variables": sorted(os.environ), "mood": os.environ.get("MOOD")})
        """

    /// A folder with that server.
    static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("server.py", server)
        return folder
    }

    static let program = "stdio: { command: python3, arguments: [server.py] }"
    static let address = "http: { endpoint: 'https://books.contoso.com/mcp' }"

    /// A task `ask` that calls a server.
    static func task(
        _ method: String, _ parameters: String = "{}", _ transport: String = address, version: String? = nil,
        effect: String? = nil, more: String = ""
    ) -> String {
        let metadata = effect.map { "metadata: { effect: \($0) }, " } ?? ""
        let version = version.map { "protocolVersion: '\($0)', " } ?? ""
        return "- ask: { call: mcp, \(metadata)with: { \(version)method: \(method), parameters: \(parameters), \(more)"
            + "transport: { \(transport) } } }"
    }

    static func runner(
        _ transport: any HTTPTransport = ScriptedTransport(), clock: any PromiseClock = SkippingClock(),
        secrets: SecretStore? = nil, recorders: [Recorder] = []
    ) -> Runner {
        var runner = CallFixture(transport, clock: clock, recorders: recorders).runner
        runner.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
            "AZURE_CLIENT_SECRET": "hidden",
        ]
        if let secrets { runner.secrets = secrets }
        return runner
    }

    static func error(_ body: () async throws -> Value) async -> WorkflowError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? WorkflowError
        }
    }
}
