import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowModel
@testable import Workflows

/// What data are said to be at the tasks of a workflow, and what they are in its run.
@Suite struct TypeFlowTests {
    private static let ids: Set<String> = [
        "unknown-data", "last-round", "unwritten-context", "foreign-template", "assigned-condition", "null-data",
    ]

    private static func runner(_ log: EventLog? = nil) -> Runner {
        let clock = SkippingClock()
        let graph = GraphClient(
            credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL, transport: Sandbox().transport,
            clock: clock)
        return Runner(graph: graph, clock: clock, recorders: log.map { [$0.recorder] } ?? [])
    }

    private static func types(_ tasks: String, rest: String = "") throws -> [String: TypeFlow.Place] {
        let flow = TypeFlow(try Workflow(tasks: tasks, rest: rest), with: Catalog.default)
        return Dictionary(flow.places.map { ($0.name, $0) }) { $1 }
    }

    private static func findings(_ tasks: String, rest: String = "") throws -> [String] {
        try Workflow(tasks: tasks, rest: rest).validate(with: Catalog.default).filter { ids.contains($0.id) }.map {
            finding in
            "\(finding.severity) \(finding.id): \(finding.message)" + (finding.hint.map { " (\($0))" } ?? "")
        }
    }

    @Test func `types follow the data from the input through outputs, exports and loops`() throws {
        let places = try Self.types(
            """
            - who: { call: users, with: { search: x }, export: { as: '${ $context + { people: . } }' } }
            - each:
                for: { each: person, in: '${ . }' }
                do: [{ one: { set: { name: '${ $person.displayName }', nr: '${ $index }', to: '${ $context.to }' } } }]
            - last: { set: { text: 'for ${ .name }', all: '${ $context.people }' }, output: { as: '${ .text }' } }
            """,
            rest:
                "input: { schema: { document: { type: object, required: [to], properties: { to: { type: string } } } } }"
        )
        #expect(places["who"]?.input.words == "{ to: text, … }")
        #expect(places["who"]?.output.words == "[ { id: text, displayName: text, email: text, … } ]")
        #expect(
            places["who"]?.context.words
                == "{ to: text, people: [ { id: text, displayName: text, email: text, … } ], … }")
        #expect(places["one"]?.output.words == "{ name: text, nr: number, to: text }")
        #expect(places["last"]?.output.words == "text")
    }

    @Test(arguments: [
        (
            "- a: { call: photo }\n- b: { set: { x: '${ .sise }' } }",
            ["error unknown-data: photo returns no 'sise' (did you mean 'size'?)"]
        ),
        (
            "- a: { call: photo }\n- b: { if: '${ .sise }', set: { x: 1 } }",
            ["warning unknown-data: photo returns no 'sise' (did you mean 'size'?)"]
        ),
        (
            "- a: { call: createLink, with: { itemId: '1' } }\n- b: { set: { x: '${ .link.weburl }' } }",
            ["warning unknown-data: createLink is not known to return 'weburl' (did you mean 'webUrl'?)"]
        ),
        (
            "- a: { call: createLink, with: { itemId: '1' } }\n- b: { set: { x: '${ .weburl? } ${ .weburl // 1 } ${ .other }' } }",
            []
        ),
        (
            "- a: { call: users }\n- b: { set: { x: '${ map(.displayname) }' } }",
            ["warning unknown-data: users is not known to return 'displayname' (did you mean 'displayName'?)"]
        ),
        (
            "- a: { set: { x: 1 } }\n- b: { if: '${ .x == 2 }', set: { y: 1 } }\n- c: { set: { z: '${ .y } ${ .z }' } }",
            ["warning unknown-data: there is no 'z' in this data (there is 'y' and 'x')"]
        ),
        (
            "- a: { set: { x: 1 }, then: c }\n- b: { set: { y: 1 } }\n- c: { set: { z: '${ .q }' } }",
            ["warning unknown-data: 'a' returns no 'q' (there is 'x')"]
        ),
        (
            "- a: { switch: [{ x: { when: .n, then: c } }] }\n- b: { set: { y: 1 }, then: a }\n- c: { set: { z: '${ .q }' } }",
            []
        ),
        ("- a: { set: { z: '${ $task.nam }' } }", ["warning unknown-data: $task has no 'nam' (did you mean 'name'?)"]),
        (
            "- a: { for: { each: i, in: '${ [1] }' }, do: [{ b: { set: { y: '${ $i }' } } }] }\n- c: { set: { z: '${ map(.y) }' } }",
            [
                "warning last-round: after the loop 'a', '.' is the result of the last round, not a list of all results (collect them in the loop: export: { as: '$context + { all: (($context.all // []) + [.]) }' })"
            ]
        ),
        (
            "- a: { for: { each: i, in: '${ [1] }' }, do: [{ b: { set: '${ [$i] }' } }] }\n- c: { set: { z: '${ map(. + 1) }' } }",
            []
        ),
    ])
    func `what is read that is not there`(tasks: String, found: [String]) throws {
        let all = try Self.findings(tasks)
        #expect(all == found)
    }

    @Test func `nothing is said of what comes after an error`() throws {
        let rest =
            "input: { schema: { document: { type: object, additionalProperties: false, properties: { to: {} } } } }"
        let raised = "- a: { raise: { error: { type: https://contoso.com/x, status: 400 } } }"
        #expect(try Self.findings("\(raised)\n- b: { set: { x: '${ .users }' } }", rest: rest) == [])
    }

    @Test(
        arguments: [
            ("to: '${ .desk }', subject: Hi, body: x", ["this can be null: 'desk' may be missing in the input"]),
            (
                "to: a@b.de, subject: 'For ${ .desk }', body: x",
                ["this can be null: 'desk' may be missing in the input"]
            ),
            (
                "to: a@b.de, subject: '${ \"For \\(.desk)\" }', body: x",
                ["this can be null: 'desk' may be missing in the input"]
            ),
            ("to: a@b.de, subject: x, body: '${ .boss }'", ["this can be null: 'boss' of the input can be null"]),
            (
                "to: '${ .people[0].mail }', subject: x, body: x",
                ["this can be null: the list of the input can be empty"]
            ),
            (
                "to: '${ .people | first | .mail }', subject: x, body: x",
                ["this can be null: the list of the input can be empty"]
            ),
            (
                "to: '${ .people | map(.phone) | .[0] }', subject: 'x ${ .people[1:] | length }', body: x", []
            ),
            ("to: '${ .people | map(select(.phone)) | map(\"x\\(.phone)\") }', subject: x, body: x", []),
            ("to: '${ .people | map(select(has(\"phone\"))) | map(\"x\\(.phone)\") }', subject: x, body: x", []),
            (
                "to: '${ .people | map(\"x\\(.phone)\") }', subject: x, body: x",
                ["this can be null: 'phone' may be missing in the input"]
            ),
            ("to: '${ .desk // \"a@b.de\" }', subject: x, body: x", []),
            ("to: '${ if .desk then \"d\\(.desk)\" else \"a@b.de\" end }', subject: 'x ${ .who }', body: x", []),
            ("to: '${ .desk // error(\"no\") }', subject: x, body: x", []),
            ("to: '${ .any }', subject: x, body: x", []),
            ("to: a@b.de, cc: '${ .desk }', subject: x, body: x", []),
        ] as [(String, [String])])
    func `what can be null is found where a text or an argument is made of it`(with: String, found: [String]) throws {
        let rest = """
            input:
              schema:
                document:
                  type: object
                  required: [boss, people]
                  properties:
                    desk: { type: string }
                    who: { type: string, default: you }
                    boss: { type: [string, 'null'] }
                    any: {}
                    people:
                      type: array
                      items: { type: object, required: [mail], properties: { mail: { type: string }, phone: { type: string } } }
            """
        func findings(_ task: String) throws -> [String] {
            try Workflow(tasks: task, rest: rest).validate(with: Catalog.default).filter { $0.id == "null-data" }
                .map(\.message)
        }
        #expect(try findings("- mail: { call: sendMail, with: { \(with) } }") == found)
        // Who has looked, knows.
        let checked = "- mail: { if: '${ .desk and .boss and .people[0] }', call: sendMail, with: { \(with) } }"
        #expect(try findings(checked).allSatisfy { $0.contains("'phone'") || $0.contains("list") })
        #expect(try findings("- mail: { set: { \(with) } }") == [])
    }

    @Test func `an input that has no other members is checked`() throws {
        let rest =
            "input: { schema: { document: { type: object, additionalProperties: false, properties: { to: {} } } } }"
        #expect(
            try Self.findings("- a: { set: { x: '${ .too }', y: '${ $input.to }' } }", rest: rest)
                == ["error unknown-data: the input has no 'too' (did you mean 'to'?)"])
    }

    @Test func `what the hint about loops says collects their results`() async throws {
        let workflow = try Workflow(
            tasks: """
                - each:
                    for: { each: n, in: '${ [1, 2, 3] }' }
                    do:
                      - one:
                          set: { double: '${ $n * 2 }' }
                          export: { as: '$context + { all: (($context.all // []) + [.]) }' }
                - sum: { set: { sum: '${ $context.all | map(.double) | add }' } }
                """)
        #expect(workflow.validate(with: Catalog.default).isEmpty)
        let output = try await Self.runner().run(workflow).value
        #expect(output == ["sum": 12])
    }

    @Test(arguments: SampleWorkflow.all)
    func `a sample has no finding`(sample: SampleWorkflow) throws {
        let findings = try sample.workflow.validate(with: Catalog.default).filter { Self.ids.contains($0.id) }
        #expect(findings.isEmpty, "\(findings.map { $0.text() })")
    }

    /// Without those that run programs that a test has not, race, or take the clock's time.
    private static let samples = SampleWorkflow.all.filter {
        !["run-container.yaml", "race.yaml", "errors.yaml"].contains($0.name)
    }

    @Test(arguments: samples)
    func `nothing is excluded that happens in a sample`(sample: SampleWorkflow) async throws {
        try await Self.compare(sample.workflow, sample.input, sample.name)
    }

    @Test(arguments: 0..<Extent.of(80, or: 8) as Range<UInt64>)
    func `nothing is excluded that happens in a run`(part: UInt64) async throws {
        for seed in part * 25..<(part + 1) * 25 {
            var generator = WorkflowGenerator(seed: seed)
            let text = generator.workflow()
            let workflow = try Workflow(text: text)
            try await Self.compare(workflow, generator.input(), "\(seed): \(text)")
            // What is generated reads what there is.
            let findings = workflow.validate(with: Catalog.default).filter {
                ["unknown-data", "last-round", "null-data"].contains($0.id)
            }
            #expect(findings.isEmpty, "\(seed): \(findings.map { $0.text() })\n\(text)")
        }
    }

    /// Runs a workflow, and compares the inputs and outputs of its tasks with the types that were found before.
    private static func compare(_ workflow: Workflow, _ input: Value, _ comment: String) async throws {
        let places = TypeFlow(workflow, with: Catalog.default).places
        let types = Dictionary(places.map { ($0.task, $0) }) { one, _ in one }
        let log = EventLog()
        _ = try? await runner(log).run(workflow, input: input).value
        for event in log.events where event.parent == nil {
            guard let task = event.task, let place = types[task] else { continue }
            func check(_ type: DataType, _ value: Value, _ what: String) {
                #expect(type.accepts(value), "\(task), \(what): \(value.json()) is not \(type.words): \(comment)")
            }
            switch event.kind {
            case .taskStarted(_, let input?): check(place.input, input, "input")
            case .taskCompleted(_, let output, let context, _):
                check(place.output, output, "output")
                if let context { check(place.context, context, "context") }
            default: break
            }
        }
    }
}
