import Foundation
import Promises
import Testing
import Workflows

@testable import graphflow

/// A file whose names, texts and arguments control terminals, through every command and format.
@Suite struct HostileTextTests {
    /// Erases a line, rings, colours (C1), turns text around, ends a line early, deletes, sets a title, and isolates.
    private static let evil =
        "\u{1B}[2K\u{7}\u{9B}31m\u{202E}abc\u{2066}\r\u{8}\u{7F}\u{200F}\u{1B}]0;t\u{1B}\\\t\u{85}\u{2028}x\ny"

    private let place: WorkflowPlace

    init() throws {
        place = try WorkflowPlace("")
        try write(to: place.file, Self.workflow)
    }

    private static func task(_ name: String, _ definition: Value) -> Value { [name + evil: definition] }

    private static var workflow: Value {
        let evil = Value.string(evil)
        let tasks: [Value] = [
            task("set", ["set": ["a": evil]]),
            task("skip", ["if": "${ false }", "set": ["a": evil]]),
            task("fork", ["fork": ["branches": [task("branch", ["set": ["a": evil]])]]]),
            task("loop", ["for": ["in": "${ [1, 2] }"], "do": [task("inner", ["set": ["a": evil]])]]),
            task(
                "emit", ["emit": ["event": ["with": ["source": "https://example.com/", "type": evil, "data": evil]]]]),
            task("shell", ["run": ["shell": ["command": .string("true '\(Self.evil)'"), "arguments": [evil]]]]),
            task("mail", ["call": "sendMail", "with": ["to": "megan@contoso.com", "subject": evil, "body": evil]]),
            task("upload", ["call": "upload", "with": ["path": "a\u{202E}.txt", "content": evil]]),
            task(
                "try",
                [
                    "try": [
                        task(
                            "raise",
                            ["raise": ["error": ["type": "https://example.com/e", "status": 418, "title": evil]]])
                    ], "catch": ["do": [task("handle", ["set": ["a": evil]])]],
                ]),
            task("last", ["set": ["a": evil, Self.evil: 1]]),
        ]
        return [
            "document": [
                "dsl": "1.0.3", "namespace": "tests", "name": "hostile", "version": "1.0.0", "title": evil,
                "summary": evil,
            ], "do": .array(tasks),
        ]
    }

    private func write(to path: String, _ value: Value) throws {
        try Data(value.json().utf8).write(to: URL(fileURLWithPath: path))
    }

    /// What would control a terminal: C0 without the line's end, DEL, C1, separators, marks and bidirectional controls.
    private func controls(in text: String) -> [String] {
        text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x0A: false
            case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
            default: false
            }
        }.map { String($0.value, radix: 16) }
    }

    /// Runs a command on a console without colours and on one with them, whose own sequences are left out.
    private func check(_ arguments: [String], status: Int32, source: SourceLocation = #_sourceLocation) async -> String
    {
        let plain = place.console()
        #expect(await plain.run(arguments) == status, "\(plain.standardError)", sourceLocation: source)
        for text in [plain.standardOutput, plain.standardError] {
            #expect(controls(in: text).isEmpty, "\(arguments) \(text.debugDescription)", sourceLocation: source)
        }
        let written = Locked("")
        let write: @Sendable (Data) -> Void = { data in
            written.withLock { $0 += String(decoding: data, as: UTF8.self) }
        }
        let coloured = Console(
            environment: ["GRAPHFLOW_HOME": place.home, "GRAPHFLOW_ACCESS_TOKEN": "x", "TERM": "xterm"],
            outputIsTerminal: true, errorIsTerminal: true, ownsProcess: false, output: write, error: write)
        _ = await CommandLineTool.run(arguments, on: coloured)
        let own = /\u{1B}\[(0|1|2|31|32|33|35|36|1;3[1-6])m|\r?\u{1B}\[([0-9]*A|J|K|\?7[lh])|\r(?=\u{1B}|$)/
        let rest = written.withLock { $0 }.replacing(own, with: "")
        #expect(controls(in: rest).isEmpty, "\(arguments) \(rest.debugDescription)", sourceLocation: source)
        return plain.standardOutput
    }

    @Test(arguments: ["text", "json", "curl", "har"])
    func `a plan has no control characters`(format: String) async {
        let plan = await check(["run", place.file, "--dry-run", "--requests", "--format", format], status: 0)
        #expect(plan.contains("sendMail") || plan.contains("/me/messages"))
    }

    @Test(arguments: [[], ["--quiet"], ["--verbose"], ["--events", "-"]])
    func `a run has no control characters, nor has what is kept of it`(options: [String]) async throws {
        let output = await check(["run", place.file, "--sandbox"] + options, status: 0)
        let last = try #require(output.split(separator: "\n").last)
        #expect(try Value(json: Data(last.utf8))["a"] == .string(Self.evil))
        let home = RunsFolder.standard(environment: ["GRAPHFLOW_HOME": place.home])
        for run in try home.summaries(limit: 1).map(\.run) {
            for options in [[], ["--json"], ["--events"]] { _ = await check(["show", run] + options, status: 0) }
        }
        for options in [[], ["--json"]] { _ = await check(["runs"] + options, status: 0) }
    }

    @Test(arguments: ["mermaid", "dot", "svg"])
    func `a drawing has no control characters`(format: String) async {
        _ = await check(["graph", place.file, "--format", format], status: 0)
    }

    @Test func `findings have no control characters, in no format`() async throws {
        let evil = Self.evil
        try write(
            to: place.file,
            [
                "document": ["dsl": "1.0.3", "namespace": "tests", "name": "hostile", "version": "1.0.0"],
                "do": [[evil: ["call": .string(evil), "with": [evil: 1]]], [evil: ["set": 1, evil: 2]]],
            ])
        for format in ["text", "json", "sarif", "github"] {
            _ = await check(["validate", place.file, "--format", format], status: 2)
        }
        for command in [["run", place.file], ["run", place.file, "--dry-run"], ["graph", place.file]] {
            _ = await check(command, status: 2)
        }
    }

    @Test func `an error of a run has no control characters`() async throws {
        let evil = Value.string(Self.evil)
        try write(
            to: place.file,
            [
                "document": ["dsl": "1.0.3", "namespace": "tests", "name": "hostile", "version": "1.0.0"],
                "do": [
                    [
                        Self.evil: [
                            "raise": [
                                "error": [
                                    "type": "https://example.com/e", "status": 500, "title": evil, "detail": evil,
                                ]
                            ]
                        ]
                    ]
                ],
            ])
        _ = await check(["run", place.file], status: 1)
    }

    @Test func `what is wrong with a command line has no control characters`() async {
        let evil = Self.evil
        for arguments in [
            [evil], ["run", evil], ["run", "--" + evil], ["functions", evil], ["eval", evil], ["show", evil],
            ["runs", "--state", evil], ["resume", evil], ["rm", evil], ["validate", place.file, "--format", evil],
        ] {
            let console = place.console()
            #expect(await console.run(arguments) != 0)
            #expect(controls(in: console.standardError).isEmpty, "\(console.standardError.debugDescription)")
        }
    }

    @Test func `an expression prints JSON without control characters, and raw text as it is`() async {
        _ = await check(["eval", #""\u001b\u009b\u202e\u007f""#], status: 0)
        let console = place.console()
        #expect(await console.run("eval", "-r", #""\u001b\u009b""#) == 0)
        #expect(console.standardOutput == "\u{1B}\u{9B}\n")
    }
}
