import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// What the standard's text and schema say since version 1.0.3, beside what they said before.
@Suite struct WordingTests {
    private func run(_ tasks: String, input: Value = [:]) async throws -> Value {
        try await Runner.testing().run(Workflow(tasks: tasks), input: input).value
    }

    private func findings(_ tasks: String, rest: String = "") -> [String] {
        do {
            let workflow = try Workflow(tasks: tasks, rest: rest)
            return workflow.validate().map(\.message)
        } catch let error as InvalidWorkflow {
            return error.diagnostics.map(\.message)
        } catch {
            return ["\(error)"]
        }
    }

    // MARK: Errors

    private static let prefixes = [
        "https://serverlessworkflow.io/spec/1.0.0/errors/", "https://serverlessworkflow.io/dsl/errors/types/",
        "https://open-workflow-specification.org/spec/1.0.0/errors/",
        "https://open-workflow-specification.org/dsl/errors/types/",
    ]

    @Test(arguments: prefixes, prefixes)
    func `a type of the standard is the same under every prefix that it has had`(
        raised: String, caught: String
    ) async throws {
        let output = try await run(
            """
            - a:
                try: [ { b: { raise: { error: { type: '\(raised)timeout', status: 408 } } } } ]
                catch:
                  errors: { with: { type: '\(caught)timeout' } }
                  do: [ { c: { set: { type: '${ $error.type }' } } } ]
            """)
        #expect(output == ["type": .string(raised + "timeout")])
    }

    @Test func `other types are compared as they are`() async throws {
        let tasks = """
            - a:
                try: [ { b: { raise: { error: { type: '\(Self.prefixes[0])mine', status: 400 } } } } ]
                catch: { errors: { with: { type: '\(Self.prefixes[2])mine' } }, do: [] }
            """
        await #expect(throws: WorkflowError.self) { try await run(tasks) }
    }

    @Test func `what is raised has the type that it always had`() async throws {
        let error = await #expect(throws: WorkflowError.self) { try await run("- a: { set: '${ error(1) }' }") }
        #expect(error?.type == "https://serverlessworkflow.io/spec/1.0.0/errors/expression")
    }

    @Test(arguments: ["detail", "details"])
    func `[error filter] detail and details are the error's detail`(name: String) async throws {
        let tasks = """
            - a:
                try: [ { b: { raise: { error: { type: 'https://a.example', status: 400, detail: late } } } } ]
                catch: { errors: { with: { \(name): late } }, do: [ { c: { set: { caught: true } } } ] }
            """
        #expect(try await run(tasks) == ["caught": true])
        await #expect(throws: WorkflowError.self) {
            try await run(tasks.replacing("with: { \(name): late }", with: "with: { \(name): early }"))
        }
    }

    // MARK: catch.then

    private static func caught(_ handler: String, fails: Bool = true) -> String {
        """
        - a:
            try: [ { b: { if: '\(fails)', raise: { error: { type: 'https://a.example', status: 400 } } } } ]
            catch: { \(handler) }
            then: regular
        - regular: { set: { way: regular }, then: end }
        - special: { set: '${ . + { way: "special" } }' }
        """
    }

    @Test(
        arguments: [
            ("then: special", ["in": 1, "way": "special"]),
            ("do: [ { c: { set: { done: 1 } } } ], then: special", ["done": 1, "way": "special"]),
            ("retry: { limit: { attempt: { count: 1 } } }, then: special", ["in": 1, "way": "special"]),
            ("do: [ { c: { set: { done: 1 } } } ]", ["way": "regular"]),
            ("do: [ { c: { set: { done: 1 } } } ], then: end", ["done": 1]),
            ("do: [ { c: { set: { done: 1 }, then: end } } ], then: special", ["done": 1]),
            ("do: [ { c: { set: { done: 1 }, then: exit } } ], then: special", ["done": 1, "way": "special"]),
        ] as [(String, Value)])
    func `[catch] then: the flow directive after the error has been caught, and after any do tasks`(
        handler: String, expected: Value
    ) async throws {
        #expect(findings(Self.caught(handler)).filter { !$0.contains("never reached") } == [])
        #expect(try await run(Self.caught(handler), input: ["in": 1]) == expected)
        #expect(try await run(Self.caught(handler, fails: false), input: ["in": 1]) == ["way": "regular"])
    }

    @Test func `[catch] then: leads to a task of the list, and is planned as a way of its own`() async throws {
        #expect(findings(Self.caught("then: specail")).contains("there is no task 'specail'"))
        let tasks = """
            - a:
                try: [ { b: { call: http, with: { method: get, endpoint: 'https://a.example' } } } ]
                catch: { then: special }
                then: end
            - regular: { call: http, with: { method: get, endpoint: 'https://regular.example' } }
            - special: { call: http, with: { method: get, endpoint: 'https://special.example' } }
            """
        let plan = try await Runner.testing().plan(Workflow(tasks: tasks), input: [:]).value
        let requests = plan.requests.map(\.request.url.absoluteString)
        #expect(requests == ["https://a.example", "https://special.example"])
    }

    // MARK: Loops and events

    @Test func `[for] in: a runtime expression or an inline array`() async throws {
        let output = try await run(
            """
            - a:
                for: { each: pet, in: [ { name: Milou }, { name: '${ .name }' } ], at: place }
                do: [ { b: { set: '${ .names += [$pet.name] }' } } ]
            """, input: ["name": "Rex"])
        #expect(output == ["name": "Rex", "names": ["Milou", "Rex"]])
        #expect(
            findings("- a: { for: { in: [1] }, do: [] }")
                == ["an element of 'in' must be an object, but this is a number"])
        #expect(findings("- a: { for: { in: [ { b: '${ $unknown }' } ] }, do: [] }").count == 1)
    }

    @Test func `[emit] source: if not provided, it is made of the workflow's identity`() async throws {
        let event = try await run("- a: { emit: { event: { with: { type: t } } } }")
        #expect(event["source"] == "urn:graphflow:workflow:tests:test:1.0.0")
        let other = try await run("- a: { emit: { event: { with: { type: t, source: /orders } } } }")
        #expect(other["source"] == "/orders")
        #expect(findings("- a: { emit: { event: { with: { source: 'a b' } } } }").count == 2)
    }

    @Test func `[schedule] read belongs to on`() {
        let rest = "schedule: { every: PT1M, read: data }"
        #expect(findings("- a: { set: { b: 1 } }", rest: rest) == ["'read' belongs to 'on', not to 'every'"])
    }

    @Test func `[evaluate] language and mode can be left out`() {
        for members in ["{}", "{ language: jq }", "{ mode: loose }"] {
            #expect(findings("- a: { set: { b: 1 } }", rest: "evaluate: \(members)") == [])
        }
    }

    @Test(arguments: [
        (
            "{ type: t, data: 1 }",
            "an event that is emitted needs the property 'source' in version 1.0.3 of the standard"
        ),
        ("{ source: https://contoso.com/ä }", "an event that is emitted needs the property 'type'"),
    ])
    func `[emit] what an event lacks by the schema is found at the event`(with: String, message: String) throws {
        let found: [Diagnostic]
        do {
            found = try Workflow(tasks: "- a: { emit: { event: { with: \(with) } } }").validate()
        } catch let error as InvalidWorkflow {
            found = error.diagnostics
        }
        #expect(found.map(\.message) == [message])
        let (line, place) = (try #require(found.first?.sourceLine), try #require(found.first?.range?.start))
        #expect(line.dropFirst(place.column - 1).hasPrefix("{ with:"))
    }
}
