import Essentials
import Foundation
import TestSupport
import Testing
import WorkflowData
import Workflows

@testable import graphflow

/// Nothing that the language server does runs a workflow, reads a secret, or uses the network.
@Suite struct `The language server` {
    @Test func `names nothing in its files that could run, sign in or write`() throws {
        let folder = Repository.folder.appendingPathComponent("Sources/graphflow/Editors")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains("Lenses.swift"))
        let words = [
            "CommandLineTool", "Runner", "TestRun", "WorkflowTests", "GraphClient", "Console", "Transport",
            "Credential",
            "SecretStore", "ProcessInfo", "Process(", "environment", "OutputFile", "createFile", "createDirectory",
            "write(to", "contentsOf: URL", "contents(atPath", "Data(contentsOf", "open(reading", "posix_spawn",
            "URLSession",
        ]
        for name in names {
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            let code = SourceFile(name: name, text).code
            for word in words {
                #expect(!code.contains(word), "\(name): \(word)")
            }
        }
    }

    /// What the server says until it has answered all questions, which must be fewer than it takes at once.
    private func talk(_ messages: [Value], questions: Int, in place: WorkflowPlace) async throws -> String {
        let input = place.folder.appendingPathComponent("messages")
        var bytes = Data()
        for message in messages {
            let body = message.jsonData()
            bytes += Data("Content-Length: \(body.count)\r\n\r\n".utf8) + body
        }
        try bytes.write(to: input)
        // Real time: the server drops what it has not answered when its input ends.
        let script = """
            tries=0
            answers() { grep -o '"jsonrpc":"2.0","id":' "$1" | wc -l; }
            (cat "$1"; until [ $(answers "$2") -ge \(questions) ] || [ $((tries += 1)) -gt 9000 ]; do sleep 0.1; done) |
                "$0" lsp > "$2"
            cat "$2"
            """
        let output = place.folder.appendingPathComponent("answers").path
        let process = try TestProcess(
            "/bin/sh", ["-c", script, GraphflowProcess.program(), input.path, output],
            environment: [
                "PATH": "/usr/bin:/bin", "GRAPHFLOW_HOME": place.home,
                "GRAPHFLOW_ACCESS_TOKEN": "token-of-sixteen-characters",
                "GRAPHFLOW_SECRET_KEY": "very-secret-value-of-a-key",
            ])
        return try await process.result().output
    }

    private static let hostile = """
          - shell: { run: { shell: { command: 'touch marker; echo $GRAPHFLOW_SECRET_KEY' } } }
          - fifo: { call: readFile, with: { file: pipe } }
          - system: { call: readFile, with: { file: environ } }
          - key: { set: { x: '${ $secrets.key }' } }

        """

    @Test func `runs nothing, waits for no pipe and shows no secret, whatever is asked`() async throws {
        let place = try WorkflowPlace(Self.hostile, head: "use: { secrets: [key] }")
        let folder = place.folder
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("environ").path, withDestinationPath: "/proc/self/environ")
        #expect(unsafe mkfifo(folder.appendingPathComponent("pipe").path, 0o600) == 0)
        let tests = folder.appendingPathComponent("workflow.test.yaml")
        try Data("cases:\n  - name: a\n    input: {}\n    secrets: { key: x }\n".utf8).write(to: tests)
        let uri = EditedText.uri(of: place.file)
        var messages: [Value] = [
            ["jsonrpc": "2.0", "id": 0, "method": "initialize", "params": ["capabilities": [:]]],
            ["jsonrpc": "2.0", "method": "initialized", "params": [:]],
        ]
        var number = 0
        func ask(_ method: String, _ params: Value) {
            number += 1
            messages.append(["jsonrpc": "2.0", "id": .integer(number), "method": .string(method), "params": params])
        }
        for path in [place.file, tests.path] {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            messages.append([
                "jsonrpc": "2.0", "method": "textDocument/didOpen",
                "params": [
                    "textDocument": [
                        "uri": .string(EditedText.uri(of: path)), "version": 1, "languageId": "yaml",
                        "text": .string(text),
                    ]
                ],
            ])
            for line in 0..<text.split(separator: "\n").count {
                for method in ["hover", "completion", "definition", "references", "prepareRename", "documentHighlight"]
                {
                    for column in stride(from: 0, to: 60, by: 5) {
                        ask(
                            "textDocument/\(method)",
                            [
                                "textDocument": ["uri": .string(EditedText.uri(of: path))],
                                "position": ["line": .integer(line), "character": .integer(column)],
                            ])
                    }
                }
            }
            let whole: Value = ["start": ["line": 0, "character": 0], "end": ["line": 99, "character": 0]]
            for method in ["codeLens", "codeAction", "inlayHint", "documentSymbol", "foldingRange", "documentLink"] {
                ask(
                    "textDocument/\(method)",
                    ["textDocument": ["uri": .string(EditedText.uri(of: path))], "range": whole, "context": [:]])
            }
        }
        for name in ["graphflow.say", "graphflow.test", "graphflow.dryRun", "graphflow.lastRun", "run", ""] {
            for arguments in [[.string(uri), .string(tests.path)], [.string("test \(tests.path)")], []] as [[Value]] {
                ask("workspace/executeCommand", ["command": .string(name), "arguments": .array(arguments)])
            }
        }
        let said = try await talk(messages, questions: number + 1, in: place)
        for id in 0...number {
            #expect(said.contains("\"id\":\(id),\"result\"") || said.contains("\"id\":\(id),\"error\""), "\(id)")
        }
        #expect(said.contains("Type in a terminal"))
        #expect(!said.contains("very-secret-value") && !said.contains("token-of-sixteen"))
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        #expect(!names.contains("marker") && !names.contains { $0.hasPrefix("home") }, "\(names)")
    }

    @Test func `a lens is a command that can be typed, whatever the file is called`() throws {
        let runs = RunsFolder(URL(fileURLWithPath: "/nowhere"))
        for name in ["x", "ü 😀", "a'b", "$(touch x)", "a\u{1B}[2Jb", "-x", "%1"] {
            let path = "/nowhere/\(name).yaml"
            let text = "document: { dsl: 1.0.3, namespace: t, name: x, version: 1.0.0 }\ndo: []\n"
            let analysis = Analysis(
                EditedText(EditedText.uri(of: path), version: 1, text), OpenTexts([path: Data(text.utf8)]))
            let lens = Lenses(analysis, LastRuns(runs)).all.array?.first?["command"]
            #expect(lens?["command"] == "graphflow.say")
            #expect(lens?["arguments"]?.array?.first?.string == "graphflow run \(path.shellWord) --dry-run")
        }
    }
}
