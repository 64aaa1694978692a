import Foundation
import Testing
import Workflows

@testable import graphflow

/// `graphflow run` in the sandbox and as a dry run.
@Suite struct RunCommandTests {
    private let sample = Repository.path("workflows/share-profile-photo.yaml")

    @Test func `the sample completes in the sandbox and prints its output`() async throws {
        let console = TestConsole()
        #expect(await console.run("run", sample, "--sandbox") == 0)
        let output = try Value(json: console.standardOutput)
        #expect(output.object?.keys == ["recipient", "usedDefaultPhoto", "itemId", "webUrl"])
        #expect(output["recipient"] == "megan@contoso.com")
        #expect(output["usedDefaultPhoto"] == false)
        #expect(output["webUrl"]?.string?.hasPrefix("https://") == true)
        for task in ["findRecipient", "fetchPhoto", "upload", "createLink", "writeMail", "sendMail"] {
            #expect(console.standardError.contains("✓ \(task)"))
        }
    }

    @Test func `without a photo the default picture is used`() async throws {
        let console = TestConsole()
        #expect(await console.run("run", sample, "--sandbox=no-photo", "-p", "to=adelev@contoso.com") == 0)
        let output = try Value(json: console.standardOutput)
        #expect(output["usedDefaultPhoto"] == true)
        #expect(output["recipient"] == "adelev@contoso.com")
        #expect(console.standardOutput.contains("\"usedDefaultPhoto\":true"))
    }

    @Test func `a dry run shows the five requests in order, without the token`() async throws {
        let console = TestConsole(environment: ["GRAPHFLOW_ACCESS_TOKEN": "very-secret"])
        #expect(await console.run("run", sample, "--dry-run", "--requests", "-p", "to=adelev@contoso.com") == 0)
        let text = console.standardOutput
        let places = [
            "GET https://graph.microsoft.com/v1.0/me/photo/$value",
            "PUT https://graph.microsoft.com/v1.0/me/drive/root:/‹getPhoto.fileName›:/content",
            "POST https://graph.microsoft.com/v1.0/me/drive/items/‹upload.id›/createLink",
            "POST https://graph.microsoft.com/v1.0/me/messages",
            "POST https://graph.microsoft.com/v1.0/me/messages/‹sendMail.messageId›/send",
        ].map { text.range(of: $0)?.lowerBound }
        #expect(places.allSatisfy { $0 != nil })
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(
            text.components(separatedBy: "Authorization: Bearer ‹token›").count
                == text.components(separatedBy: "client-request-id: ").count)
        #expect(text.contains("See the photo you just uploaded!"))
        #expect(text.contains("‹getPhoto.blob›, image, size not known"))
        #expect(!(text + console.standardError).contains("very-secret"))
    }

    @Test func `a dry run that reads says what is there, and sends no write`() async {
        let console = TestConsole()
        #expect(
            await console.run("run", sample, "--sandbox", "--dry-run=read", "--requests", "-p", "to=adelev@contoso.com")
                == 0)
        let text = console.standardOutput
        #expect(text.contains("root:/me.jpg:/content"))
        #expect(text.contains("was sent: the response had status 200"))
        #expect(text.contains("creates the file me.jpg"))
        #expect(text.contains("\"contentBytes\": \"base64 of image/jpeg, "))
    }

    @Test func `a dry run that reads ends with 3 where the token lacks a permission`() async throws {
        let server = SandboxServer(Sandbox())
        let port = try server.start()
        defer { server.stop() }
        let claims = Data(#"{"scp":"User.Read Files.ReadWrite"}"#.utf8).base64EncodedString().replacing("=", with: "")
        let console = TestConsole(environment: [
            "GRAPHFLOW_ACCESS_TOKEN": "e30.\(claims).c2ln", "GRAPHFLOW_GRAPH_URL": "http://127.0.0.1:\(port)/v1.0",
        ])
        #expect(await console.run("run", sample, "--dry-run=read", "-p", "to=adelev@contoso.com") == 3)
        #expect(
            console.standardOutput.contains("missing from the token: Mail.ReadWrite, Mail.Send"))
        #expect(console.standardError.contains("lacks Mail.ReadWrite, Mail.Send"))
    }

    @Test func `a dry run needs no token`() async {
        #expect(await TestConsole().run("run", sample, "--dry-run") == 0)
    }

    @Test func `a dry run that faults says where`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = """
            document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
            do:
              - fail: { raise: { error: { type: 'https://contoso.com/errors/test', status: 418, title: No coffee } } }
            """
        try Data(text.utf8).write(to: file)
        let console = TestConsole()
        #expect(await console.run("run", file.path, "--dry-run") == 1)
        #expect(console.standardError.contains("\(file.path):3:5: error: No coffee"), "\(console.standardError)")
        #expect(console.standardOutput.isEmpty)
    }

    @Test(arguments: [
        // Of several expressions in a text, that which failed; and not another one of which it is a part.
        (#"- a: { set: { b: "${ 1 | . }${ 1 | .a }" } }"#, "3:34: error: Cannot index number"),
        (#"- a: { if: "${ 2 - 1 == 1 }", set: { b: "${ 1 | .[0] }", c: "${ 1 }" } }"#, "3:47: error: Cannot index"),
        ("- a: { for: { in: '${ 3 }' }, do: [ b: { set: { c: 1 } } ] }", "3:25: error: 'for.in' must be an array"),
        (#"- a: { wait: '${ "soon" }' }"#, "3:20: error: a duration was expected"),
        ("- a: { set: { b: 1 } }\noutput: { as: '${ 1 | .a }' }", "4:19: error: Cannot index number"),
    ])
    func `an error of an expression points at it`(_ tasks: String, _ place: String) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = "document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }\ndo:\n  \(tasks)\n"
        try Data(text.utf8).write(to: file)
        for option in ["--sandbox", "--dry-run"] {
            let console = TestConsole()
            #expect(await console.run("run", file.path, option) == 1)
            #expect(console.standardError.contains("\(file.path):\(place)"), "\(console.standardError)")
        }
    }

    @Test func `writes events and plans into a pipe, which remains one`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("pipe-\(UUID().uuidString)").path
        #expect(unsafe mkfifo(path, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: path) }
        // Opened before, so that the command's opening does not wait for a reader.
        let reader = unsafe open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        for options in [["--events", path], ["--dry-run", "--plan-out", path]] {
            #expect(await TestConsole().run(["run", sample, "--sandbox"] + options) == 0)
            var bytes = [UInt8](repeating: 0, count: 1 << 17)
            #expect(unsafe read(reader, &bytes, bytes.count) > 100)
        }
        var status = stat()
        #expect(unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func `events are written as CloudEvents, one a line`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("events-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(await TestConsole().run("run", sample, "--sandbox", "--events", file.path) == 0)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try Value(json: String($0))
        }
        #expect(lines.first?["type"] == "io.serverlessworkflow.workflow.started.v1")
        #expect(lines.last?["type"] == "io.serverlessworkflow.workflow.completed.v1")
        #expect(lines.allSatisfy { $0["specversion"] == "1.0" })
        #expect(Set(lines.compactMap { $0["id"]?.string }).count == lines.count)
    }

    @Test func `events are written into a pipe that is there, which stays a pipe`() async throws {
        let pipe = FileManager.default.temporaryDirectory.appendingPathComponent("events-\(UUID().uuidString)").path
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: pipe) }
        let reader = FileHandle(fileDescriptor: unsafe open(pipe, O_RDONLY | O_NONBLOCK), closeOnDealloc: true)
        #expect(await TestConsole().run("run", sample, "--sandbox", "--events", pipe) == 0)
        let lines = String(decoding: reader.availableData, as: UTF8.self).split(separator: "\n")
        #expect(try lines.first.map { try Value(json: String($0)) }?["specversion"] == "1.0")
        #expect(
            try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType != .typeRegular)
    }

    @Test func `without a token nothing runs, and what to do is said`() async {
        let console = TestConsole()
        #expect(await console.run("run", sample) == 3)
        #expect(console.standardOutput.isEmpty)
        #expect(console.standardError.contains("GRAPHFLOW_ACCESS_TOKEN"))
    }

    @Test(arguments: ["http://example.com/v1.0", "nonsense"])
    func `an address that no token may go to is refused before anything runs`(address: String) async {
        let console = TestConsole(environment: ["GRAPHFLOW_ACCESS_TOKEN": "x", "GRAPHFLOW_GRAPH_URL": address])
        for options in [[], ["--dry-run"]] {
            #expect(await console.run(["run", sample] + options) == 2)
        }
        #expect(console.standardOutput.isEmpty)
        #expect(console.standardError.contains("GRAPHFLOW_GRAPH_URL"))
    }

    @Test(arguments: [
        ["run"], ["run", "a.yaml", "b.yaml"], ["run", "a.yaml", "--no-such"], ["run", "a.yaml", "-p"],
        ["run", "a.yaml", "-p", "nothing"], ["run", "a.yaml", "--sandbox=odd"],
        ["run", "a.yaml", "--dry-run", "--dry-run"],
        ["run", "a.yaml", "--dry-run=odd"], ["run", "a.yaml", "--format", "json"],
        ["run", "a.yaml", "--dry-run", "--format", "odd"], ["rum"], ["--versoin"], ["functions", "foto"],
        ["validate"],
        ["sandbox", "--port", "70000"], ["sandbox", "--fault", "GET"], ["sandbox", "extra"],
    ])
    func `a command line that is wrong ends with 64 and says why`(arguments: [String]) async {
        let console = TestConsole()
        #expect(await console.run(arguments) == 64)
        #expect(console.standardOutput.isEmpty)
        #expect(console.standardError.hasPrefix("error: "))
    }
}
