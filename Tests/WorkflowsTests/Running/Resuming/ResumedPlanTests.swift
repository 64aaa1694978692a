import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// The plan of how a run continues agrees with the run that continues: its requests are a path through the plan.
@Suite(.serialized) struct ResumedPlanTests {
    /// How many workflows one test writes.
    private static let batch: UInt64 = 25

    private static func runner(_ transport: any HTTPTransport, after delay: TimeInterval = 0) -> Runner {
        let clock = SkippingClock()
        var graph = GraphClient(
            credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL, transport: transport, clock: clock)
        graph.gate = RequestGate()
        var runner = Runner(graph: graph, clock: clock)
        runner.random = { 0.5 }
        runner.now = { Date(timeIntervalSince1970: 1_750_000_000 + delay) }
        return runner
    }

    @Test(.timeLimit(.minutes(60)), arguments: 0..<Extent.of(24, or: 1) as Range<UInt64>)
    func `the requests of a resumed run are those of its plan`(batch: UInt64) async throws {
        var requests = 0
        for seed in batch * Self.batch..<(batch + 1) * Self.batch {
            var generator = WorkflowGenerator(seed: seed)
            let text = generator.workflow()
            let workflow = try Workflow(text: text, folder: SampleWorkflow.folder)
            requests += try await Self.compare(workflow, generator.input(), cuts: 4, seed, "seed \(seed): \(text)")
        }
        #expect(requests > 50)
    }

    /// Without those that run programs, race, or send requests in any order.
    private static let samples = SampleWorkflow.all.filter { sample in
        ![
            "run-shell.yaml", "run-script.yaml", "run-container.yaml", "run-workflow.yaml", "errors.yaml", "race.yaml",
            "for-each-item.yaml", "new-colleagues.yaml",
        ].contains(sample.name)
    }

    @Test(.timeLimit(.minutes(60)), arguments: samples)
    func `the requests of a resumed sample are those of its plan`(sample: SampleWorkflow) async throws {
        _ = try await Self.compare(
            sample.workflow, sample.input, cuts: Extent.of(40, or: 4), 1, sample.description)
    }

    /// Answers every request with the same object.
    private struct Service: HTTPTransport {
        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
            .value(
                HTTPResponse(
                    status: 200, headers: ["Content-Type": "application/json"], body: Data("{\"noted\":true}".utf8)))
        }
    }

    private static let lessons =
        ResumeTests.lessons + [
            ResumeTests.Lesson(
                description: "what another attempt repeats",
                tasks: """
                    - careful:
                        try:
                          - one: { call: note, with: { what: one } }
                          - inner:
                              try: [{ two: { call: note, with: { what: two } } }, { rest: { wait: PT1S } }]
                              catch: { retry: { delay: PT1S, limit: { attempt: { count: 1 } } } }
                          - three: { call: note, with: { what: '${ "\\($context.n)" }' } }
                          - refuse: { if: "${ $context.n == null }", raise: { error: { type: https://a.com/no, status: 500 } } }
                        catch: { retry: { delay: PT1S, limit: { attempt: { count: 1 } } }, do: [{ end: { call: note, with: { what: end } } }] }
                    - last: { call: note, with: { what: last } }
                    """),
            ResumeTests.Lesson(
                description: "a race that one branch wins",
                tasks: """
                    - race:
                        fork:
                          compete: true
                          branches:
                            - slow: { do: [{ rest: { wait: PT1H } }, { note: { call: note, with: { what: slow } } }] }
                            - fast: { do: [{ note: { call: note, with: { what: fast } } }, { say: { set: { who: fast } } }] }
                    - last: { call: note, with: { what: "${ .who }" } }
                    """),
            ResumeTests.Lesson(
                description: "jumps back from a list inside a loop",
                tasks: """
                    - each:
                        for: { each: x, in: "${ [1, 2] }" }
                        do:
                          - count: { set: "${ { n: 0 } }" }
                          - note: { call: note, with: { what: '${ "\\($x) \\(.n)" }' }, output: { as: "${ { n: ($input.n + 1) } }" } }
                          - again: { switch: [{ more: { when: "${ .n < 2 }", then: note } }, { done: { then: continue } }] }
                    """),
            ResumeTests.Lesson(
                description: "the items of a list",
                tasks: """
                    - all:
                        call: forEach
                        with: { in: "${ [{ x: 1 }, { x: 2 }, { x: 3 }] }", key: .x, workflow: { namespace: tests, name: inner, version: 1.0.0 } }
                    - last: { call: note, with: { what: "${ .completed | length | tostring }" } }
                    """),
            ResumeTests.Lesson(
                description: "the items of a list, of which one fails",
                tasks: """
                    - all:
                        call: forEach
                        with:
                          in: "${ [{ x: 1 }, { x: 2 }, { x: 3 }] }"
                          onFailure: continue
                          do:
                            - one: { call: note, with: { what: '${ "one \\(.x)" }' } }
                            - no: { if: '${ $workflow.input.x == 2 }', raise: { error: { type: https://a.com/no, status: 400, title: No } } }
                    - last: { call: note, with: { what: last }, output: { as: $input } }
                    """),
            ResumeTests.Lesson(
                description: "a workflow inside",
                tasks: """
                    - one: { run: { workflow: { namespace: tests, name: inner, version: 1.0.0, input: { x: 1 } } } }
                    - last: { call: note, with: { what: last } }
                    """),
        ]

    @Test(.timeLimit(.minutes(60)), arguments: lessons)
    func `what is left of each kind of task is planned`(lesson: ResumeTests.Lesson) async throws {
        func requests(_ tasks: String) -> String {
            tasks.replacingOccurrences(of: "call: note", with: "call: http").replacingOccurrences(
                of: #"with: \{ what: ('[^']*'|"[^"]*"|\w+) \}"#,
                with: "with: { method: post, endpoint: https://api.contoso.com/notes, body: { what: $1 } }",
                options: .regularExpression)
        }
        let folder = try TemporaryFolder()
        try folder.write(
            "inner.yaml",
            requests(
                """
                document: { dsl: 1.0.3, namespace: tests, name: inner, version: 1.0.0 }
                do:
                  - one: { call: note, with: { what: '${ "one \\(.x)" }' }, output: { as: $input } }
                  - rest: { wait: PT1S }
                  - two: { call: note, with: { what: '${ "two \\(.x)" }' } }
                """))
        let workflow = try Workflow(
            tasks: requests(lesson.tasks), rest: requests(lesson.rest), folder: folder.url)
        let count = try await Self.compare(
            workflow, [:], cuts: Extent.of(.max, or: 12), 1, lesson.description, over: { Service() })
        #expect(count > 0)
    }

    @Test func `where only a run knows how often tasks are repeated, a plan of the rest says so`() async throws {
        let workflow = try Workflow(
            tasks: """
                - ask: { call: http, with: { method: get, endpoint: https://api.contoso.com/notes } }
                - tell: { call: http, with: { method: post, endpoint: https://api.contoso.com/notes, body: { } } }
                - again: { switch: [{ more: { when: "${ .noted == false }", then: ask } }, { done: { then: end } }] }
                """)
        func plan(after events: [Event]) async throws -> Plan {
            try await Self.runner(Service()).plan(
                resuming: workflow, CrashingRun.identity, input: [:], from: events, blobs: BlobStore(),
                Event.Resumption(), assuming: .notSent, mode: .dry
            ).value
        }
        let run = CrashingRun(endingWith: { $0.task?.tokens.last == "ask" && $0.type.hasSuffix("task.completed.v1") })
        _ = try? await run.run(workflow, input: [:], by: Self.runner(Service()), blobs: BlobStore())
        #expect(try await plan(after: Array(run.events.prefix(1))).isComplete)
        #expect(try await plan(after: run.events).gaps.contains { $0.contains("counts as a whole one") })
    }

    /// Ends a run behind some of its events, plans the rest, continues it, and compares.
    /// - Returns: How many requests the continued runs sent.
    private static func compare(
        _ workflow: Workflow, _ input: Value, cuts: Int, _ seed: UInt64, _ comment: String,
        over service: () -> any HTTPTransport = {
            Sandbox(now: { Date(timeIntervalSince1970: 1_750_000_000) }).transport
        }
    ) async throws -> Int {
        let whole = CrashingRun()
        let isFaulted =
            (try? await whole.run(workflow, input: input, by: runner(service()), blobs: BlobStore())) == nil
        var random = SeededGenerator(seed: seed)
        let count = whole.events.count
        var places =
            cuts < count ? Set((0..<cuts).map { _ in Int.random(in: 1..<count, using: &random) }) : Set(1..<count)
        if isFaulted { places.insert(count) }
        var requests = 0
        for place in places.sorted() {
            let (service, blobs) = (service(), BlobStore())
            let first = CrashingRun(endingAfter: place)
            _ = try? await first.run(workflow, input: input, by: runner(service), blobs: blobs)
            guard first.isDead || place == count, let last = first.events.last else { continue }
            let comment = "behind event \(place), \(last.type) of \(last.task?.description ?? "the run"), of \(comment)"
            let plan: Plan?
            var failure: (any Error)?
            do {
                plan = try await runner(service, after: 61).plan(
                    resuming: workflow, CrashingRun.identity, input: input, from: first.events, blobs: blobs,
                    Event.Resumption(), assuming: .notSent, mode: .dry
                ).value
            } catch { (plan, failure) = (nil, error) }
            let transport = RecordingTransport(service)
            let output = try? await CrashingRun(events: first.events).resume(
                workflow, input: input, by: runner(transport, after: 61), blobs: blobs, assuming: .notSent)
            guard let plan else {
                // A certain failure occurs in the plan as well.
                #expect(output == nil, "\(failure.map { "\($0)" } ?? "") in the plan \(comment)")
                continue
            }
            let matcher = PlanMatcher(transport.records)
            let sent = transport.records.map { "\($0.request.method) \($0.request.url)" }
            let planned = plan.allTasks.flatMap { task in
                task.steps.requests.map { "\(task.name): \($0.request.method) \($0.address)" }
            }
            // A run may perform items in any order.
            let isMatch =
                workflow.allTasks.contains { $0.definition["call"]?.string == Workflow.Call.forEach }
                ? bodies(of: plan) == transport.records.compactMap(\.request.body).map(text).sorted()
                : matcher.matches(plan, failed: output == nil)
            #expect(
                isMatch,
                """
                \(comment)
                sent: \(sent.joined(separator: "\n"))
                planned: \(planned.joined(separator: "\n"))
                but at \(matcher.furthest): \(matcher.expected)
                """)
            if isMatch, let output {
                #expect(plan.markedOutput.covers(output), "\(comment)\n\(plan.output)\n\(output)")
            }
            requests += transport.records.count
        }
        return requests
    }

    private static func bodies(of plan: Plan) -> [String] {
        plan.allTasks.flatMap(\.steps.requests).compactMap(\.request.body).map(text).sorted()
    }

    private static func text(_ body: Data) -> String { String(decoding: body, as: UTF8.self) }
}
