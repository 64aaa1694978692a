import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "Fork".
@Suite struct ForkTests {
    @Test func `gives what the branches gave in their order, whichever ends first`() async throws {
        let clock = ManualClock()
        let workflow = try Workflow(
            tasks: """
                - both:
                    fork:
                      branches:
                        - slow: { do: [{ rest: { wait: PT2S } }, { say: { set: { name: slow } } }] }
                        - fast: { do: [{ rest: { wait: PT1S } }, { say: { set: { name: fast } } }] }
                """)
        let run = Runner.testing(clock: clock).run(workflow)
        while clock.waitCount < 2 { await pause() }
        clock.advance(by: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try await run.value == [["name": "slow"], ["name": "fast"]])
    }

    @Test func `in a competition gives what the winner gave, and cancels the others`() async throws {
        let clock = ManualClock()
        let log = EventLog()
        let workflow = try Workflow(
            tasks: """
                - race:
                    fork:
                      compete: true
                      branches:
                        - slow: { do: [{ rest: { wait: PT2S } }, { say: { set: { name: slow } } }] }
                        - fast: { do: [{ nap: { wait: PT1S } }, { say: { set: { name: fast } } }] }
                """)
        let run = Runner.testing(clock: clock, recorders: [log.recorder]).run(workflow)
        while clock.waitCount < 2 { await pause() }
        clock.advance(by: .seconds(1))
        #expect(try await run.value == ["name": "fast"])
        await clock.allEnded()
        #expect(
            log.summary.filter { $0.contains("cancelled") } == [
                "task.cancelled /do/0/race/fork/branches/0/slow/do/0/rest",
                "task.cancelled /do/0/race/fork/branches/0/slow",
            ])
    }

    @Test func `nothing follows what a branch computes while another one wins`() async throws {
        let wasCalled = Locked(false)
        let runner = Runner.testing(clock: .patient) { catalog in
            catalog.register("mark", effect: .read) { _, _ in
                wasCalled.withLock { $0 = true }
                return .value(.null)
            }
        }
        // It takes a second or more; only a handler gives way, so a wait comes first.
        let compute = "compute: { set: { sum: '${ reduce range(1500000) as $n (0; . + $n) }' } }"
        let workflow = try Workflow(
            tasks: """
                - begin: { wait: { milliseconds: 1 } }
                - race:
                    fork:
                      compete: true
                      branches:
                        - fast: { do: [{ nap: { wait: { milliseconds: 1 } } }, { say: { set: { name: fast } } }] }
                        - slow: { do: [{ \(compute) }, { goOn: { call: mark } }] }
                """)
        #expect(try await runner.run(workflow).value == ["name": "fast"])
        // It takes as long as what it is about, and begins later.
        _ = try await runner.run(try Workflow(tasks: "- \(compute)")).value
        #expect(!wasCalled.withLock { $0 })
    }

    @Test func `in a competition a branch that fails drops out`() async throws {
        let workflow = try Workflow(
            tasks: """
                - race:
                    fork:
                      compete: true
                      branches:
                        - broken: { raise: { error: { type: "https://example.com/broken", status: 500 } } }
                        - sound: { set: { name: sound } }
                """)
        #expect(try await Runner.testing().run(workflow).value == ["name": "sound"])
    }

    @Test func `in a competition that all lose the first error counts`() async throws {
        let workflow = try Workflow(
            tasks: """
                - race:
                    fork:
                      compete: true
                      branches:
                        - one: { raise: { error: { type: "https://example.com/one", status: 500 } } }
                        - two: { raise: { error: { type: "https://example.com/two", status: 500 } } }
                """)
        let error = await #expect(throws: WorkflowError.self) { try await Runner.testing().run(workflow).value }
        #expect(error?.type == "https://example.com/one")
    }

    @Test func `the first error interrupts the other branches, and can be caught`() async throws {
        let clock = ManualClock()
        let log = EventLog()
        let workflow = try Workflow(
            tasks: """
                - attempt:
                    try:
                      - both:
                          fork:
                            branches:
                              - waits: { wait: PT1H }
                              - fails: { raise: { error: { type: "https://example.com/broken", status: 418 } } }
                    catch: { do: [{ handle: { set: { status: "${ $error.status }" } } }] }
                """)
        let output = try await Runner.testing(clock: clock, recorders: [log.recorder]).run(workflow).value
        #expect(output == ["status": 418])
        await clock.allEnded()
        #expect(log.summary.contains("task.cancelled /do/0/attempt/try/0/both/fork/branches/0/waits"))
    }

    @Test func `a branch that ends the workflow ends it at once`() async throws {
        let clock = ManualClock()
        let workflow = try Workflow(
            tasks: """
                - both:
                    fork:
                      branches:
                        - waits: { wait: PT1H }
                        - ends: { set: { done: true }, then: end }
                - behind: { set: { reached: true } }
                """)
        #expect(try await Runner.testing(clock: clock).run(workflow).value == ["done": true])
        await clock.allEnded()
    }

    @Test func `every branch is given the input of the fork`() async throws {
        let workflow = try Workflow(
            tasks: """
                - both:
                    input: { from: .user }
                    fork:
                      branches:
                        - name: { set: "${ .name }" }
                        - mail: { set: "${ .mail }" }
                """)
        let input: Value = ["user": ["name": "Megan", "mail": "megan@contoso.com"]]
        #expect(try await Runner.testing().run(workflow, input: input).value == ["Megan", "megan@contoso.com"])
    }

    @Test func `a thousand branches that are cancelled leave no wait behind`() async throws {
        let clock = ManualClock()
        let branches = (0..<1_000).map { "        - b\($0): { wait: PT1H }" }.joined(separator: "\n")
        let workflow = try Workflow(tasks: "- all:\n    fork:\n      branches:\n\(branches)")
        let run = Runner.testing(clock: clock).run(workflow)
        while clock.waitCount < 1_000 { await pause() }
        run.cancel()
        await #expect(throws: (any Error).self) { try await run.value }
        await clock.allEnded()
    }

    @Test func `names of branches are unique`() throws {
        let workflow = try Workflow(
            tasks: """
                - both: { fork: { branches: [{ a: { set: { x: 1 } } }, { a: { set: { x: 2 } } }] } }
                """)
        #expect(workflow.validate().map(\.id) == ["duplicate-task"])
    }

    // MARK: Effects on their way

    private static let races = [
        "compete: true, branches: [ { fast: { do: [{ nap: { wait: PT1S } }, { say: { set: { name: fast } } }] } }, SLOW ]",
        "branches: [ SLOW, { fails: { do: [{ nap: { wait: PT1S } }, { no: { raise: { error: { type: 'https://a.example', status: 500 } } } }] } } ]",
        "branches: [ SLOW, { ends: { do: [{ nap: { wait: PT1S } }, { say: { set: { name: fast }, then: end } }] } } ]",
    ]

    private static func race(_ race: String) -> String {
        "- race: { fork: { \(race.replacing("SLOW", with: "{ slow: { do: [{ mail: { call: note } }] } }")) } }"
    }

    /// Runs a race in which the mail of one branch is never answered.
    private func unanswered(_ tasks: String, noting notes: Locked<Int>, _ process: CrashingRun) async throws -> Value? {
        let clock = ManualClock()
        let runner = Runner.testing(clock: clock) { catalog in
            catalog.register("note", effect: .once) { _, _ in
                notes.withLock { $0 += 1 }
                return Promise<Value>.pending().promise
            }
        }
        let run = Task { [runner] in
            try await process.run(Workflow(tasks: tasks), input: [:], by: runner, blobs: BlobStore())
        }
        while clock.waitCount < 1 || notes.withLock({ $0 }) < 1 { await pause() }
        clock.advance(by: .seconds(1))
        return try await run.value
    }

    @Test(arguments: races)
    func `a branch that is cancelled while a mail may be on its way makes the outcome unknown`(race: String)
        async throws
    {
        let (notes, process) = (Locked(0), CrashingRun())
        let error = await #expect(throws: WorkflowError.self) {
            try await unanswered(Self.race(race), noting: notes, process)
        }
        #expect(error?.type == "urn:graphflow:error:unknown-outcome")
        #expect(error?.detail?.contains("'mail' (/do/0/race/fork/branches/") == true, "\(String(describing: error))")
        #expect(error?.instance?.hasSuffix("/slow/do/0/mail") == true)
    }

    @Test func `wherever it is killed, a run with such a branch does not end until the user says what happened`()
        async throws
    {
        let tasks = Self.race(Self.races[0])
        let (notes, process) = (Locked(0), CrashingRun())
        await #expect(throws: WorkflowError.self) { try await unanswered(tasks, noting: notes, process) }
        let events = process.events
        let sent = try #require(
            events.firstIndex { if case .callStarted = $0.kind { true } else { false } })
        let won = try #require(
            events.firstIndex { event in
                if case .taskCompleted(let task, _, _, _) = event.kind { task.tokens.last == "fast" } else { false }
            })
        for count in (sent + 1)...events.count {
            let past = Array(events.prefix(count))
            let again = Locked(0)
            let register: (inout Catalog) -> Void = { catalog in
                catalog.register("note", effect: .once) { _, _ in
                    again.withLock { $0 += 1 }
                    return .value("noted")
                }
            }
            await #expect(throws: (any Error).self, "after event \(count)") {
                try await InterruptedRun.resume(tasks, from: past, after: 5, register: register)
            }
            #expect(again.withLock { $0 } == 0)
            // The failure of the fork is recorded, and the run has yet to end with it: after that it can be resumed.
            if case .taskFaulted? = past.last?.kind { continue }
            let output = try await InterruptedRun.resume(
                tasks, from: past, after: 5, assuming: .sent, register: register)
            #expect(again.withLock { $0 } == 0)
            // The output of the branch that won is in the journal.
            if count > won { #expect(output == ["name": "fast"], "after event \(count)") }
        }
    }
}
