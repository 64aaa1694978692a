import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// The program against `graphflow sandbox` in a separate process, like any other server of Graph.
@Suite struct ServedSandboxTests {
    private func withSandbox(_ options: [String] = [], _ body: (_ address: String) async throws -> Void) async throws {
        let sandbox = try GraphflowProcess(["sandbox"] + options)
        let address = try await sandbox.firstLine()
        do {
            try await body(address)
        } catch {
            sandbox.send(SIGTERM)
            throw error
        }
        sandbox.send(SIGTERM)
        #expect(try await sandbox.result().status == 0)
    }

    private func run(at address: String, _ options: [String] = []) async throws -> GraphflowProcess.Result {
        try await GraphflowProcess(
            ["run", Repository.path("workflows/share-profile-photo.yaml")] + options,
            environment: ["GRAPHFLOW_GRAPH_URL": address, "GRAPHFLOW_ACCESS_TOKEN": "x"]
        ).result()
    }

    private func read(_ path: String, at address: String) async throws -> Value {
        try await open(address.replacing("/v1.0", with: path)).json
    }

    private func open(_ address: String) async throws -> HTTPResponse {
        let base = try #require(URL(string: address))
        return try await SandboxClient(transport: NetworkTransport(clock: .patient), base: base, token: nil)
            .send("GET", "")
    }

    @Test func `the chain works over a socket, and the link opens the picture`() async throws {
        try await withSandbox { address in
            let result = try await run(at: address)
            #expect(result.status == 0, "\(result.error)")
            let output = try Value(json: result.output)
            #expect(output["usedDefaultPhoto"] == false)
            let page = try await open(try #require(output["webUrl"]?.string))
            #expect(page.status == 200)
            #expect(!page.body.isEmpty)
            let outbox = try await read("/sandbox/outbox", at: address)
            #expect(outbox.array?.count == 1)
        }
    }

    @Test(arguments: ["throttled", "flaky"])
    func `an unkind service is survived with exactly one mail, and retries are seen`(profile: String) async throws {
        try await withSandbox(["--profile", profile]) { address in
            let result = try await run(at: address)
            #expect(result.status == 0, "\(result.error)")
            #expect(result.error.contains("↻"))
            let outbox = try #require(try await read("/sandbox/outbox", at: address).array)
            #expect(outbox.count == 1)
            #expect(outbox.first?["deliveries"] == 1)
        }
    }

    @Test func `the default picture is uploaded and attached byte for byte`() async throws {
        try await withSandbox(["--profile", "no-photo"]) { address in
            let result = try await run(at: address)
            #expect(result.output.contains("\"usedDefaultPhoto\":true"), "\(result.error)")
            let drive = try await read("/sandbox/drive", at: address)
            let outbox = try await read("/sandbox/outbox", at: address)
            let expected = Value.string(SHA256.hex(of: try Blob.defaultPhoto.bytes))
            #expect(drive[0]?["sha256"] == expected)
            #expect(outbox[0]?["attachments"]?[0]?["sha256"] == expected)
        }
    }

    @Test(arguments: ["403", "500"])
    func `a photo request that fails otherwise does not fall back`(status: String) async throws {
        try await withSandbox(["--fault", "GET /me/photo/$value \(status) x9"]) { address in
            let result = try await run(at: address)
            #expect(result.status == (status == "403" ? 3 : 1))
            #expect(result.output.isEmpty)
            #expect(result.error.contains("share-profile-photo.yaml:"))
            #expect(try await read("/sandbox/drive", at: address) == [])
            #expect(try await read("/sandbox/outbox", at: address) == [])
        }
    }

    @Test func `a mail whose answer is lost was sent, as its id tells`() async throws {
        try await withSandbox(["--fault", "POST /me/messages/*/send drop processed"]) { address in
            let result = try await run(at: address)
            #expect(result.status == 0, "\(result.error)")
            #expect(try await read("/sandbox/outbox", at: address).array?.count == 1)
        }
    }

    @Test func `a mail in one request whose answer is lost is not sent again, and exit 4 says so`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "direct-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = """
            document: { dsl: 1.0.3, namespace: tests, name: direct, version: 1.0.0 }
            do:
              - tell: { call: sendMail, with: { to: megan@contoso.com, subject: s, body: b, delivery: direct } }
            """
        try Data(text.utf8).write(to: file)
        try await withSandbox(["--fault", "POST /me/sendMail drop processed"]) { address in
            let result = try await GraphflowProcess(
                ["run", file.path(percentEncoded: false)],
                environment: ["GRAPHFLOW_GRAPH_URL": address, "GRAPHFLOW_ACCESS_TOKEN": "x"]
            ).result()
            #expect(result.status == 4, "\(result.error)")
            #expect(result.error.contains("urn:graphflow:error:unknown-outcome"))
            #expect(try await read("/sandbox/outbox", at: address).array?.count == 1)
        }
    }

    @Test func `an interrupt ends the run with 130, and a request to terminate with 143`() async throws {
        for (signal, status) in [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)] {
            try await withSandbox(["--fault", "GET /me 503 x9 retry-after=3600"]) { address in
                let process = try GraphflowProcess(
                    ["run", Repository.path("workflows/share-profile-photo.yaml"), "--no-journal"],
                    environment: ["GRAPHFLOW_GRAPH_URL": address, "GRAPHFLOW_ACCESS_TOKEN": "x"])
                while try await read("/sandbox/requests", at: address).array?.isEmpty != false { await pause() }
                process.send(signal)
                let result = try await process.result()
                #expect(result.status == status)
                #expect(result.error.hasSuffix("cancelled\ninterrupted; nothing more was started\n"), "\(result.error)")
            }
        }
    }

    @Test func `a run that is interrupted goes on with the command that it prints, and sends one mail`() async throws {
        for (signal, status) in [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)] {
            try await withSandbox(["--fault", "POST /me/messages 503 x1 retry-after=3600"]) { address in
                let environment = ["GRAPHFLOW_GRAPH_URL": address, "GRAPHFLOW_ACCESS_TOKEN": "x"]
                let process = try GraphflowProcess(
                    ["run", Repository.path("workflows/share-profile-photo.yaml")], environment: environment)
                while try await read("/sandbox/requests", at: address).array?.count ?? 0 < 5 { await pause() }
                process.send(signal)
                let result = try await process.result()
                #expect(result.status == status, "\(result.error)")
                let words = result.error.split(whereSeparator: \.isWhitespace)
                #expect(words.suffix(6).dropLast() == ["interrupted;", "resume", "with:", "graphflow", "resume"])
                let run = String(words.last ?? "")
                let resumed = try await GraphflowProcess(["resume", run], environment: environment).result()
                #expect(resumed.status == 0, "\(resumed.error)")
                #expect(try Value(json: resumed.output)["recipient"] == "megan@contoso.com")
                #expect(try await read("/sandbox/outbox", at: address).array?.count == 1)
                let uploads = try await read("/sandbox/requests", at: address).array?.filter {
                    $0["method"] == "PUT"
                }
                #expect(uploads?.count == 1)
                let again = try await GraphflowProcess(["resume", run], environment: environment).result()
                #expect(again.status == 0)
                #expect(again.output == resumed.output)
            }
        }
    }

    @Test func `an interrupt while a mail is at work says that somebody has to look`() async throws {
        try await withSandbox(["--fault", "POST /me/messages/*/send 503 x9 retry-after=3600"]) { address in
            let process = try GraphflowProcess(
                ["run", Repository.path("workflows/share-profile-photo.yaml"), "--no-journal"],
                environment: ["GRAPHFLOW_GRAPH_URL": address, "GRAPHFLOW_ACCESS_TOKEN": "x"])
            while try await read("/sandbox/requests", at: address).array?.count ?? 0 < 6 { await pause() }
            process.send(SIGINT)
            let result = try await process.result()
            #expect(result.status == 130)
            #expect(result.error.contains("interrupted during 'sendMail'"), "\(result.error)")
        }
    }
}
