import Foundation
import TestSupport
import Testing
import Workflows

/// What is found in the tasks of a workflow before it runs, and what is not.
struct FindingsTests {
    private func findings(_ tasks: String) throws -> [String] { try Workflow(tasks: tasks).validate().map(\.id) }

    @Test(arguments: [
        ("top: '${ .count }'", []), ("select: ['${ .name }']", []), ("top: many", ["arguments"]),
        ("extra: '${ .count }'", ["arguments"]),
    ])
    func `an argument that an expression computes can have any type, but needs a name that exists`(
        argument: String, ids: [String]
    ) throws {
        #expect(try findings("- find: { call: users, with: { startsWith: A, \(argument) } }") == ids)
    }

    @Test(arguments: [
        ("status: 503", []), ("status: 404", ["never-caught"]), ("type: 'https://a.com/e'", []),
        ("type: 'https://a.com/f'", ["never-caught"]), ("type: 'https://a.com/e', status: 404", ["never-caught"]),
        ("title: Any", []),
    ])
    func `a catch is warned of where no error of its try has the type and the status`(
        filter: String, ids: [String]
    ) throws {
        let tasks = """
            - attempt:
                try: [ { fail: { raise: { error: { type: 'https://a.com/e', status: 503, title: Full } } } } ]
                catch: { errors: { with: { \(filter) } } }
            """
        #expect(try findings(tasks) == ids)
    }

    @Test func `the first hundred errors of a file are reported, with the number of the others`() throws {
        let names = (0..<40_000).map { "    key\($0): 1\n" }.joined()
        let error = #expect(throws: InvalidWorkflow.self) { try Workflow(tasks: "- a:\n    set: { x: 1 }\n" + names) }
        let findings = try #require(error?.diagnostics)
        #expect(findings.count == 101)
        #expect(findings.first?.message == "a 'set' task has no property 'key0'")
        #expect(findings.last?.message == "there are 39900 more findings")
        #expect(findings.last?.severity == .error)
    }

    @Test func `a workflow with more than a hundred warnings can run`() throws {
        let secrets = (0..<102).map { "s\($0)" }.joined(separator: ", ")
        let workflow = try Workflow(tasks: "- a: { set: { x: 1 } }", rest: "use: { secrets: [\(secrets)] }")
        let findings = workflow.validate()
        #expect(findings.count == 101)
        #expect(findings.last?.message == "there are 2 more findings")
        #expect(findings.allSatisfy { $0.severity == .warning })
    }

    @Test(arguments: [".", "${ . }"])
    func `what a task exports whole has the members of its output`(export: String) throws {
        func reading(_ name: String) throws -> [String] {
            try findings(
                """
                - first: { set: { known: 1 }, export: { as: '\(export)' } }
                - second: { set: { copy: '${ $context.\(name) }' } }
                """)
        }
        #expect(try reading("known") == [])
        #expect(try reading("other") == ["unwritten-context"])
    }

    @Test(arguments: [
        ("", ["unwritten-context"]), ("input: { from: .start }", []),
        ("input: { schema: { document: { type: object } } }", []),
    ])
    func `a name that is exported later may be in a workflow's input that is computed or described`(
        rest: String, ids: [String]
    ) throws {
        let workflow = try Workflow(
            tasks: """
                - first: { set: { copy: '${ $context.known }' } }
                - second: { set: { known: 1 }, export: { as: '{ known }' } }
                """, rest: rest)
        #expect(workflow.validate().map(\.id) == ids)
    }

    @Test func `the last task of a list is reached from the one before it`() throws {
        let tasks = """
            - first: { set: { a: 1 }, then: third }
            - second: { set: { a: 2 } }
            - third: { set: { a: 3 } }
            - last: { set: { a: 4 } }
            """
        #expect(try findings(tasks) == ["unreachable"])
        #expect(try findings(tasks.replacing("then: third", with: "then: second")) == [])
    }

    @Test func `a credential in the file is found, and the finding does not show it`() throws {
        let workflow = try Workflow(
            tasks: """
                - ask:
                    call: http
                    with:
                      method: get
                      endpoint: { uri: https://api.contoso.com, authentication: { bearer: { token: a-t0ken } } }
                """)
        let finding = try #require(workflow.validate().first)
        #expect(finding.id == "literal-credential" && finding.range != nil)
        #expect(!finding.text().contains("a-t0ken"))
    }

    /// The findings of a file, as the command line shows them.
    private func texts(_ tasks: String) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("findings-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let indented = tasks.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
        let text = "document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }\ndo:\n\(indented)\n"
        try Data(text.utf8).write(to: file)
        return Workflow.check(contentsOf: file).diagnostics.map(Self.text)
    }

    private static func text(_ finding: Diagnostic) -> String {
        let start = finding.range?.start
        return "\(start?.line ?? 0):\(start?.column ?? 0) \(finding.message); \(finding.hint ?? "")"
    }

    @Test(arguments: [
        ("lenght", "lenght/0 is not defined; did you mean 'length'?"),
        ("def total: add; totl", "totl/0 is not defined; did you mean 'total'?"),
        ("name", "name/0 is not defined; did you mean '.name'?"),
        ("map", "map/0 is not defined; there is map/1"),
        (
            "$secrets.crm-secret",
            "secret/0 is not defined; did you mean '[\"crm-secret\"]'? without brackets, '-' subtracts"
        ),
        (".a | map(.b", "unexpected '}', expected ')'; "), ("{a: \"b}", "the string is not closed; "),
        ("$ENV.HOME", "$ENV is not available in expressions: values come from the input, variables and secrets; "),
    ])
    func `an expression that cannot be read is said with what was probably meant`(
        expression: String, wanted: String
    ) throws {
        let found = try texts("- a:\n    set: { x: '${ \(expression) }' }")
        #expect(found.count == 1)
        #expect(found.first?.hasSuffix(" " + wanted) == true, "\(found)")
    }

    @Test func `mistakes of all kinds in one file are found together`() throws {
        let found = try texts(
            """
            - a: { call: htpp, with: {} }
            - b: { set: { x: '${ .a | }' }, then: nowhere }
            - c: { set: { x: 1 }, then: b }
            - d: { sett: { x: 1 } }
            - e: { do: [ { f: { set: { x: 1 }, then: a } } ] }
            """)
        #expect(found.count == 5, "\(found)")
        let wanted = [
            "there is no function 'htpp'; did you mean 'http'?", "unexpected", "there is no task 'nowhere'",
            "this is not a task that the standard defines; did you mean 'set'?", "the task 'a' is not in this list",
        ]
        for text in wanted { #expect(found.contains { $0.contains(text) }, "\(text): \(found)") }
        // The misspelt key itself is marked.
        let task = found.first { $0.contains("not a task") }
        #expect(task?.hasPrefix("6:10 ") == true, "\(task ?? "")")
    }

    @Test(arguments: [
        ("body: '<p>Hello</p>'", "", "html-as-text"), ("body: 'a<br/>b ${ .name }'", "", "html-as-text"),
        ("body: { content: '<b>x</b>' }", "", "html-as-text"),
        ("body: { contentType: html, content: '<b>x</b>' }", "", nil), ("body: 'if a < b > c'", "", nil),
        ("body: x", "{ name: a.pdf, content: report.pdf }", "name-as-content"),
        ("body: x", "{ name: a.txt, content: 'See you at 5.' }", nil),
        ("body: x", "{ name: a.txt, content: '${ .text }' }", nil),
    ])
    func `HTML as text and the name of a file as its content are warned of`(
        body: String, attachment: String, id: String?
    ) throws {
        let attachments = attachment.isEmpty ? "" : ", attachments: [\(attachment)]"
        let workflow = try Workflow(
            tasks: "- mail: { call: sendMail, with: { to: a@contoso.com, subject: s, \(body)\(attachments) } }")
        let found = workflow.validate()
        #expect(found.map(\.id) == (id.map { [$0] } ?? []), "\(found)")
        #expect(found.allSatisfy { $0.severity == .warning })
    }

    @Test func `a method that is misspelt is warned of, and one of the service's own is not`() throws {
        func findings(_ method: String) throws -> [String] {
            try Workflow(tasks: "- a: { call: http, with: { method: \(method), endpoint: 'https://a.com' } }")
                .validate().map { "\($0.severity) \($0.id) \($0.hint ?? "")" }
        }
        #expect(try findings("gett") == ["warning method did you mean 'get'?"])
        #expect(try findings("PURGE") == [])
    }

    @Test func `tasks may be nested in each other a hundred times and more, but not endlessly`() throws {
        func nested(_ count: Int) -> String {
            var text = ""
            var indent = ""
            for level in 0..<count {
                text += "\(indent)- t\(level):\n\(indent)    do:\n"
                indent += "    "
            }
            return text + "\(indent)- last:\n\(indent)    set: { a: 1 }\n"
        }
        #expect(try Workflow(tasks: nested(150)).validate().isEmpty)
        let error = #expect(throws: InvalidWorkflow.self) { try Workflow(tasks: nested(1_000)) }
        #expect(error?.diagnostics.map(\.message) == ["collections are nested more than 500 levels deep"])
    }
}
