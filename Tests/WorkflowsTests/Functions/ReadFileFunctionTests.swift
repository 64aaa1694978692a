import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

struct ReadFileFunctionTests {
    private let folder: TemporaryFolder
    private var files: WorkflowFiles { WorkflowFiles(folder: folder.url) }

    init() throws { folder = try TemporaryFolder() }

    private func read(_ input: Value) async throws -> Value {
        try await FunctionFixture(transport: ScriptedTransport(), files: files).call("readFile", input)
    }

    @Test(
        arguments: [
            ("a.csv", "n,m\nx,\"1,2\"\n", [["n": "x", "m": "1,2"]]), ("a.TSV", "n\tm\nx\t1", [["n": "x", "m": "1"]]),
            ("a.json", "{\"n\": [1, null]}", ["n": [1, nil]]), ("a.jsonl", "1\n\n{\"a\":2}\n", [1, ["a": 2]]),
            ("a.ndjson", "1\n", [1]), ("a.yaml", "n: [x, 2]", ["n": ["x", 2]]), ("a.yml", "- x", ["x"]),
            ("a.txt", "\u{FEFF}Ä\r\n", "Ä\r\n"), ("in/a.b.csv", "n\nx", [["n": "x"]]),
        ] as [(String, String, Value)])
    func `a file's name says what it is`(name: String, text: String, expected: Value) async throws {
        try folder.write(name, text)
        #expect(try await read(["file": .string(name)]) == expected)
    }

    @Test(
        arguments: [
            ("csv", [["[1]": "2"]]), ("tsv", [["[1]": "2"]]), ("text", "[1]\n2\n"), ("jsonl", [[1], 2]),
        ] as [(Value, Value)])
    func `the format that is given counts`(format: Value, expected: Value) async throws {
        for name in ["data", "data.csv", "data.yaml"] {
            try folder.write(name, "[1]\n2\n")
            #expect(try await read(["file": .string(name), "format": format]) == expected)
        }
    }

    private static let faults: [(with: Value, message: String, hint: String?)] = [
        (
            ["file": "a.csv"], "a.csv:2:3: this field has text after its closing quote",
            "double each quote inside a field"
        ),
        (["file": "missing.csv"], "There is no file 'missing.csv' next to the workflow", nil),
        (["file": "b.csv"], "There is no file 'b.csv' next to the workflow", "did you mean 'a.csv'?"),
        (["file": "../a.csv"], "The file '../a.csv' is outside the workflow's folder", nil),
        (["file": "link.csv"], "The file 'link.csv' is a link that leads outside the workflow's folder", nil),
        (["file": "data"], "The name 'data' does not show the file's format", "add 'format', such as 'format: text'"),
        (
            ["file": "a.dat"], "The name 'a.dat' does not show the file's format",
            "add 'format', such as 'format: text'"
        ),
        (
            ["file": "a.text"], "The name 'a.text' does not show the file's format",
            "add 'format', such as 'format: text'"
        ),
        (["file": "a.csv", "format": "json"], "a.csv:1:1: expected a value", nil),
        (["file": "bytes", "format": "text"], "The file 'bytes' is not text in UTF-8", nil),
        (["file": "large.txt"], "The file 'large.txt' is larger than 10 MB", nil),
    ]

    private func write() throws {
        try folder.write("a.csv", "n,m\n1,\"2\"x\n")
        try folder.write("data", "x")
        try folder.write("bytes", Data([0x61, 0xFF]))
        try folder.write("large.txt", Data(count: 10_000_001))
        try folder.link("link.csv", to: "/etc/hosts")
    }

    @Test(arguments: faults)
    func `what cannot be read is an error with its place`(with: Value, message: String, hint: String?) async throws {
        try write()
        let error = await #expect(throws: FunctionError.self) { try await read(with) }
        #expect(error?.message == message)
        #expect(error?.hint == hint)
        #expect(error?.pointer == JSONPointer(["file"]))
    }

    @Test(arguments: faults)
    func `faults are found before anything runs`(with: Value, message: String, hint: String?) throws {
        try write()
        let findings = try #require(Catalog.default["readFile"]).check(with, files: files)
        #expect(findings.map(\.message) == [message])
        #expect(findings.map(\.hint) == [hint])
        #expect(findings.map(\.pointer) == [JSONPointer(["file"])])
    }

    @Test func `all mistakes in a file are found before anything runs, and what is computed waits`() async throws {
        try folder.write("a.csv", "n,m\n1\n1,2\n1,2,3\n")
        let function = try #require(Catalog.default["readFile"])
        func messages(_ with: Value) -> [String] { function.check(with, files: files).map(\.message) }
        #expect(
            messages(["file": "a.csv"]) == [
                "a.csv:2:1: this row has 1 field, but the first row names 2 columns",
                "a.csv:4:5: this row has 3 fields, but the first row names 2 columns",
            ])
        #expect(messages(["file": "${ .file }"]).isEmpty)
        #expect(messages(["file": "a.csv", "format": "${ .format }"]).isEmpty)
        #expect(messages(["file": "b.csv", "format": "${ .format }"]).count == 1)
        let error = await #expect(throws: FunctionError.self) { try await read(["file": "a.csv"]) }
        #expect(error?.message == "a.csv:2:1: this row has 1 field, but the first row names 2 columns; and 1 more")
    }

    @Test func `a format that there is not is refused`() async throws {
        try folder.write("a.csv", "n\n1")
        let error = await #expect(throws: FunctionError.self) { try await read(["file": "a.csv", "format": "xml"]) }
        #expect(error?.pointer == JSONPointer(["format"]))
    }

    // MARK: - In plans

    private static let mails = """
        - each:
            for: { each: person, in: . }
            do:
              - mail: { call: sendMail, with: { to: '${ $person.mail }', subject: s, body: b } }
        """

    /// A workflow that sends mail to everybody in a file of its folder.
    private func workflow(file: String) throws -> Workflow {
        let tasks = "- me: { call: me }\n- list: { call: readFile, with: { file: \(file) } }\n" + Self.mails
        return try Workflow(tasks: tasks, folder: folder.url)
    }

    /// The name of a file that depends on an answer.
    private static let computed = """
        '${ if .displayName == "Megan Bowen" then "list.csv" else "other.csv" end }'
        """

    private func approve(_ workflow: Workflow) async throws -> (plan: Plan, approved: ApprovedPlan) {
        let plan = try await Runner.testing().plan(workflow).value
        return (plan, ApprovedPlan(plan))
    }

    @Test func `a plan has what is in the file`() async throws {
        try folder.write("list.csv", "mail\na@x.com\nb@x.com\n")
        let (plan, approved) = try await approve(try workflow(file: "list.csv"))
        let text = plan.value.json()
        #expect(text.contains("a@x.com") && text.contains("b@x.com"))
        #expect(plan.gaps == [])
        #expect(plan.files.keys.sorted() == ["list.csv"])
        #expect(approved.references.keys.sorted() == ["list.csv"])
    }

    @Test(arguments: ["list.csv", computed])
    func `an approved run reads the file as it was, and no other`(file: String) async throws {
        let list = "mail\nadelev@contoso.com\nalexw@contoso.com\n"
        try folder.write("list.csv", list)
        try folder.write("other.csv", "mail\nmegan@contoso.com\n")
        let workflow = try workflow(file: file)
        let (_, approved) = try await approve(workflow)
        #expect(try await mails(workflow, approved) == 2)
        // It changes after the plan was compared with the files.
        let mallory = "mail\nmallory@contoso.com\nalexw@contoso.com\n"
        #expect(try await mails(workflow, approved, changing: mallory) == 0)
        // It changed before.
        #expect(try await mails(workflow, approved) == 0)
        try folder.write("list.csv", list)
        #expect(try await mails(workflow, approved) == 2)
    }

    /// How many mails a run of an approved plan sends.
    /// - Parameter text: What the file is changed to when the run has begun; nil if it stays.
    private func mails(_ workflow: Workflow, _ approved: ApprovedPlan, changing text: String? = nil) async throws -> Int
    {
        let sandbox = Sandbox()
        let file = folder.url.appending(path: "list.csv")
        let clock = SkippingClock()
        let graph = GraphClient(
            credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL,
            transport: WatchedTransport(sandbox.transport) { request in
                if let text, request.url.path().hasSuffix("/me") { try? Data(text.utf8).write(to: file) }
            }, clock: clock)
        _ = try? await Runner(graph: graph, clock: clock).run(workflow, as: approved).value
        return sandbox.requests.count { $0.request.url.path().hasSuffix("/send") }
    }

    @Test func `a file whose name only a run knows is unknown in a plan`() async throws {
        try folder.write("list.csv", "mail\na@x.com\n")
        try folder.write("other.csv", "mail\nb@x.com\n")
        let (plan, _) = try await approve(try workflow(file: Self.computed))
        #expect(plan.value.json().contains("‹readFile"))
        #expect(!plan.value.json().contains("a@x.com"))
        #expect(plan.files.keys.sorted() == ["list.csv", "other.csv"])
    }
}
