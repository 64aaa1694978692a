import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Every message that can have text from outside, with a secret across each place where the message is cut.
@Suite struct MessageSinkTests {
    /// The messages of calls and programs of a workflow.
    enum CallSink: String, CaseIterable {
        case detail, json, text, page, location, contentType, unreadable, stderr, lines, address, method, host

        /// The longest text before a cut.
        var limits: [Int] {
            switch self {
            case .detail, .json, .text: [500]
            case .page: [0, 500]
            case .location: [100, 200]
            case .contentType: [100]
            case .unreadable: [80]
            case .stderr: [1_000, 64_000]
            case .lines: [1_000]
            case .address: [100, 200, 300]
            case .method: [50]
            // A name is not longer.
            case .host: []
            }
        }

        func response(_ text: String) -> HTTPResponse {
            func answer(_ status: Int, _ type: String, _ body: String, _ more: [(String, String)] = []) -> HTTPResponse
            {
                var headers: HTTPHeaders = ["Content-Type": type]
                for (name, value) in more { headers[name] = value }
                return HTTPResponse(status: status, headers: headers, body: Data(body.utf8))
            }
            switch self {
            case .detail: return answer(400, "application/json", Value.object(["detail": .string(text)]).json())
            case .json: return answer(400, "application/json", Value.array([.string(text)]).json())
            case .text: return answer(500, "text/plain", text)
            case .page: return answer(400, "text/html", "<html><title>\(text)</title></html>")
            case .location: return answer(302, "text/plain", "", [("Location", "https://example.com/" + text)])
            case .contentType: return answer(200, "application/json; charset=\(text)", "{")
            case .unreadable: return answer(200, "application/json", text)
            case .stderr, .lines, .address, .method, .host: return answer(404, "text/plain", "")
            }
        }

        func task(_ address: String) -> String {
            switch self {
            case .stderr, .lines:
                """
                  - a:
                      run:
                        shell: { command: 'printf %s "$TEXT" >&2; exit 1', environment: { TEXT: '${ .text }' } }

                """
            case .address: "  - a: { call: http, with: { method: get, endpoint: '${ \"\(address)/\" + .text }' } }\n"
            case .method: "  - a: { call: http, with: { method: '${ .text }', endpoint: '\(address)/' } }\n"
            case .host:
                "  - a: { call: http, with: { method: get, endpoint: '${ \"http://\" + .text + \".example.com/\" }' } }\n"
            default: "  - a: { call: http, with: { method: get, endpoint: '\(address)/' } }\n"
            }
        }
    }

    /// The messages of Microsoft Graph.
    enum GraphSink: String, CaseIterable {
        case message, code, requestID, date, page, location, contentType, nextLink, address, text

        var limits: [Int] {
            switch self {
            case .message, .page: [500]
            case .text: [300, 2_000]
            default: [100]
            }
        }

        func response(_ text: String) -> HTTPResponse {
            func answer(_ status: Int, _ body: Value, _ more: [(String, String)] = []) -> HTTPResponse {
                var headers: HTTPHeaders = ["Content-Type": "application/json"]
                for (name, value) in more { headers[name] = value }
                return HTTPResponse(status: status, headers: headers, body: Data(body.json().utf8))
            }
            let ordinary: Value = ["error": ["code": "BadRequest", "message": "no"]]
            switch self {
            case .message: return answer(400, ["error": ["code": "BadRequest", "message": .string(text)]])
            case .code: return answer(400, ["error": ["code": .string(text), "message": "no"]])
            case .requestID: return answer(400, ordinary, [("request-id", text)])
            case .date:
                let inner: Value = ["date": .string(text), "request-id": .string(text)]
                return answer(400, ["error": ["code": "a", "innerError": inner]])
            case .page:
                return HTTPResponse(
                    status: 200, headers: ["Content-Type": "text/html"],
                    body: Data("<html><title>\(text)</title></html>".utf8))
            case .location: return answer(302, .null, [("Location", "https://example.com/" + text)])
            case .contentType:
                return HTTPResponse(
                    status: 200, headers: ["Content-Type": text], body: Data([0, 1, 2]))
            case .nextLink:
                return answer(200, ["value": [], "@odata.nextLink": .string("https://example.com/" + text)])
            case .address: return answer(404, ordinary)
            case .text:
                let user: Object = ["id": "1", "displayName": .string(text)]
                let all: Object = ["id": "1", "displayName": .string(text), "value": [.object(user)]]
                return answer(200, .object(all))
            }
        }
    }

    /// No four characters of it stand in base64 or in what a message says.
    static let secret = "k~9_x~Q2_v~B7_m~Z4_p~W8_h~J3_t~G6_d~L5_r"
    static let token = "y~" + (0..<60).map { "\(Character(UnicodeScalar(UInt8(65 + $0 % 26))))~\($0 % 10)_" }.joined()

    private func expectNothing(of secret: String, in told: String, _ name: String) {
        let left = SecretPieces(secret).found(in: told)
        #expect(left.isEmpty, "\(name): \(left.count) pieces of 4 characters: \(told.suffix(900))")
    }

    /// How much is before the secret, so that each cut is at several places in it.
    private static func starts(_ limits: [Int], _ length: Int) -> [Int] {
        let cuts = limits.flatMap { limit in
            Array(stride(from: limit - length - 30, through: limit + 1, by: limit > 2_000 ? 13 : Extent.of(3, or: 11)))
        }
        return [0] + cuts.filter { $0 > 0 }
    }

    @Test(.timeLimit(.minutes(60)), arguments: CallSink.allCases)
    func `a message of a call or program shows nothing of a secret across a cut`(sink: CallSink) async throws {
        let text = Locked("")
        let service = try LoopbackListener(port: 0, bodyLimit: { _ in 1 << 20 }) { _ in
            (sink.response(text.withLock { $0 }), .whole)
        }
        service.run()
        defer { service.stop() }
        let place = try WorkflowPlace(sink.task("http://127.0.0.1:\(service.port)"), head: "use: { secrets: [key] }")
        let events = place.folder.appendingPathComponent("events.jsonl").path
        for start in Self.starts(sink.limits, Self.secret.count) {
            var said = String(repeating: "x", count: start) + Self.secret + "zzz"
            // The beginning of what a program writes is dropped, in the secret.
            if start > 2_000 { said = Self.secret + String(repeating: "z", count: 64_000 - start % Self.secret.count) }
            if sink == .lines { said = (0..<8).map { "\($0)\n\(Self.secret)\n" }.joined() + said }
            text.withLock { $0 = said }
            let input = place.folder.appendingPathComponent("input.json")
            try Data(Value.object(["text": .string(said)]).json().utf8).write(to: input)
            let console = place.console(["GRAPHFLOW_SECRET_KEY": Self.secret])
            #expect(await console.run("run", place.file, "--events", events, "--input", "@" + input.path) != 0)
            let told =
                try console.standardOutput + console.standardError
                + String(contentsOfFile: events, encoding: .utf8)
            expectNothing(of: Self.secret, in: told, "\(sink) \(start)")
        }
        for run in try place.runs {
            let show = place.console()
            _ = await show.run("show", run)
            expectNothing(of: Self.secret, in: show.standardOutput + (try place.journal(run).joined()), "\(sink)")
        }
    }

    @Test(.timeLimit(.minutes(60)), arguments: GraphSink.allCases)
    func `no command shows anything of the token that a service returns`(sink: GraphSink) async throws {
        let text = Locked("")
        let service = try LoopbackListener(port: 0, bodyLimit: { _ in 1 << 20 }) { _ in
            (sink.response(text.withLock { $0 }), .whole)
        }
        service.run()
        defer { service.stop() }
        let place = try WorkflowPlace("  - a: { call: graph, with: { method: GET, path: /me } }\n")
        let environment = [
            "GRAPHFLOW_ACCESS_TOKEN": Self.token, "GRAPHFLOW_GRAPH_URL": "http://127.0.0.1:\(service.port)/v1.0",
        ]
        let commands = [
            ["get", "/me"], ["get", "/users", "--all"], ["post", "/me", "--body", "{}"],
            ["patch", "/me", "--body", "{}"], ["put", "/me", "--body", "{}"], ["delete", "/me"], ["users", "a"],
            ["users", "a", "--json"], ["whoami"],
            ["whoami", "--json"], ["run", place.file], ["run", place.file, "--dry-run=read"],
            ["run", place.file, "--dry-run=read", "--format", "json"],
        ]
        // The whole token is returned to every command, and one that is cut to each in turn.
        let starts = Self.starts(sink.limits, Self.token.count).enumerated().flatMap { index, start in
            start == 0 ? commands.map { (start, $0) } : [(start, commands[index % commands.count])]
        }
        for (start, command) in starts {
            let returned = String(repeating: "x", count: start) + Self.token + "zzz"
            text.withLock { $0 = returned }
            let isAsked = sink == .address && command[0] == "get"
            let console = place.console(environment)
            _ = await console.run(isAsked ? ["get", "/me/" + returned] : command)
            expectNothing(
                of: Self.token, in: console.standardOutput + console.standardError, "\(sink) \(start) \(command)")
        }
        for run in try place.runs { expectNothing(of: Self.token, in: try place.journal(run).joined(), "\(sink)") }
    }

    @Test func `a plan with the access token in it is not written`() async throws {
        let service = try LoopbackService { request in
            ["id": "1", "echo": .string(request.headers["Authorization"] ?? "")]
        }
        let place = try WorkflowPlace(
            """
              - a: { call: graph, with: { method: GET, path: /me } }
              - b: { call: graph, with: { method: POST, path: /me/notes, body: '${ { note: .echo } }' } }

            """)
        let console = place.console([
            "GRAPHFLOW_ACCESS_TOKEN": Self.token, "GRAPHFLOW_GRAPH_URL": service.address + "/v1.0",
        ])
        let path = place.folder.appendingPathComponent("plan.json").path
        #expect(await console.run("run", place.file, "--dry-run=read", "--plan-out", path) == 64)
        #expect(console.standardError.contains("a service returned the access token"))
        #expect(!FileManager.default.fileExists(atPath: path))
        expectNothing(of: Self.token, in: console.standardOutput + console.standardError, "plan")
    }
}
