import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Every kind of task, in a process that ends after each of its events and continues in another one.
@Suite(.serialized) struct ResumeTests {
    /// A few tasks, and the calls that their run records with a function that must be called once.
    struct Lesson: Sendable, CustomStringConvertible {
        var description: String
        var tasks: String
        var rest = ""
        /// Whether an effect can be running while the process ends after an event of another branch: then a user's
        /// statement that it did not happen may be wrong.
        var isParallel = false
    }

    static let lessons = [
        Lesson(
            description: "for with while, export and data",
            tasks: """
                - init: { set: { n: 0 }, export: { as: "${ { sum: 0 } }" } }
                - each:
                    for: { each: x, in: "${ [1, 2, 3, 4, 5] }", at: i }
                    while: ${ $context.sum < 6 }
                    do:
                      - note: { call: note, with: { what: '${ "each \\($x)" }' }, output: { as: $input } }
                      - add: { set: "${ { n: (.n + $x) } }", export: { as: "${ { sum: ($context.sum + $x) } }" } }
                - last: { call: note, with: { what: '${ "sum \\($context.sum)" }' }, output: { as: "${ [$input, $context] }" } }
                """),
        Lesson(
            description: "a loop of directives",
            tasks: """
                - start: { set: { i: 0 } }
                - step:
                    call: note
                    with: { what: '${ "step \\(.i)" }' }
                    output: { as: "${ $input + { i: ($input.i + 1) } }" }
                - again: { switch: [{ more: { when: "${ .i < 3 }", then: step } }, { done: { then: exit } }] }
                - never: { call: note, with: { what: never } }
                """),
        Lesson(
            description: "try with retries and catch",
            tasks: """
                - attempt:
                    try:
                      - count: { set: "${ . }", export: { as: "${ { tries: (($context.tries // 0) + 1) } }" } }
                      - note: { call: note, with: { what: '${ "attempt \\($context.tries)" }' } }
                      - refuse:
                          raise: { error: { type: https://contoso.com/no, status: 503, title: No } }
                    catch:
                      as: problem
                      retry: { delay: PT5S, limit: { attempt: { count: 2 } } }
                      do:
                        - regret: { call: note, with: { what: "${ $problem.title }" } }
                        - say: { set: "${ [$problem.status, $context.tries] }" }
                """),
        Lesson(
            description: "branches, waits and timeouts",
            tasks: """
                - both:
                    fork:
                      branches:
                        - one:
                            do:
                              - rest: { wait: { seconds: 1 } }
                              - note: { call: note, with: { what: one } }
                        - two:
                            do:
                              - rest: { wait: "${ { seconds: (1 + 1) } }" }
                              - note: { call: note, with: { what: two } }
                              - say: { set: { said: two } }
                - last: { call: note, with: { what: last }, output: { as: "${ $input }" } }
                """, isParallel: true),
        Lesson(
            description: "events that are emitted, listened to and read in rounds",
            tasks: """
                - first: { emit: { event: { with: { source: https://contoso.com, type: t, data: 1 } } } }
                - noise: { emit: { event: { with: { source: https://contoso.com, type: u, data: 0 } } } }
                - second: { emit: { event: { with: { source: https://contoso.com, type: t, data: 2 } } } }
                - third: { emit: { event: { with: { source: https://contoso.com, type: t, data: 3 } } } }
                - more: { emit: { event: { with: { source: https://contoso.com, type: u, data: 4 } } } }
                - one: { listen: { to: { one: { with: { type: t } } } } }
                - two:
                    listen:
                      to: { any: [{ with: { type: t } }], until: "${ length >= 2 }" }
                    foreach:
                      item: e
                      do:
                        - note: { call: note, with: { what: '${ "event \\($e)" }' } }
                        - heard: { listen: { to: { any: [] } } }
                      output: { as: "${ $e * 10 }" }
                      export: { as: "${ { last: $e } }" }
                - all: { set: "${ [., $context] }" }
                """),
        Lesson(
            description: "functions and extensions",
            tasks: """
                - hello: { call: greet, with: { name: Megan } }
                - bye: { call: greet, with: { name: Adele } }
                - all: { set: "${ . }" }
                """,
            rest: """
                use:
                  functions:
                    greet:
                      input: { from: "${ { who: .name } }" }
                      do:
                        - note: { call: note, with: { what: "${ .who }" }, output: { as: $input } }
                        - say: { set: '${ "Hello \\(.who)" }' }
                  extensions:
                    - watch:
                        extend: set
                        when: ${ . != null }
                        before: [{ before: { call: note, with: { what: before } } }]
                        after: [{ after: { call: note, with: { what: after } } }]
                """),
        Lesson(
            description: "an error that ends one task and is caught by another one, inside a for",
            tasks: """
                - each:
                    for: { each: x, in: "${ [0, 1, 2] }" }
                    do:
                      - careful:
                          try:
                            - note: { call: note, with: { what: '${ "try \\($x)" }' } }
                            - divide:
                                if: ${ $x == 1 }
                                raise: { error: { type: https://contoso.com/zero, status: 400 } }
                          catch:
                            errors: { with: { status: 400 } }
                            do: [{ note: { call: note, with: { what: caught } } }]
                """),
    ]

    private func runner(_ notes: Locked<[String]>, in process: CrashingRun) -> Runner {
        Runner.testing { catalog in
            catalog.register("note", effect: .once) { input, _ in
                guard !process.isDead else { return .never }
                notes.withLock { $0.append(input["what"]?.string ?? "") }
                return .value(["noted": input["what"] ?? .null])
            }
        }
    }

    @Test(.timeLimit(.minutes(60)), arguments: lessons)
    func `goes on behind any event and does nothing twice`(lesson: Lesson) async throws {
        try await expectTheSame(
            of: try Workflow(tasks: lesson.tasks, rest: lesson.rest), isParallel: lesson.isParallel)
    }

    /// Ends a run after each of its events, and expects the same output and effects when it is resumed.
    private func expectTheSame(of workflow: Workflow, isParallel: Bool) async throws {
        let (whole, wanted) = (CrashingRun(), Locked<[String]>([]))
        let output = try await whole.run(workflow, input: [:], by: runner(wanted, in: whole), blobs: BlobStore())
        #expect(!wanted.withLock { $0.isEmpty })
        for count in 1..<whole.events.count {
            let notes = Locked<[String]>([])
            let first = CrashingRun(endingAfter: count)
            let early = try await first.run(workflow, input: [:], by: runner(notes, in: first), blobs: BlobStore())
            // In another order of branches there may be fewer events.
            guard early == nil else { continue }
            let second = CrashingRun(events: first.events)
            let resumed = try await second.resume(
                workflow, input: [:], by: runner(notes, in: second), blobs: BlobStore(), assuming: .notSent)
            let last = first.events.last
            let place = "behind event \(count), \(last?.type ?? "") \(last?.task?.description ?? "")"
            #expect(resumed == output, "\(place)")
            expect(notes, toBe: wanted, isParallel: isParallel, place)
        }
    }

    @Test(.timeLimit(.minutes(60)), arguments: [true, false])
    func `runs inside of a run go on, whether or not a task waits for them`(isAwaited: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("inner-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let inner = """
            document: { dsl: 1.0.3, namespace: tests, name: inner, version: 1.0.0 }
            do:
              - one: { call: note, with: { what: '${ "inner one \\(.x)" }' }, output: { as: $input } }
              - rest: { wait: PT1S }
              - two: { call: note, with: { what: '${ "inner two \\(.x)" }' }, output: { as: '${ [$workflow.id | length] }' } }
            """
        try Data(inner.utf8).write(to: folder.appendingPathComponent("inner.yaml"))
        let run =
            "run: { workflow: { namespace: tests, name: inner, version: 1.0.0, input: { x: '${ $x }' } }, await: \(isAwaited) }"
        try await expectTheSame(
            of: Workflow(
                tasks: """
                    - each: { for: { each: x, in: "${ [1, 2] }" }, do: [{ leave: { \(run) } }] }
                    - last: { call: note, with: { what: last }, output: { as: $input } }
                    """, folder: folder), isParallel: !isAwaited)
    }

    @Test(.timeLimit(.minutes(60)), arguments: [1, 3], [false, true])
    func `the items of a list go on, of which one has failed`(concurrency: Int, isInline: Bool) async throws {
        let folder = try TemporaryFolder()
        let inner = """
            do:
              - one: { call: note, with: { what: '${ "one \\(.x)" }' }, output: { as: $input } }
              - refuse: { if: '${ .x == 2 }', raise: { error: { type: 'https://a.com/no', status: 400 } } }
              - rest: { wait: PT1S }
              - two: { call: note, with: { what: '${ "two \\(.x)" }' }, output: { as: '${ [$input.x] }' } }
            """
        try folder.write(
            "inner.yaml", "document: { dsl: 1.0.3, namespace: tests, name: inner, version: 1.0.0 }\n" + inner)
        let body =
            isInline
            ? inner
            : "workflow: { namespace: tests, name: inner, version: 1.0.0 }"
        try await expectTheSame(
            of: Workflow(
                tasks: """
                    - each:
                        call: forEach
                        with:
                          in: '${ [range(1; 5) | { x: . }] }'
                          \(body.replacingOccurrences(of: "\n", with: "\n      "))
                          concurrency: \(concurrency)
                          onFailure: continue
                    - last: { call: note, with: { what: last }, output: { as: $input } }
                    """, folder: folder.url), isParallel: concurrency > 1)
    }

    @Test(.timeLimit(.minutes(60)), arguments: lessons)
    func `goes on however often its process ends`(lesson: Lesson) async throws {
        let workflow = try Workflow(tasks: lesson.tasks, rest: lesson.rest)
        let (whole, wanted) = (CrashingRun(), Locked<[String]>([]))
        let output = try await whole.run(workflow, input: [:], by: runner(wanted, in: whole), blobs: BlobStore())
        let notes = Locked<[String]>([])
        var events: [Event] = []
        var result: Value?
        var processes = 0
        repeat {
            processes += 1
            try #require(processes < 500)
            let process = CrashingRun(endingAfter: events.count + 5, events: events)
            let runner = runner(notes, in: process)
            result =
                if events.isEmpty {
                    try await process.run(workflow, input: [:], by: runner, blobs: BlobStore())
                } else {
                    try await process.resume(
                        workflow, input: [:], by: runner, blobs: BlobStore(), assuming: .notSent)
                }
            events = process.events
        } while result == nil
        #expect(result == output)
        expect(notes, toBe: wanted, isParallel: lesson.isParallel, "in \(processes) processes")
    }

    private func expect(_ notes: Locked<[String]>, toBe wanted: Locked<[String]>, isParallel: Bool, _ place: String) {
        let (notes, wanted) = (notes.withLock { $0.sorted() }, wanted.withLock { $0.sorted() })
        if isParallel { #expect(Set(notes) == Set(wanted), "\(place)") } else { #expect(notes == wanted, "\(place)") }
    }
}
