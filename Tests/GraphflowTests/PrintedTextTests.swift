import Foundation
import Promises
import TestSupport
import Testing
import WorkflowHTTP
import Workflows

@testable import graphflow

/// Nothing that a command prints controls a terminal, turns text around or is not seen, in any format.
@Suite struct PrintedTextTests {
    /// What is drawn into names: C0 with BEL and ESC, DEL, C1, separators, bidirectional, without a width.
    private static let hostile: [String] = [
        "\u{0}", "\u{7}", "\u{8}", "\t", "\r", "\n", "\u{1B}[31m", "\u{1B}]0;t\u{7}", "\u{7F}", "\u{85}", "\u{9B}2J",
        "\u{9D}0;t\u{9C}", "\u{61C}", "\u{200B}", "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}",
        "\u{202D}",
        "\u{202E}", "\u{2060}", "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{AD}", "\u{E0041}", "\u{FFF9}",
    ]
    /// Commands that print nothing of a file or a service, or only what others here print as well.
    private static let others: Set = [
        "serve", "changes", "resume", "approve", "reject", "mcp", "lsp", "board", "rm", "init", "functions", "login",
        "logout", "whoami", "post", "patch", "put", "delete", "sandbox", "completions",
    ]

    private let place: WorkflowPlace
    private let folder: String

    init() throws {
        place = try WorkflowPlace("")
        folder = place.folder.path(percentEncoded: false)
    }

    private static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }

    private func write(_ name: String, _ value: Value) throws -> String {
        let path = "\(folder)/\(name)"
        try Data(value.json().utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// A workflow with the text in everything that it names, and a test of it.
    private func prepare(_ text: String) throws {
        let evil = Value.string(text)
        let mail: Value = [
            "call": "sendMail",
            "with": ["to": "megan@contoso.com", "subject": evil, "body": ["contentType": "html", "content": evil]],
        ]
        _ = try write(
            "workflow.yaml",
            [
                "document": [
                    "dsl": "1.0.3", "namespace": "tests", "name": "printed", "version": "1.0.0", "title": evil,
                    "summary": evil,
                ],
                "do": [
                    ["set\(text)": ["set": ["a": evil]]], ["mail": mail],
                    ["file": ["call": "upload", "with": ["path": "a.txt", "content": evil]]],
                    [
                        "run\(text)": [
                            "run": [
                                "shell": ["command": "true", "arguments": [.string(text.replacing("\u{0}", with: ""))]]
                            ]
                        ]
                    ],
                    ["last": ["set": ["a": evil, text: 1]]],
                ],
            ])
        _ = try write(
            "printed.test.yaml", ["workflow": "workflow.yaml", "cases": [["name": evil, "expect": ["output": evil]]]])
        _ = try write("items.json", [["k": .string("1\(text)")], ["k": .string("2\(text)")]])
    }

    /// Runs a command on a console without colours and on a terminal with them, whose own sequences are left out.
    private func check(_ arguments: [String], _ source: SourceLocation = #_sourceLocation) async -> String {
        let written = Locked("")
        let write: @Sendable (Data) -> Void = { data in
            written.withLock { $0 += String(decoding: data, as: UTF8.self) }
        }
        var first = ""
        for isTerminal in [false, true] {
            let console = Console(
                environment: ["GRAPHFLOW_HOME": place.home, "GRAPHFLOW_ACCESS_TOKEN": "x", "TERM": "xterm"],
                inputIsTerminal: false, outputIsTerminal: isTerminal, errorIsTerminal: isTerminal, ownsProcess: false,
                output: write, error: write)
            _ = await CommandLineTool.run(arguments, on: console)
            let text = written.withLock { text in
                defer { text = "" }
                return text
            }
            let own = /\u{1B}\[[0-9;]*m|\r?\u{1B}\[([0-9]*A|J|K|\?7[lh])|\r(?=\u{1B}|$|\n)/
            // As one character, a line's end of CSV has no carriage return for an expression.
            let lines = text.replacing("\r\n", with: "\n")
            let found = (isTerminal ? lines.replacing(own, with: "") : lines)
                .unicodeScalars.filter(Self.isHostile).map { String($0.value, radix: 16) }
            #expect(found.isEmpty, "\(arguments) \(isTerminal) \(found)", sourceLocation: source)
            if !isTerminal { first = text }
        }
        // GitHub gets a line for each finding, and there is none.
        #expect(!first.isEmpty || arguments.last == "github", "\(arguments)", sourceLocation: source)
        return first
    }

    @Test(arguments: 0..<Extent.of(40, or: 2))
    func `every command and format prints drawn names so that they control nothing`(draw: Int) async throws {
        // Each draw has some of them, and all draws together have all.
        let drawn = Self.hostile.enumerated().filter { index, _ in
            (index + draw) % 2 == 0 || draw > 1 && index % draw == 0
        }
        let text = "ü " + drawn.map { $0.element + "x" }.joined()
        try prepare(text)
        let run = try await place.run("--sandbox")
        let (plan, batchPlan) = ("\(folder)/plan.json", "\(folder)/batch.json")
        let (items, results) = ("\(folder)/items.json", "\(folder)/results.jsonl")
        let plans = PlanFormat.allCases.map { ["--format", $0.rawValue] }
        let each = ["batch", place.file, "--each", items, "--key", ".k", "--sandbox"]
        var commands = plans.map { ["run", place.file, "--dry-run", "--requests"] + $0 }
        commands += [
            ["run", place.file, "--dry-run", "--plan-out", plan], ["run", place.file, "--sandbox", "--events", "-"],
            ["run", place.file, "--sandbox", "--verbose", "--events", results],
            each + ["--dry-run", "--plan-out", batchPlan], each + ["--name", "b"], ["batch", "--report", place.home],
            each + ["--name", "c", "--results", results],
        ]
        for format in ["text", "json", "html", "markdown"] {
            commands.append(each + ["--dry-run", "--requests", "--format", format])
            for operand in [run, "b", batchPlan] { commands.append(["show", operand, "--format", format]) }
        }
        commands += plans.map { ["show", plan] + $0 }
        commands += [["show", run, "--data"], ["show", run, "--events"], ["show", "b", "--events"]]
        commands += ["text", "json", "csv"].flatMap {
            [["effects", "--format", $0], ["effects", "b", "--format", $0]]
        }
        commands += [["runs"], ["runs", "--json"], ["undo", "last", "--dry-run"]]
        commands += ["text", "json", "sarif", "github"].map { ["validate", place.file, "--format", $0] }
        commands += ["mermaid", "dot", "svg"].map { ["graph", place.file, "--format", $0] }
        commands += ["text", "junit", "tap", "json"].map { ["test", "\(folder)/printed.test.yaml", "--format", $0] }
        commands += [
            ["types", place.file], ["types", place.file, "--json"], ["eval", "-n", Value.string(text).json()],
        ]
        commands += [["users", text, "--sandbox"], ["get", "/me/\(text.percentEncoded())", "--sandbox"]]
        commands += ["text", "json"].map { ["explain", "GET", "/users/\(text)/\(text)", "--format", $0] }
        commands.append(["explain", "PATCH", "/users/\(text)", "--body", Value.object([text: 1]).json()])
        for arguments in commands { _ = await check(arguments) }
        #expect(
            Set(commands.map { $0[0] }).union(Self.others) == Set(CommandLineTool.commands.map { $0.name }),
            "a new command is tried here, or needs a reason not to be")
        // Files, too, are looked at in terminals; a line stays a line.
        for path in [plan, batchPlan, results] {
            let content = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
            #expect(content.unicodeScalars.filter(Self.isHostile).isEmpty, "\(path)")
        }
        for line in await check(["effects", "b", "--format", "csv"]).split(separator: "\r\n").dropFirst() {
            #expect(line.contains(",printed,"))
        }
        for line in await check(["effects", "--format", "json"]).split(separator: "\n") {
            let effect = try Value(json: String(line))
            let summary = effect["summary"]?.string ?? "\n"
            #expect(summary.unicodeScalars.filter(Self.isHostile).isEmpty && !summary.contains("\n"))
            #expect(effect["kind"] != "mail" || effect["subject"] == .string(text))
        }
    }

    @Test func `lines of JSON-RPC have no such characters and mean the same`() throws {
        let text = Self.hostile.joined(separator: "x")
        let message = RPCMessage.notification(method: text, params: [text: .string(text)])
        for framing in [RPCFraming.lines, .contentLength] {
            let bytes = framing.bytes(of: message)
            let line = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").last ?? ""
            #expect(line.unicodeScalars.filter(Self.isHostile).isEmpty)
            #expect(line.split(separator: "\n").count == 1)
            #expect(try Value(json: String(line)) == message.value)
        }
    }

    @Test func `the board's data have no such characters and mean the same`() async throws {
        let text = Self.hostile.joined(separator: "x")
        try prepare(text)
        let run = try await place.run("--sandbox")
        let environment = ["GRAPHFLOW_HOME": place.home]
        let board = Board(
            KeptRuns.standard(environment: environment), starting: WorkflowOperands(operands: [place.file]),
            with: OwnProgram(environment: environment, path: "/bin/false"))
        let parts = try board.start(port: 0).components(separatedBy: "/#token=")
        defer { board.stop() }
        for path in ["runs", "runs/\(run)", "runs/\(run)/drawing", "workflows"] {
            let request = HTTPRequest(
                "GET", try #require(URL(string: "\(parts[0])/api/\(path)")),
                headers: ["Authorization": "Bearer \(parts[1])"], body: nil)
            let operation = HTTPOperation(name: "test", effect: .read, example: HTTPResponse(status: 200))
            let answer = try await NetworkTransport(clock: .patient).send(request, for: operation).value
            let content = String(decoding: answer.body, as: UTF8.self)
            #expect(answer.status == 200 && content.unicodeScalars.filter(Self.isHostile).isEmpty, "\(path)")
        }
    }

    @Test func `joiners stay, because scripts and emoji are written with them`() {
        let text = "👩‍💻 می‌خواهم"
        #expect(text.escapingControls == text)
        #expect(PlainText.painted("\u{1B}[1;31mx\u{1B}[0m\u{1B}[2J\u{1B}") == "\u{1B}[1;31mx\u{1B}[0m\\u001b[2J\\u001b")
        #expect("\u{E0041}".escapingControls == "\\udb40\\udc41")
    }
}
