import Foundation
import Promises
import TestSupport
import Testing
import WorkflowHTTP
import Workflows

@testable import graphflow

/// What `graphflow board` serves, without a browser.
@Suite struct BoardTests {
    private let runs = TemporaryRuns()

    /// Serves a board over the runs, and sends requests to it.
    private struct Client {
        let board: Board
        let address: String
        let token: String

        init(_ runs: TemporaryRuns, program: String = "/bin/false", workflows: [String] = []) throws {
            let environment = ["GRAPHFLOW_HOME": runs.home.path]
            board = Board(
                KeptRuns.standard(environment: environment), starting: WorkflowOperands(operands: workflows),
                with: OwnProgram(environment: environment, path: program))
            let parts = try board.start(port: 0).components(separatedBy: "/#token=")
            (address, token) = (parts[0], parts[1])
        }

        func send(_ method: String, _ path: String, token: String? = nil, json: Value? = nil) async throws
            -> HTTPResponse
        {
            var headers: HTTPHeaders = [:]
            if let token { headers["Authorization"] = "Bearer \(token)" }
            let request = HTTPRequest(
                method, try #require(URL(string: address + path)), headers: headers, body: json.map { $0.jsonData() })
            let operation = HTTPOperation(name: "test", effect: .read, example: HTTPResponse(status: 200))
            return try await NetworkTransport(clock: .patient).send(request, for: operation).value
        }

        func get(_ path: String) async throws -> Value {
            try Value(json: try await send("GET", path, token: token).body)
        }

        func detail(_ response: HTTPResponse) throws -> String {
            try Value(json: response.body)["detail"]?.string ?? ""
        }
    }

    private static let started = Event.Kind.workflowStarted(input: [:], context: [:])

    @Test func `without the token there is only the page, which has no data`() async throws {
        try runs.record([Self.started, .workflowCompleted(output: ["b": 1])], as: "A")
        let client = try Client(runs)
        for (method, path) in [
            ("GET", "/api/runs"), ("GET", "/api/runs/A"), ("GET", "/api/runs/stream"), ("GET", "/api/runs/A/drawing"),
            ("POST", "/api/runs/A/resume"), ("POST", "/api/runs/A/cancel"), ("DELETE", "/api/runs/A"),
        ] {
            for token in [nil, "", String(client.token.dropLast()), client.token + "0"] {
                #expect(try await client.send(method, path, token: token).status == 401)
            }
        }
        let page = try await client.send("GET", "/")
        #expect(page.status == 200)
        #expect(page.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'; script-src 'sha256-") == true)
        #expect(!String(decoding: page.body, as: UTF8.self).contains(client.token))
        #expect(client.token.count == 64)
    }

    @Test func `runs are listed by state and by text, the newest first`() async throws {
        try runs.record([Self.started, .workflowCompleted(output: ["b": 1])], as: "A")
        try runs.record([Self.started, .workflowFaulted(WorkflowError(.timeout, detail: "late"))], as: "B")
        let client = try Client(runs)
        func names(_ query: String) async throws -> [String?] {
            try await client.get("/api/runs" + query)["runs"]?.array?.map { $0["run"]?.string } ?? []
        }
        #expect(try await names("") == ["B", "A"])
        #expect(try await names("?state=faulted") == ["B"])
        #expect(try await names("?search=TIMEOUT") == ["B"])
        #expect(try await names("?search=nothing") == [])
        #expect(try await names("?limit=1") == ["B"])
        // Real time: it is older than an hour, and gets no younger.
        try runs.record([Self.started], as: "C", startedAt: Date() - 7_200)
        #expect(try await names("").contains("C"))
        #expect(try await !names("?seconds=3600").contains("C"))
        #expect(try await client.get("/api/runs?limit=1")["hasMore"] == true)
        #expect(try await client.get("/api/runs/B")["state"] == "faulted")
    }

    @Test(arguments: ["/api/runs/C", "/api/runs/..%2FA", "/api/runs/.removed-A", "/api", "/api/other"])
    func `what is not there is 404`(path: String) async throws {
        try runs.record([Self.started], as: "A")
        let client = try Client(runs)
        #expect(try await client.send("GET", path, token: client.token).status == 404)
    }

    @Test func `an interrupted run that is cancelled has ended, and cannot be cancelled again`() async throws {
        try runs.record([Self.started], as: "A")
        let client = try Client(runs)
        #expect(try await client.send("POST", "/api/runs/A/cancel", token: client.token).status == 204)
        #expect(try runs.folder.summary(of: "A").state == .cancelled)
        let again = try await client.send("POST", "/api/runs/A/cancel", token: client.token)
        #expect(again.status == 409)
        #expect(try client.detail(again) == "the run A has ended")
    }

    @Test func `a run in another program is left to it`() async throws {
        try runs.record([Self.started], as: "A")
        let (journal, _) = try Journal.open("A", in: runs.folder)
        let client = try Client(runs)
        let answer = try await client.send("POST", "/api/runs/A/cancel", token: client.token)
        #expect(answer.status == 409)
        #expect(try client.detail(answer).hasPrefix("the process \(getpid()) performs the run A"))
        #expect(try await client.send("DELETE", "/api/runs/A", token: client.token).status == 409)
        withExtendedLifetime(journal) {}
        #expect(try runs.folder.summary(of: "A").state == .running)
    }

    @Test func `what resuming refuses is said`() async throws {
        try runs.record([Self.started], as: "A")
        try runs.record([Self.started, .workflowCompleted(output: ["b": 1])], as: "B")
        let client = try Client(runs)
        let completed = try await client.send("POST", "/api/runs/B/resume", token: client.token)
        #expect(completed.status == 409)
        #expect(try client.detail(completed).contains("it is completed"))
        let refused = try await client.send("POST", "/api/runs/A/resume", token: client.token)
        #expect(refused.status == 409)
        #expect(try client.detail(refused) == "it ended with status 1")
    }

    @Test func `a batch and its items are served as runs are, and the batch is only interrupted`() async throws {
        let batches = TemporaryBatches()
        try batches.record(
            "news", name: "news", total: 100,
            (1...60).map { TemporaryBatches.Item(number: $0, state: $0 > 2 ? .faulted : .completed) })
        let client = try Client(batches.runs)
        let list = try await client.get("/api/runs?search=new")
        #expect(list["runs"]?.array?.map { $0["kind"] } == ["batch"])
        #expect(list["runs"]?[0]?["counts"]?["pending"] == 40)
        let batch = try await client.get("/api/runs/news")
        #expect(batch["errors"]?[0]?["count"] == 58)
        #expect(batch["errors"]?[0]?["examples"]?.array?.count == 50)
        let items = try await client.get("/api/runs/news/items?state=faulted&limit=3")
        #expect(items["count"] == 58)
        #expect(items["items"]?.array?.count == 3)
        let none = try await client.get("/api/runs/news/items?search=nowhere")
        #expect(none["count"] == 0)
        let item = try await client.send("GET", "/api/runs/news.\(TemporaryBatches.name(1))", token: client.token)
        #expect(try client.detail(item).contains("no task of this item has begun"))
        #expect(try await client.send("POST", "/api/runs/news/cancel", token: client.token).status == 204)
        #expect(try batches.folder.journalSize(of: "news") < 1_000)
        #expect(try await client.send("DELETE", "/api/runs/news", token: client.token).status == 204)
        #expect(try batches.folder.names.isEmpty)
    }

    @Test func `workflows are listed with what is wrong with them, and only those are started`() async throws {
        let folder = runs.home.appending(path: "workflows")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func write(_ name: String, _ text: String) throws -> String {
            let file = folder.appending(path: name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            return file.path
        }
        let greet = try write(
            "grüße 1.yaml",
            """
            document: { dsl: 1.0.3, namespace: tests, name: greet, title: "Grüße & <b>", version: 1.0.0 }
            input: { schema: { document: { type: object, required: [ who ], properties: { who: { type: string } } } } }
            do: [ { greet: { set: { text: "${ .who }" } } } ]
            """)
        _ = try write("other.yaml", "a: 1")
        _ = try write("greet.test.yaml", "cases: []")
        let broken = try write("broken.yaml", "document: [")
        let client = try Client(runs, workflows: [folder.path, broken])
        let listed = try await client.get("/api/workflows")
        #expect(listed.array?.map { $0["file"] } == [.string(greet), .string(broken)])
        #expect(listed[0]?["title"] == "Grüße & <b>")
        #expect(listed[1]?["problem"]?.string?.isEmpty == false)
        func form(_ file: String) async throws -> HTTPResponse {
            var components = URLComponents()
            components.queryItems = [URLQueryItem(name: "file", value: file)]
            return try await client.send(
                "GET", "/api/workflows/form?\(components.percentEncodedQuery ?? "")", token: client.token)
        }
        let answer = try Value(json: try await form(greet).body)
        #expect(answer["schema"]?["required"] == ["who"])
        #expect(try await form(broken).status == 409)
        #expect(try await form("/etc/passwd").status == 404)
        let refused = try await client.send(
            "POST", "/api/plans", token: client.token, json: ["file": "/etc/passwd", "input": [:]])
        #expect(refused.status == 404)
        #expect(try await client.send("POST", "/api/plans/1/run", token: client.token).status == 409)
        #expect(try await client.send("POST", "/api/plans/1/run").status == 401)
    }

    @Test func `a run is removed`() async throws {
        try runs.record([Self.started, .workflowCompleted(output: ["b": 1])], as: "A")
        let client = try Client(runs)
        #expect(try await client.send("DELETE", "/api/runs/A", token: client.token).status == 204)
        #expect(try runs.folder.names == [])
    }
}

/// The list of what services serve.
@Suite struct ServedSchedulesTests {
    @Test func `a service is listed while it is at work, and what a killed one left is removed`() throws {
        let runs = TemporaryRuns()
        let schedules = ServedSchedules(environment: ["GRAPHFLOW_HOME": runs.home.path])
        let now = Date(timeIntervalSince1970: 100)
        #expect(schedules.all(at: now) == [])
        let berlin = try SystemTimeZone(identifier: "Europe/Berlin")
        let entry = try schedules.add(
            [
                ("often", "often.yaml", .every(.seconds(60)), .utc),
                ("nightly", "nightly.yaml", .cron(try CronExpression("0 2 * * *")), berlin),
                ("again", "again.yaml", .after(.seconds(5)), .utc),
            ], at: Date(timeIntervalSince1970: 0))
        let listed = try #require(schedules.all(at: now).first)
        #expect(listed["process"] == .integer(Int(getpid())))
        #expect(listed["schedules"]?.array?.map { $0["workflow"] } == ["often", "nightly", "again"])
        let next = (listed["schedules"]?.array ?? []).map { ($0["next"]?.array ?? []).compactMap(\.string) }
        #expect(next[0] == ["1970-01-01T00:02:00.000Z", "1970-01-01T00:03:00.000Z", "1970-01-01T00:04:00.000Z"])
        #expect(next[1].first == "1970-01-01T01:00:00.000Z")
        #expect(next[2] == [])
        let left = runs.home.appending(path: "services/1-1.json")
        try Data("{}".utf8).write(to: left)
        #expect(schedules.all(at: now).count == 1)
        #expect(!FileManager.default.fileExists(atPath: left.path))
        entry.end()
        #expect(schedules.all(at: now) == [])
    }
}
