import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// `graphflow test`, in processes of its own: time passes in a case only while nothing else is at work.
@Suite struct TestCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) async throws -> TestProcess.Result {
        try await GraphflowProcess(["test"] + arguments).result()
    }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path(percentEncoded: false) }

    /// Writes a workflow and its tests, and runs them.
    private func results(
        _ tasks: String, head: String = "", cases: String, _ options: String...
    ) async throws -> TestProcess.Result {
        try folder.write(
            "greet.yaml",
            Data(
                """
                document: { dsl: 1.0.3, namespace: tests, name: greet, version: 1.0.0 }
                \(head)
                do:
                \(tasks)
                """.utf8))
        try folder.write("greet.test.yaml", Data("cases:\n\(cases)\n".utf8))
        return try await GraphflowProcess(["test", path("greet.test.yaml")] + options).result()
    }

    @Test func `the tests of the samples pass`() async throws {
        let result = try await run(Repository.path("workflows"))
        #expect(result.status == 0, "\(result.output)\(result.error)")
        #expect(result.error.hasSuffix(" cases passed\n"))
    }

    @Test func `the schema beside the samples is that of the program, and knows all profiles`() async throws {
        let result = try await GraphflowProcess(["validate", "--test-schema"]).result()
        let file = Repository.path("workflows/graphflow-test.schema.json")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == result.output)
        let profiles = try Value(json: result.output)["$defs"]?["sandbox"]?["properties"]?["profile"]?["enum"]
        #expect(profiles == .array(Sandbox.Profile.allCases.map { .string($0.rawValue) }))
    }

    @Test func `a case can demand that its effects can be taken back`() async throws {
        let result = try await results(
            """
              - file: { call: upload, with: { path: a.txt, content: x } }
              - link: { call: createLink, with: { itemId: '${ .id }', scope: organization } }
              - mail: { if: $workflow.input.mail, call: sendMail, with: { to: a@contoso.com, subject: s, body: b } }
            """,
            cases: """
                  - { name: taken back, input: { mail: false }, expect: { undone: equal } }
                  - { name: mailed, input: { mail: true }, expect: { undone: equal } }
                """)
        #expect(result.status == 1)
        let errors = result.output.split(separator: "\n").filter { $0.contains("error: ") }
        #expect(errors.count == 1, "\(result.output)\(result.error)")
        #expect(errors.first?.contains("expected \"equal\", but it is \"different: mails") == true, "\(errors)")
    }

    @Test func `each difference is said at its place`() async throws {
        let result = try await results(
            """
              - set: { set: { number: 3, text: hello, list: [1, 2] } }
              - mail:
                  call: sendMail
                  with: { to: adelev@contoso.com, subject: Hello, body: The door is open. }
                  output: { as: $input }
            """,
            cases: """
                  - name: differs
                    expect:
                      state: faulted
                      output: { number: 4, text: '${ length > 9 }', list: [1] }
                      mails: [{ to: [megan@contoso.com], body: The window, subject: Hello }]
                      tasks: [set]
                      requests: [GET /me]
                      waits: [PT1S]
                """)
        #expect(result.status == 1)
        let lines = result.output.split(separator: "\n").filter { $0.contains("error: ") }
            .map { String($0.split(separator: ".test.yaml:").last ?? "") }
        #expect(
            lines.map { $0.prefix(80) } == [
                "4:14: error: expected the state 'faulted', but it is 'completed'",
                "5:25: error: expected 4, but it is 3",
                "5:34: error: this is not true of \"hello\"",
                "5:59: error: expected 1, but there are 2: [1,2]",
                "6:22: error: expected \"megan@contoso.com\", but it is \"adelev@contoso.com\"",
                "6:48: error: expected a string that contains this, but it is \"The door is open.\"",
                "7:14: error: expected 1, but there are 2: [\"set\",\"mail\"]",
                "8:17: error: expected 1, but there are 2: [\"POST /me/messages\",\"POST /me/message",
                "9:14: error: expected 1, but there are 0: []",
            ])
    }

    @Test func `a wait of days takes no time, and a retry neither`() async throws {
        let result = try await results(
            """
              - rest: { wait: P3D }
              - ask: { call: me, output: { as: .email } }
              - date: { set: { mail: '${ . }', at: '${ $task.startedAt.iso8601[:10] }' } }
            """,
            cases: """
                  - name: waits
                    now: '2026-03-01T12:00:00Z'
                    sandbox: { faults: [GET /me* 503 retry-after=60] }
                    expect: { output: { mail: megan@contoso.com, at: '2026-03-04' }, waits: [P3D, PT60S] }
                """)
        #expect(result.status == 0, "\(result.output)\(result.error)")
    }

    @Test func `a timeout expires before a longer wait`() async throws {
        // Real time: none passes, since 'graphflow test' skips it.
        let result = try await results(
            "  - rest: { wait: PT1H, timeout: { after: PT5S } }",
            cases: "  - { name: ends, expect: { error: { status: 408 }, waits: [PT5S] } }")
        #expect(result.status == 0, "\(result.output)\(result.error)")
    }

    @Test func `a wait passes only after the processes that were started before have ended`() async throws {
        let result = try await results(
            """
              - both:
                  fork:
                    compete: true
                    branches:
                      - slow: { run: { shell: { command: 'sleep 0.3; echo process' } } }
                      - rest: { do: [{ sleep: { wait: PT1S } }, { say: { set: { from: wait } } }] }
            """,
            cases: "  - { name: ends, expect: { output: process, waits: [] } }")
        #expect(result.status == 0, "\(result.output)\(result.error)")
    }

    @Test func `a run that waits for what does not come, or does not end, is a failure that says so`() async throws {
        let waiting = try await results(
            "  - hear: { listen: { to: { one: { with: { type: never } } } } }",
            cases: "  - { name: waits, expect: { state: waiting } }")
        #expect(waiting.status == 0, "\(waiting.output)\(waiting.error)")
        let endless = try await results(
            "  - again: { set: { a: 1 }, then: again }", cases: "  - { name: ends, expect: { state: completed } }")
        #expect(endless.status == 1)
        #expect(endless.output.contains("expected the state 'completed', but it is 'endless'"))
    }

    @Test func `nothing but the sandbox and what the case answers can be reached`() async throws {
        let ask = "  - ask: { call: http, with: { method: get, endpoint: 'https://contoso.com/count' } }"
        let mock = "mock: [{ request: { url: 'https://contoso.com/count' }, answer: { json: 42 } }]"
        let answered = try await results(ask, cases: "  - { name: asks, \(mock), expect: { output: 42 } }")
        #expect(answered.status == 0, "\(answered.output)\(answered.error)")
        let catching = """
              - attempt:
                  try: [{ ask: { call: http, with: { method: get, endpoint: 'https://contoso.com/count' } } }]
                  catch: { do: [] }
            """
        let caught = try await results(catching, cases: "  - { name: asks, expect: { state: completed } }")
        #expect(caught.status == 1)
        #expect(caught.output.contains("no 'mock' answers GET https://contoso.com/count"), "\(caught)")
    }

    @Test func `what is there becomes what is expected, and conditions and comments stay`() async throws {
        let cases = """
              - name: differs # a comment
                expect:
                  output: { number: 4, text: '${ length > 9 }' } # another one
                  mails:
                    - to: megan@contoso.com
            """
        let result = try await results("  - set: { set: { number: 3, text: hello } }", cases: cases, "--update")
        #expect(result.status == 1)
        let text = try String(contentsOfFile: path("greet.test.yaml"), encoding: .utf8)
        #expect(
            text == """
                cases:
                  - name: differs # a comment
                    expect:
                      output: { number: 3, text: '${ length > 9 }' } # another one
                      mails:
                        []

                """)
        #expect(result.error.contains("2 expectations changed"))
    }

    @Test(arguments: [
        ("  - { name: a, expect: {} }", "2:24: error: must have at least 1 property, but has none"),
        ("  - { name: a, expect: { stat: completed } }", "did you mean 'state'?"),
        ("  - { name: a, expect: { output: '${ .a | }' } }", "2:43: error: unexpected end of the expression"),
        ("  - { name: a, sandbox: { faults: [GET] }, expect: { mails: [] } }", "the path is missing"),
        ("  - { name: a, now: today, expect: { mails: [] } }", "2:21: error: must be a date and time such as"),
        (
            "  - { name: a, expect: { mails: [] } }\n  - { name: a, expect: { mails: [] } }",
            "3:13: error: another case has this name"
        ),
    ])
    func `mistakes are found before anything runs`(cases: String, message: String) async throws {
        let result = try await results("  - a: { set: { b: 1 } }", cases: cases)
        #expect(result.status == 2)
        #expect(result.error.contains(message), "\(result.error)")
        let validation = try await GraphflowProcess(["validate", path("greet.test.yaml")]).result()
        #expect(validation.status == 2)
        #expect(validation.error == result.error)
    }

    @Test func `a case without a secret that the workflow needs is a mistake`() async throws {
        let result = try await results(
            "  - a: { set: { b: '${ $secrets.door | length }' } }", head: "use: { secrets: [door] }",
            cases: "  - { name: a, expect: { output: { b: 4 } } }\n"
                + "  - { name: b, secrets: { door: '4711' }, expect: { output: { b: 4 } } }")
        #expect(result.status == 2)
        #expect(result.error.contains("2:5: error: the workflow needs the secret 'door'"), "\(result.error)")
    }

    @Test func `what no case reaches is said and drawn`() async throws {
        let result = try await results(
            """
              - choose: { switch: [{ large: { when: .a > 5, then: grow } }, { small: { then: shrink } }] }
              - grow: { set: { b: 1 }, then: end }
              - shrink: { if: .a > 1, set: { b: 2 } }
            """,
            cases: "  - { name: a, input: { a: 9 }, expect: { output: { b: 1 } } }", "--coverage", folder.url.path())
        #expect(result.status == 0, "\(result.output)\(result.error)")
        let text =
            "3 of 6 tasks and branches are reached, not 'small' of 'choose', 'shrink', 'shrink' when its 'if' is false"
        #expect(result.output.contains(text), "\(result.output)")
        let picture = try String(contentsOfFile: path("greet.svg"), encoding: .utf8)
        #expect(picture.contains("✗ in no test"))
    }

    @Test(arguments: [
        "/proc/self/environ", "../outside.yaml", "inner/../../outside.yaml", "link.yaml", "inner link/outside.yaml",
        "./link of link.yaml", "/dev/stdin", "~/x.yaml", "inner", "", "none ü 😀 '%'.yaml", "file:///proc/self/environ",
        "..%2Foutside.yaml",
    ])
    func `tests quote no file outside their folder, whatever they name as their workflow`(name: String) async throws {
        let files = FileManager.default
        try files.createDirectory(at: folder.url.appending(path: "tests/inner"), withIntermediateDirectories: true)
        try folder.write("outside.yaml", "very-secret-line: [\n")
        let tests = folder.url.appending(path: "tests").path
        for (link, target) in [
            ("link.yaml", "../outside.yaml"), ("link of link.yaml", "link.yaml"), ("inner link", ".."),
        ] {
            try files.createSymbolicLink(atPath: "\(tests)/\(link)", withDestinationPath: target)
        }
        let text = "workflow: \(Value.string(name).json())\ncases: [ { name: a } ]\n"
        try folder.write("tests/a.test.yaml", Data(text.utf8))
        for words in [["test", "\(tests)/a.test.yaml"], ["validate", "\(tests)/a.test.yaml"], ["test", tests]] {
            let result = try await GraphflowProcess(words, environment: ["SECRET": "very-secret-line"]).result()
            #expect(result.status == 2, "\(words): \(result.output)\(result.error)")
            #expect(!"\(result.output)\(result.error)".contains("very-secret-line"), "\(words): \(result.error)")
        }
    }

    @Test func `a command line that is wrong is explained`() async throws {
        for (arguments, message) in [
            (["--format", "xml"], "there is no format 'xml'"), ([path("none.test.yaml")], "there is no such file"),
            ([folder.url.path()], "there are no tests in"),
            ([Repository.path("workflows/welcome.yaml"), "--filter", "zzz"], "no case has 'zzz' in its name"),
            ([Repository.path("Package.swift")], "Package.swift"),
        ] {
            let result = try await GraphflowProcess(["test"] + arguments).result()
            #expect(result.status == 64 || result.status == 2)
            #expect(result.error.contains(message), "\(result.error)")
        }
    }
}
