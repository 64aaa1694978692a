import Foundation
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// Files and inputs that cannot be run: each gets a diagnostic with its place and exit status 2, and nothing runs.
@Suite final class BadInputTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("bad-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ text: String, as name: String = "workflow.yaml") throws -> String {
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    private static let head = "document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }\n"

    @Test(arguments: [
        ("a: [1, 2\n", "1:"), ("just a text\n", "1:1: error: a workflow must be an object"),
        ("\(head)do:\n  - a: { call: foto }\n", "3:16: error: there is no function 'foto'"),
        ("\(head)do:\n  - a: { cal: photo }\n", "3:10: error: this is not a task that the standard defines"),
        ("\(head)do:\n  - a: { call: photo, with: { sise: 48 } }\n", "3:31: error: "),
        ("\(head)do:\n  - a: { call: upload, with: { path: a.txt } }\n", "error: "),
        ("\(head)do:\n  - a: { set: { b: '${ .c + }' } }\n", "3:"),
        ("\(head)do:\n  - a: { set: { b: '${ $contxt }' } }\n", "3:24: error: there is no variable '$contxt'"),
        (
            "\(head)do:\n  - a:\n      try: []\n      catch: { retry: { limit: { duration: '${ $nope }' } } }\n",
            "5:48: error: there is no variable '$nope'"
        ),
        (
            "\(head)do:\n  - a:\n      try: []\n      catch: { retry: { jitter: { from: '${ $no }', to: PT1S } } }\n",
            "5:45: error: there is no variable '$no'"
        ),
        ("\(head)do:\n  - a: { fork: {} }\n", "3:16: error: 'fork' needs the property 'branches'"),
        ("\(head)do:\n  - a: { call: grpc, with: {} }\n", "3:16: error: calls of 'grpc' are part of the standard"),
        ("\(head)do:\n  - a: { call: http, with: { method: get } }\n", "3:28: error: "),
        ("\(head)do:\n  - a: { call: 'log:1.0.0@other' }\n", "3:16: error: 'use.catalogs' defines no 'other'"),
        ("\(head)do:\n  - a: { set: { b: 1 }, then: c }\n", "3:31: error: there is no task 'c'"),
        ("\(head)do:\n  - a: { set: { b: 1 } }\n  - a: { set: { b: 1 } }\n", "4:5: error: another task"),
        ("\(head)do:\n  - a: { call: render, with: { template: no.html } }\n", "3:42: error: "),
        ("\(head)do:\n  - a: { call: render, with: { template: ../secret.html } }\n", "3:42: error: "),
        ("\(head)do:\n  - a: { wait: soon }\n", "3:16: error: this is not a duration"),
        ("\(head)do:\n  - a: { try: [], catch: { retry: often } }\n", "3:35: error: 'use.retries' defines no 'often'"),
        ("\(head)use: { retries: [] }\ndo: []\n", "2:17: error: 'use.retries' must be an object, but this is an array"),
        ("do: []\n", "1:1: error: a workflow needs the property 'document'"),
    ])
    func `a file that cannot be run is refused at its line and column`(text: String, expected: String) async throws {
        let path = try write(text)
        for command in [["run", path, "--sandbox"], ["validate", path]] {
            let console = TestConsole()
            #expect(await console.run(command) == 2)
            #expect(console.standardOutput.isEmpty)
            #expect(console.standardError.contains("\(path):"))
            #expect(console.standardError.contains(expected), "\(console.standardError)")
            #expect(!console.standardError.contains("✓"))
        }
    }

    @Test func `a file that is not there is refused`() async {
        let console = TestConsole()
        #expect(await console.run("run", folder.appendingPathComponent("none.yaml").path, "--sandbox") == 2)
        #expect(console.standardError.contains("none.yaml:1:1: error: "))
    }

    @Test(arguments: [
        (["--input", "{\"n\": \"one\"}"], "3:"), (["--input", "{\"m\": 1}"], "3:"), (["-p", "n=one"], "3:"),
        (["--input", "[1"], "1:"), (["--input", "@none.json"], "none.json:1:1: error: "),
        (["--input", "{\"m\": 1}"], "error: the input: the property 'm' is not known"),
        (["--input", "@/dev/zero"], "/dev/zero:1:1: error: the file is a device and holds no data"),
    ])
    func `an input of the wrong type is refused where the schema asks for another`(
        options: [String], expected: String
    ) async throws {
        let path = try write(
            """
            \(Self.head)input:
              schema: { document: { type: object, properties: { n: { type: integer } }, additionalProperties: false } }
            do: []
            """)
        let console = TestConsole()
        #expect(await console.run(["run", path, "--sandbox"] + options) == 2)
        #expect(console.standardError.contains(expected), "\(console.standardError)")
    }

    @Test func `properties become what the schema says that they are`() async throws {
        let path = try write(
            """
            \(Self.head)input:
              schema:
                document:
                  properties: { n: { type: integer }, b: { type: boolean }, s: { type: string }, l: { type: array } }
            do: []
            """)
        let console = TestConsole()
        let properties = ["-p", "n=1", "-p", "b=true", "-p", "s=12", "-p", "l=[1]", "-p", "x=1"]
        #expect(await console.run(["run", path, "--sandbox", "--input", "{\"n\":5,\"k\":null}"] + properties) == 0)
        #expect(console.standardOutput == "{\"n\":1,\"k\":null,\"b\":true,\"s\":\"12\",\"l\":[1],\"x\":\"1\"}\n")
    }

    @Test func `what is found while a file is read is reported in the order of the file`() async throws {
        let path = try write("\(Self.head)use: { retries: [], timeouts: 1 }\ndo:\n  - a: { set: {} }\n")
        let console = TestConsole()
        #expect(await console.run("validate", path) == 2)
        let lines = console.standardError.split(separator: "\n").filter { $0.contains(": error: ") }
        #expect(lines.map { $0.dropFirst(path.count + 1).prefix { $0 != " " } } == ["2:17:", "2:31:", "4:15:"])
    }

    #if os(Linux)
        @Test(arguments: [
            ("-v 100000", 64, "this program may use only 97 MB of memory"), ("-n 20", 64, "may open only 20 files"),
            ("-Sn 20", 0, "graphflow"), ("-v 4000000", 0, "graphflow"),
        ])
        func `a limit with which nothing works is named, and one that can be raised is`(
            limit: String, status: Int32, words: String
        ) async throws {
            let script = "ulimit \(limit) && exec \"$0\" --version"
            let result = try await GraphflowProcess(
                "/bin/sh", ["-c", script, GraphflowProcess.program()], environment: ["PATH": "/usr/bin:/bin"]
            ).result()
            #expect(result.status == status, "\(result.output)\(result.error)")
            #expect("\(result.output)\(result.error)".contains(words), "\(result.output)\(result.error)")
        }
    #endif
}
