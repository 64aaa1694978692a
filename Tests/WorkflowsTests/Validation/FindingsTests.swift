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
}
