import Foundation
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import Workflows

/// Runs of approved plans: what was not altered is never refused, and any alteration of a request is.
@Suite struct ApprovalPropertyTests {
    private static let batch: UInt64 = 50

    @Test(arguments: 0..<Extent.of(8, or: 1) as Range<UInt64>)
    func `an unaltered run is not refused, and no altered request is allowed`(batch: UInt64) async throws {
        var changes = 0
        for seed in batch * Self.batch..<(batch + 1) * Self.batch {
            var generator = WorkflowGenerator(seed: seed)
            let text = generator.workflow()
            let workflow = try Workflow(text: text, folder: SampleWorkflow.folder)
            let input = generator.input()
            let runner = Self.runner(answers: seed * 10)
            guard let plan = try? await runner.plan(workflow, input: input).value else { continue }
            var recorded = runner
            let recording = RecordingTransport(runner.graph.transport)
            recorded.graph.transport = recording
            let free = await Self.outcome(recorded, workflow, input)
            for answers in seed * 10..<seed * 10 + 5 {
                let approval = Approval(plan)
                var approved = Self.runner(answers: answers)
                let altering = AlteringTransport(
                    approved.graph.transport, approval, plan, later: recording.records, seed: answers)
                approved.world = LiveWorld(approval: approval)
                approved.graph.transport = altering
                let outcome = await Self.outcome(approved, workflow, input)
                #expect(approval.deviation == nil, "\(approval.deviation?.difference ?? ""): seed \(seed): \(text)")
                if answers == seed * 10 { #expect(outcome == free, "seed \(seed): \(text)") }
                let (tried, allowed) = altering.results
                #expect(allowed.isEmpty, "seed \(seed): \(allowed.joined(separator: "\n")): \(text)")
                changes += tried
            }
        }
        #expect(changes > 2_000)
    }

    @Test(arguments: 0..<Extent.of(8, or: 1) as Range<UInt64>)
    func `a run that goes on follows its plan, and what it did before is not allowed once more`(
        batch: UInt64
    ) async throws {
        var (resumed, repeated) = (0, 0)
        for seed in batch * Self.batch..<(batch + 1) * Self.batch {
            var generator = WorkflowGenerator(seed: seed)
            let text = generator.workflow()
            let workflow = try Workflow(text: text, folder: SampleWorkflow.folder)
            let (input, sandbox) = (generator.input(), Sandbox())
            let runner = Self.runner(answers: seed, sandbox)
            guard let plan = try? await runner.plan(workflow, input: input).value else { continue }
            var (cut, seeds) = (CrashingRun(), SeededGenerator(seed: seed))
            var first = runner
            let recording = RecordingTransport(runner.graph.transport)
            first.graph.transport = recording
            let whole = CrashingRun()
            _ = try? await whole.run(workflow, input: input, by: runner.doing(plan), blobs: BlobStore())
            cut = CrashingRun(endingAfter: Int.random(in: 1..<max(2, whole.events.count), using: &seeds))
            let early = try? await cut.run(workflow, input: input, by: first.doing(plan), blobs: BlobStore())
            guard cut.isDead, early == nil else { continue }

            let replay = JournalReplay(
                cut.events, of: "RUN", as: Event.Resumption(), at: Date(timeIntervalSince1970: 4e9))
            let past = Approval(plan)
            try past.recall(cut.events, replay, Event.Resumption(), assuming: .notSent)
            for record in recording.records {
                let task = TaskExecution(record.operation.task ?? .root, record.operation.occurrence)
                let hasCompleted = cut.events.contains { event in
                    guard case .taskCompleted = event.kind, event.parent == nil else { return false }
                    return event.execution == task
                }
                guard hasCompleted else { continue }
                repeated += 1
                let match = past.allow(record.request, task, attempts: 3)
                #expect(match == nil, "\(record.request.method) \(record.request.url): seed \(seed): \(text)")
            }

            let next = CrashingRun(events: cut.events)
            let last = cut.events.last?.type ?? ""
            do {
                _ = try await next.resume(
                    workflow, input: input, by: Self.runner(answers: seed, sandbox).doing(plan), blobs: BlobStore(),
                    assuming: .notSent)
            } catch {
                let isRefused = error is PlanMismatch || WorkflowError(error, at: .root).type == PlanDeviation.type
                #expect(!isRefused, "\(error) behind event \(cut.events.count), \(last): seed \(seed): \(text)")
            }
            resumed += 1
        }
        #expect(resumed > 20 && repeated > 20, "\(resumed) \(repeated)")
    }

    private static func runner(answers seed: UInt64, _ sandbox: Sandbox = Sandbox()) -> Runner {
        let clock = SkippingClock()
        let transport = UnusualAnswers(sandbox.transport, seed: seed)
        var runner = Runner(
            graph: GraphClient(
                credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL, transport: transport,
                clock: clock), clock: clock)
        runner.random = { 0.5 }
        return runner
    }

    /// Whether the run completed.
    private static func outcome(_ runner: Runner, _ workflow: Workflow, _ input: Value) async -> Bool {
        (try? await runner.run(workflow, input: input).value) != nil
    }
}

/// Answers as a service may: names and addresses of any text, and other sizes.
private final class UnusualAnswers: HTTPTransport {
    private static let texts = [
        "‹Bob›", "‹me.displayName›", "a/b ü", "\"quoted\" \\", "100 %", "<b>&amp;</b>", "", "=?utf-8?", "🙂", "${ .x }",
    ]
    private let inner: any HTTPTransport
    private let generator: Locked<SeededGenerator>

    init(_ inner: any HTTPTransport, seed: UInt64) {
        self.inner = inner
        generator = Locked(SeededGenerator(seed: seed))
    }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        inner.send(request, for: operation).map(on: nil) { response in
            guard (200..<300).contains(response.status), let body = try? Value(json: response.body) else {
                return response
            }
            var response = response
            response.body = self.generator.withLock { Self.changed(body, &$0) }.jsonData()
            return response
        }
    }

    private static func changed(_ value: Value, _ generator: inout SeededGenerator) -> Value {
        switch value {
        case .array(let elements): return .array(elements.map { changed($0, &generator) })
        case .object(let members):
            var result = Object()
            for (name, member) in members {
                switch (name, member) {
                case ("displayName", .string), ("jobTitle", .string), ("webUrl", .string):
                    result[name] = .string(texts.randomElement(using: &generator) ?? "")
                case ("size", .integer): result[name] = .integer(Int.random(in: 0...1_000_000, using: &generator))
                default: result[name] = changed(member, &generator)
                }
            }
            return .object(result)
        default: return value
        }
    }
}
