import Essentials
import Foundation
import Promises
import Testing
import Workflows

@testable import graphflow

/// Where results, events and plans are written, and what happens if they cannot be.
@Suite struct OutputTests {
    private static let setting = "  - a: { set: { x: 1 } }\n"

    @Test(arguments: [
        ["--version"], ["--help"], ["functions"], ["validate", "FILE"], ["run", "FILE"], ["graph", "FILE"],
    ])
    func `a standard output that cannot be written is an error that is said once`(command: [String]) async throws {
        let place = try WorkflowPlace(Self.setting)
        let said = Locked("")
        let console = Console(
            environment: ["GRAPHFLOW_HOME": place.home], outputIsTerminal: false, errorIsTerminal: false,
            ownsProcess: false, output: { _ in throw SystemError(code: ENOSPC) },
            error: { data in said.withLock { $0 += String(decoding: data, as: UTF8.self) } })
        let arguments = command.map { $0 == "FILE" ? place.file : $0 }
        #expect(await CommandLineTool.run(arguments, on: console) == .faulted)
        let lines = said.withLock { $0 }.split(separator: "\n").filter { $0.contains("standard output") }
        #expect(lines == ["error: standard output cannot be written: No space left on device"])
    }

    @Test func `events and plans are written into a pipe, and through a link`() async throws {
        let place = try WorkflowPlace(Self.setting)
        func path(_ name: String) -> String { place.folder.appendingPathComponent(name).path }
        let pipe = path("pipe")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK)
        defer { _ = Foundation.close(reader) }
        #expect(await place.console().run("run", place.file, "--events", pipe) == 0)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe read(reader, &bytes, bytes.count)
        #expect(String(decoding: bytes[..<max(0, count)], as: UTF8.self).contains("workflow.completed"))
        for (name, options) in [("events", ["--events"]), ("plan", ["--dry-run", "--plan-out"])] {
            try Data("before".utf8).write(to: URL(fileURLWithPath: path(name)))
            try FileManager.default.createSymbolicLink(atPath: path("link-\(name)"), withDestinationPath: path(name))
            #expect(await place.console().run(["run", place.file] + options + [path("link-\(name)")]) == 0)
            #expect(try !String(contentsOfFile: path(name), encoding: .utf8).contains("before"))
            #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: path("link-\(name)"))) != nil)
        }
    }

    @Test(arguments: ["--events", "--results", "--plan-out"], [false, true])
    func `only its owner can read a file of events, results or a plan`(option: String, isThere: Bool) async throws {
        let place = try WorkflowPlace(Self.setting)
        func path(_ name: String) -> String { place.folder.appendingPathComponent(name).path }
        try Data("n\n1\n".utf8).write(to: URL(fileURLWithPath: path("items.csv")))
        let file = path("written ü.json")
        if isThere {
            try Data("before".utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        }
        let command =
            switch option {
            case "--results": ["batch", place.file, "--each", path("items.csv")]
            case "--plan-out": ["run", place.file, "--dry-run"]
            default: ["run", place.file]
            }
        let console = place.console()
        #expect(await console.run(command + [option, file]) == 0, "\(console.standardError)")
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: 0..<3)
    func `the token of Graph is concealed where the service returns it, and kept nowhere`(shift: Int) async throws {
        let token = "eyJ0eXAiOiJKV1QifQ.eyJzY3AiOiJVc2VyLlJlYWQifQ.c2lnbmF0dXJl"
        let service = try LoopbackService { request in
            let field = request.headers["Authorization"] ?? ""
            let shifted = Data(repeating: 0x78, count: shift) + Data(field.utf8)
            return ["id": "1", "echo": .string(field), "encoded": .string(shifted.base64EncodedString())]
        }
        let place = try WorkflowPlace("  - a: { call: me }\n")
        let console = place.console(["GRAPHFLOW_ACCESS_TOKEN": token, "GRAPHFLOW_GRAPH_URL": service.address + "/v1.0"])
        let events = place.folder.appendingPathComponent("events.jsonl").path
        #expect(await console.run("run", place.file, "--events", events) == 0, "\(console.standardError)")
        #expect(service.asked.first?.headers["Authorization"] == "Bearer \(token)")
        #expect(console.standardOutput.contains("Bearer ‹secrets.access token›"))
        let told = try console.standardOutput + console.standardError + String(contentsOfFile: events, encoding: .utf8)
        let inside = Data(token.utf8.dropFirst(3 - shift)).base64EncodedString().dropLast(4)
        #expect(!told.contains(token) && !told.contains(inside))
        try place.expectNothing(of: [token, String(inside)])
    }

    @Test(arguments: 0..<3)
    func `base64 that the program makes of an escaped secret is searched at every alignment`(
        shift: Int
    ) async throws {
        let secret = "pass \"word\" with \\ in it"
        let service = try LoopbackService { _ in .string(String(repeating: "x", count: shift) + secret) }
        let place = try WorkflowPlace(
            "  - a: { call: http, with: { method: get, endpoint: '\(service.address)/', output: raw } }\n",
            head: "use: { secrets: [key] }")
        let console = place.console(["GRAPHFLOW_SECRET_KEY": secret])
        #expect(await console.run("run", place.file) == 0, "\(console.standardError)")
        #expect(console.standardOutput.contains("‹secrets.key›"), "\(console.standardOutput)")
    }
}
