import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Runs that ended with an error or were cancelled, and go on.
@Suite(.serialized) struct FaultedRunTests {
    /// A function that must be called once, and that refuses some calls until it is mended.
    final class Notes: Sendable {
        private let state = Locked((made: [String](), refused: Set<Int>(), count: 0))

        var made: [String] { state.withLock { $0.made } }

        /// Refuses only the calls with these numbers, counted from 0.
        func refuse(_ calls: Set<Int>) { state.withLock { ($0.refused, $0.count) = (calls, 0) } }

        func register(_ catalog: inout Catalog) { register(&catalog, in: nil) }

        /// - Parameter process: The process that makes the calls; nil for one that does not end.
        func register(_ catalog: inout Catalog, in process: CrashingRun?) {
            catalog.register("note", effect: .once) { input, _ in
                guard process?.isDead != true else { return .never }
                try self.state.withLock { state in
                    defer { state.count += 1 }
                    guard !state.refused.contains(state.count) else {
                        throw WorkflowError(.communication, status: 400, detail: "refused")
                    }
                    state.made.append(input["what"]?.string ?? "")
                }
                return .value(["noted": input["what"] ?? .null])
            }
        }
    }

    /// Runs until the end, and resumes until the run completes; the file can be mended in between.
    /// - Returns: The output, and the events so far.
    @discardableResult private func outcome(
        of tasks: String, mended: String? = nil, rest: String = "", notes: Notes, refusing: Set<Int> = [],
        folder: URL? = nil, after delay: TimeInterval = 60, from place: Event.Parent? = nil,
        assuming: Runner.Assumption? = nil, clock: any PromiseClock = SkippingClock(),
        resumedOn later: (any PromiseClock)? = nil,
        prepare: ([Event]) -> [Event] = { $0 }
    ) async throws -> (output: Value?, events: [Event]) {
        let start = Date(timeIntervalSince1970: 1_750_000_000)
        var runner = Runner.testing(clock: clock, register: notes.register)
        runner.now = { start }
        notes.refuse(refusing)
        let workflow = try Workflow(tasks: tasks, rest: rest, folder: folder)
        let first = CrashingRun()
        do {
            return (try await first.run(workflow, input: [:], by: runner, blobs: BlobStore()), first.events)
        } catch let error as WorkflowError {
            #expect(error.detail != nil)
        }
        notes.refuse([])
        runner.now = { start + delay }
        if let later { runner.clock = later }
        let second = CrashingRun(events: prepare(first.events))
        let after = try Workflow(tasks: mended ?? tasks, rest: rest, folder: folder)
        let changes = mended.map { _ in WorkflowChanges(from: workflow, to: after, digest: "sha256:0") }
        let output = try await second.resume(
            after, input: [:], by: runner, blobs: BlobStore(), assuming: assuming, accepting: changes,
            beginningAt: place)
        return (output, second.events)
    }

    @Test(.timeLimit(.minutes(60)), arguments: ResumeTests.lessons)
    func `goes on after a fault at any call, and again after a crash of what goes on`(
        lesson: ResumeTests.Lesson
    ) async throws {
        let wanted = Notes()
        let whole = try await outcome(of: lesson.tasks, rest: lesson.rest, notes: wanted)
        let workflow = try Workflow(tasks: lesson.tasks, rest: lesson.rest)
        for call in wanted.made.indices {
            let notes = Notes()
            notes.refuse([call])
            let first = CrashingRun()
            let runner = Runner.testing(register: notes.register)
            // An error that a task catches changes what follows.
            guard (try? await first.run(workflow, input: [:], by: runner, blobs: BlobStore())) == nil else { continue }
            notes.refuse([])
            // Ends the process again after a few events, until it completes.
            var events = first.events
            var output: Value?
            repeat {
                let process = CrashingRun(endingAfter: events.count + 4, events: events)
                let runner = Runner.testing { notes.register(&$0, in: process) }
                output = try await process.resume(
                    workflow, input: [:], by: runner, blobs: BlobStore(), assuming: .notSent)
                events = process.events
            } while output == nil
            #expect(output == whole.output, "call \(call)")
            if lesson.isParallel {
                #expect(Set(notes.made) == Set(wanted.made), "call \(call)")
            } else {
                #expect(notes.made.sorted() == wanted.made.sorted(), "call \(call)")
            }
        }
    }

    @Test func `the retries begin again, and what completed in the last attempt is kept`() async throws {
        let tasks = """
            - careful:
                try:
                  - before: { call: note, with: { what: before } }
                  - fragile: { call: note, with: { what: fragile } }
                catch: { retry: { delay: PT1S, limit: { attempt: { count: 2 } } } }
            """
        let notes = Notes()
        var runner = Runner.testing(register: notes.register)
        runner.now = { Date(timeIntervalSince1970: 1_750_000_000) }
        let workflow = try Workflow(tasks: tasks)
        notes.refuse([1, 3, 5])
        let first = CrashingRun()
        await #expect(throws: WorkflowError.self) {
            try await first.run(workflow, input: [:], by: runner, blobs: BlobStore())
        }
        #expect(notes.made == ["before", "before", "before"])
        // The third attempt is continued, and two more follow before the run faults a second time.
        notes.refuse([0, 2, 4])
        let second = CrashingRun(events: first.events)
        await #expect(throws: WorkflowError.self) {
            try await second.resume(workflow, input: [:], by: runner, blobs: BlobStore())
        }
        #expect(notes.made == Array(repeating: "before", count: 5))
        notes.refuse([])
        let third = CrashingRun(events: second.events)
        let output = try await third.resume(workflow, input: [:], by: runner, blobs: BlobStore())
        #expect(output == ["noted": "fragile"])
        #expect(notes.made == Array(repeating: "before", count: 5) + ["fragile"])
    }

    @Test func `of a fork, what completed is kept in every branch`() async throws {
        let tasks = """
            - both:
                fork:
                  branches:
                    - done: { do: [{ note: { call: note, with: { what: done } } }, { tell: { emit: { event: { with: { source: https://contoso.com, type: a } } } } }] }
                    - waiting:
                        do:
                          - half: { call: note, with: { what: half } }
                          - tell: { emit: { event: { with: { source: https://contoso.com, type: b } } } }
                          - rest: { wait: PT1H }
                          - end: { call: note, with: { what: end } }
                    - fails:
                        do:
                          - both: { listen: { to: { all: [{ with: { type: a } }, { with: { type: b } }] } } }
                          - fail: { call: note, with: { what: fail } }
            """
        let notes = Notes()
        let (output, _) = try await outcome(
            of: tasks, notes: notes, refusing: [2], after: 7_200, clock: ManualClock(), resumedOn: SkippingClock())
        #expect(output?.array?.count == 3)
        #expect(notes.made.sorted() == ["done", "end", "fail", "half"])
    }

    @Test func `a completed call is not made again because its output could not be transformed`() async throws {
        func tasks(_ expression: String) -> String {
            "- send: { call: note, with: { what: sent }, output: { as: '${ \(expression) }' } }\n- after: { set: '${ . }' }"
        }
        let notes = Notes()
        let (output, _) = try await outcome(
            of: tasks(".noted | length | keys"), mended: tasks(".noted | length"), notes: notes)
        #expect(output == 4)
        #expect(notes.made == ["sent"])
    }

    @Test func `a loop that faulted keeps its completed rounds when a task in it is mended`() async throws {
        func tasks(_ expression: String) -> String {
            """
            - each:
                for: { each: x, in: '${ [1, "two", 3] }' }
                do:
                  - say: { call: note, with: { what: '${ "say \\($x)" }' }, output: { as: $input } }
                  - add: { set: '${ \(expression) }' }
            """
        }
        let notes = Notes()
        let (output, _) = try await outcome(
            of: tasks("$x | -."), mended: tasks("$x | tostring"), notes: notes)
        #expect(output == "3")
        #expect(notes.made == ["say 1", "say two", "say 3"])
    }

    @Test func `a task that is added to a list that has ended is performed, and what follows again`() async throws {
        func tasks(_ more: String) -> String {
            """
            - outer: { do: [{ a: { call: note, with: { what: a } } }\(more)] }
            - last: { call: note, with: { what: last } }
            """
        }
        let notes = Notes()
        try await outcome(
            of: tasks(""), mended: tasks(", { b: { call: note, with: { what: b } } }"), notes: notes, refusing: [1])
        #expect(notes.made == ["a", "b", "last"])
    }

    @Test func `limits of time begin again, and the input is the recorded one`() async throws {
        let tasks = """
            - outer:
                timeout: { after: PT10S }
                do:
                  - first: { set: "${ $context }" }
                  - fragile:
                      input: { from: "${ { at: now } }" }
                      call: note
                      with: { what: "${ .at | tostring }" }
                      output: { as: $input }
            """
        let notes = Notes()
        let (output, events) = try await outcome(
            of: tasks, notes: notes, refusing: [0], after: 3_600, clock: ManualClock())
        let inputs = events.compactMap { event -> Value? in
            if case .taskStarted(let task, let input) = event.kind, task.tokens.last == "fragile" { input } else { nil }
        }
        #expect(inputs.count == 2)
        #expect(inputs.first == inputs.last)
        #expect(output == inputs.first)
    }

    @Test func `a run that was cancelled goes on with what was at work`() async throws {
        let tasks = """
            - first: { call: note, with: { what: first } }
            - second: { do: [{ a: { call: note, with: { what: a } } }, { b: { call: note, with: { what: b } } }] }
            """
        let notes = Notes()
        let (output, _) = try await outcome(of: tasks, notes: notes, refusing: [2]) { events in
            // As if the run had been cancelled before it failed.
            let end = events.lastIndex { $0.type == "graphflow.call.started.v1" } ?? 0
            var events = Array(events[..<end])
            let last = events[events.count - 1]
            for kind in [Event.Kind.taskCancelled(JSONPointer(["do", "1", "second"])), .workflowCancelled] {
                events.append(
                    Event(
                        number: events.count + 1, run: last.run, workflow: last.workflow, time: last.time, kind: kind))
            }
            return events
        }
        #expect(output == ["noted": "b"])
        #expect(notes.made == ["first", "a", "b"])
    }

    @Test func `a call that a fault interrupted is asked about`() async throws {
        let tasks = """
            - both:
                fork:
                  branches:
                    - hangs: { call: hang }
                    - fails: { do: [{ moment: { wait: PT1S } }, { fail: { call: note, with: { what: fail } } }] }
            """
        let notes = Notes()
        notes.refuse([0])
        let isMended = Locked(false)
        let runner = Runner.testing { catalog in
            notes.register(&catalog)
            catalog.register("hang", effect: .once) { _, _ in isMended.withLock { $0 } ? .value("done") : .never }
        }
        let workflow = try Workflow(tasks: tasks)
        let first = CrashingRun()
        await #expect(throws: WorkflowError.self) {
            try await first.run(workflow, input: [:], by: runner, blobs: BlobStore())
        }
        notes.refuse([])
        isMended.withLock { $0 = true }
        let hangs = JSONPointer(["do", "0", "both", "fork", "branches", "0", "hangs"])
        await #expect(throws: UnsettledEffects(run: "RUN", tasks: [hangs])) {
            try await CrashingRun(events: first.events).resume(workflow, input: [:], by: runner, blobs: BlobStore())
        }
        let output = try await CrashingRun(events: first.events).resume(
            workflow, input: [:], by: runner, blobs: BlobStore(), assuming: .notSent)
        #expect(output == ["done", ["noted": "fail"]])
    }

    @Test func `a run inside of a run goes on where it failed`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("inner-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let inner = """
            document: { dsl: 1.0.3, namespace: tests, name: inner, version: 1.0.0 }
            do:
              - one: { call: note, with: { what: '${ "one \\(.x)" }' }, output: { as: $input } }
              - two: { call: note, with: { what: '${ "two \\(.x)" }' }, output: { as: $input } }
            """
        try Data(inner.utf8).write(to: folder.appendingPathComponent("inner.yaml"))
        let run = "run: { workflow: { namespace: tests, name: inner, version: 1.0.0, input: { x: '${ $x }' } } }"
        let notes = Notes()
        let tasks = """
            - each: { for: { each: x, in: "${ [1, 2] }" }, do: [{ inside: { \(run) } }] }
            - last: { call: note, with: { what: last } }
            """
        try await outcome(of: tasks, notes: notes, refusing: [3], folder: folder)
        #expect(notes.made == ["one 1", "two 1", "one 2", "two 2", "last"])
    }

    /// A folder with a workflow that makes two notes.
    private func folderOfNotes() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(
            "inner.yaml",
            """
            document: { dsl: 1.0.3, namespace: tests, name: inner, version: 1.0.0 }
            do:
              - one: { call: note, with: { what: '${ "one \\(.item)" }' }, output: { as: $input } }
              - two: { call: note, with: { what: '${ "two \\(.item)" }' }, output: { as: $input } }
            """)
        return folder
    }

    private func forEach(_ more: String) -> String {
        """
        - each:
            call: forEach
            with: { in: "${ [range(1; 5)] | map([., now][0]) }", workflow: { namespace: tests, name: inner, version: 1.0.0 }\(more) }
        - last: { call: note, with: { what: last } }
        """
    }

    @Test(arguments: [1, 3], 0..<8)
    func `of the items of a list, those that completed are kept and the others begin or go on`(
        concurrency: Int, refused: Int
    ) async throws {
        let folder = try folderOfNotes()
        let notes = Notes()
        try await outcome(
            of: forEach(", concurrency: \(concurrency)"), notes: notes, refusing: [refused], folder: folder.url)
        #expect(notes.made.sorted() == ["last"] + (1...4).map { "one \($0)" } + (1...4).map { "two \($0)" })
    }

    @Test func `an item whose failure was collected stays failed when the run goes on after another fault`()
        async throws
    {
        let folder = try folderOfNotes()
        let notes = Notes()
        func tasks(_ expression: String) -> String {
            forEach(", onFailure: continue").replacing(
                "- last", with: "    output: { as: '${ \(expression) }' }\n- last")
        }
        try await outcome(
            of: tasks(".failed | length | keys"), mended: tasks(".failed | length"), notes: notes, refusing: [2],
            folder: folder.url)
        #expect(notes.made == ["one 1", "two 1", "one 3", "two 3", "one 4", "two 4", "last"])
    }

    @Test(arguments: [1, 3])
    func `from a task of one item on, the other items are not performed again`(concurrency: Int) async throws {
        let folder = try folderOfNotes()
        let notes = Notes()
        let runner = Runner.testing(register: notes.register)
        let workflow = try Workflow(tasks: forEach(", concurrency: \(concurrency)"), folder: folder.url)
        notes.refuse([8])
        let first = CrashingRun()
        await #expect(throws: WorkflowError.self) {
            try await first.run(workflow, input: [:], by: runner, blobs: BlobStore())
        }
        notes.refuse([])
        let item = try #require(first.events.first { $0.parent?.occurrence == "item:1" })
        #expect(item.parent?.task.description == "/do/0/each")
        let place = Event.Parent(run: item.run, task: JSONPointer(["do", "1", "two"]), occurrence: "")
        _ = try await CrashingRun(events: first.events)
            .resume(workflow, input: [:], by: runner, blobs: BlobStore(), beginningAt: place)
        #expect(notes.made.dropFirst(8) == ["two 2", "last"])
        let all = Event.Parent(run: "RUN", task: JSONPointer(["do", "0", "each"]), occurrence: "")
        _ = try await CrashingRun(events: first.events)
            .resume(workflow, input: [:], by: runner, blobs: BlobStore(), beginningAt: all)
        #expect(notes.made.count == 10 + 9)
    }

    @Test(arguments: [
        ("/do/0/a", "", ["a", "one", "two", "left", "right", "end"]),
        ("/do/1/each/do/0/say", "for:1", ["two", "left", "right", "end"]),
        ("/do/2/both/fork/branches/1/right", "", ["right", "end"]),
        ("/do/3/end", "", ["end"]),
    ])
    func `from a task on, it and what follows is performed again, but no other branch`(
        task: String, occurrence: String, again: [String]
    ) async throws {
        let tasks = """
            - a: { call: note, with: { what: a } }
            - each: { for: { each: x, in: '${ ["one", "two"] }' }, do: [{ say: { call: note, with: { what: "${ $x }" } } }] }
            - both:
                fork:
                  branches:
                    - left: { do: [{ l: { call: note, with: { what: left } } }] }
                    - right: { call: note, with: { what: right } }
            - end: { call: note, with: { what: end } }
            """
        let notes = Notes()
        let place = Event.Parent(
            run: "RUN", task: try #require(JSONPointer(rfc6901: task)), occurrence: occurrence)
        try await outcome(of: tasks, notes: notes, refusing: [5], from: place)
        #expect(notes.made == ["a", "one", "two", "left", "right"] + again)
    }

    @Test func `the place from which a run is resumed is read back from its journal`() throws {
        let place = Event.Parent(run: "INNER", task: JSONPointer(["do", "0", "a"]), occurrence: "for:1")
        let workflow = try Workflow(tasks: "- a: { set: { b: 1 } }").metadata
        let event = Event(
            number: 1, run: "RUN", workflow: workflow, time: Date(timeIntervalSince1970: 0),
            kind: .workflowResumed(Event.Resumption(from: place)))
        guard case .workflowResumed(let resumption) = try Event(cloudEvent: event.record, workflow: workflow).kind
        else {
            return #expect(Bool(false))
        }
        #expect(resumption == Event.Resumption(from: place))
    }
}
