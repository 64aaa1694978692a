import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Runs whose process ends after each of their events in turn, and that are resumed.
@Suite(.serialized) struct CrashTests {
    /// The effects of a run.
    private struct World: Equatable {
        var mails: Int
        var files: [String]
        var links: Int

        init(_ sandbox: Sandbox) {
            mails = sandbox.outbox.count
            files = sandbox.drive.map(\.name).sorted()
            links =
                Set(
                    sandbox.requests.filter { $0.path.hasSuffix("/createLink") && $0.status == 201 }.map(\.path)
                ).count
        }
    }

    private static func sandbox() -> Sandbox { Sandbox(now: { Date(timeIntervalSince1970: 1_750_000_000) }) }

    private static func runner(_ sandbox: Sandbox, after delay: TimeInterval = 0) -> Runner {
        var runner = Runner.testing(sandbox: sandbox, clock: .patient)
        runner.graph.clock = SkippingClock()
        // A process that has ended holds no requests at its gate.
        runner.graph.gate = RequestGate()
        // In a race of a wait and a request, the wait begins again: the time of a busy machine does not count.
        runner.now = { Date(timeIntervalSince1970: 1_750_000_000 + delay) }
        return runner
    }

    @Test func `a task costs one flush at most, and a read none`() async throws {
        let sample = try #require(SampleWorkflow.all.first { $0.name == "share-profile-photo.yaml" })
        let process = CrashingRun()
        _ = try await process.run(
            try sample.workflow, input: sample.input, by: Self.runner(Self.sandbox()), blobs: BlobStore())
        // After upload, createLink and sendMail, and at the end.
        #expect(process.flushCount == 4)
    }

    @Test func `a mail whose process ends again before its draft is looked up is sent once`() async throws {
        let workflow = try Workflow(
            tasks: "- mail: { call: sendMail, with: { to: adelev@contoso.com, subject: Hello, body: Hello } }")
        let sandbox = Self.sandbox()
        let first = CrashingRun(endingWith: { event in
            if case .request(_, let request) = event.kind, case .drafted = request.kind { true } else { false }
        })
        _ = try await first.run(workflow, input: [:], by: Self.runner(sandbox), blobs: BlobStore())
        // It ends behind the second beginning of the call.
        let second = CrashingRun(endingAfter: first.events.count + 2, events: first.events)
        _ = try await second.resume(workflow, input: [:], by: Self.runner(sandbox), blobs: BlobStore())
        guard case .callStarted? = second.events.last?.kind else {
            Issue.record("the last event is \(second.events.last?.type ?? "")")
            return
        }
        let third = CrashingRun(events: second.events)
        _ = try await third.resume(workflow, input: [:], by: Self.runner(sandbox, after: 61), blobs: BlobStore())
        #expect(sandbox.outbox.count == 1)
        #expect(third.events.count { $0.type.hasSuffix("mail.drafted.v1") } == 1)
    }

    @Test(.timeLimit(.minutes(60)), arguments: SampleWorkflow.all)
    func `a sample with an approved plan that ends behind any event follows it to its end`(
        sample: SampleWorkflow
    ) async throws {
        let workflow = try sample.workflow
        let isUnsettled = Self.isUnsettled(workflow)
        // A draft is not sent until a minute after the run was last running.
        let sendsMail = workflow.allTasks.contains { $0.definition["call"] == "sendMail" }
        let reference = Self.sandbox()
        // Read from no service, it is the same for every run.
        let plan = try await Self.runner(reference).plan(workflow, input: sample.input).value
        func approved(_ sandbox: Sandbox, after delay: TimeInterval = 0) -> Runner {
            Self.runner(sandbox, after: delay).doing(plan)
        }
        let whole = CrashingRun()
        _ = try await whole.run(workflow, input: sample.input, by: approved(reference), blobs: BlobStore())
        let world = World(reference)
        let step = whole.events.count > 300 ? Extent.of(7, or: 100) : Extent.of(1, or: 10)
        for count in stride(from: 1, to: whole.events.count, by: step) {
            let (sandbox, blobs) = (Self.sandbox(), BlobStore())
            let first = CrashingRun(endingAfter: count)
            let early = try await first.run(
                workflow, input: sample.input, by: approved(sandbox), blobs: blobs)
            guard early == nil else { continue }
            let second = CrashingRun(events: first.events)
            let place = "\(sample) behind event \(count), \(first.events.last?.type ?? "")"
            do {
                let resumed = try await second.resume(
                    workflow, input: sample.input, by: approved(sandbox, after: sendsMail ? 61 : 0),
                    blobs: blobs,
                    assuming: isUnsettled ? .notSent : nil)
                #expect(sample.output == nil || resumed == sample.output, "\(place)")
                #expect(World(sandbox) == world, "\(place)")
            } catch {
                Issue.record("\(place): \(error)")
            }
        }
    }

    /// Whether the effect of a program or of any request cannot be looked up: the user decides that it is repeated.
    private static func isUnsettled(_ workflow: Workflow) -> Bool {
        workflow.allTasks.contains {
            $0.definition["run"]?["workflow"] == nil && $0.definition["run"] != nil || $0.definition["call"] == "graph"
        }
    }

    @Test(.timeLimit(.minutes(60)), arguments: SampleWorkflow.all)
    func `a sample that ends behind any event gives the same when it is resumed`(sample: SampleWorkflow) async throws {
        let workflow = try sample.workflow
        let whole = CrashingRun()
        let (reference, blobs) = (Self.sandbox(), BlobStore())
        let output = try await whole.run(workflow, input: sample.input, by: Self.runner(reference), blobs: blobs)
        if let expected = sample.output { #expect(output == expected) }
        let world = World(reference)
        let isUnsettled = Self.isUnsettled(workflow)
        // A draft is not sent until a minute after the run was last running.
        let mails = workflow.allTasks.contains { $0.definition["call"] == "sendMail" }
        // For a sample that repeats the same tasks a hundred times, every seventh event is enough.
        let step = whole.events.count > 300 ? Extent.of(7, or: 70) : Extent.of(1, or: 7)
        for count in stride(from: 1, to: whole.events.count, by: step) {
            let (sandbox, blobs) = (Self.sandbox(), BlobStore())
            let first = CrashingRun(endingAfter: count)
            let early = try await first.run(workflow, input: sample.input, by: Self.runner(sandbox), blobs: blobs)
            // Another order of branches may have fewer events.
            guard early == nil else { continue }
            let second = CrashingRun(events: first.events)
            let resumed = try await second.resume(
                workflow, input: sample.input, by: Self.runner(sandbox, after: mails ? 61 : 0), blobs: blobs,
                assuming: isUnsettled ? .notSent : nil)
            let last = first.events.last?.type ?? ""
            #expect(sample.output == nil || resumed == sample.output, "\(sample) behind event \(count), \(last)")
            #expect(World(sandbox) == world, "\(sample) behind event \(count), \(last)")
            let again = second.events.filter { $0.type.hasSuffix("task.completed.v1") }.map {
                TaskExecution($0.task ?? .root, "\($0.run)/\($0.occurrence)")
            }
            #expect(Set(again).count == again.count, "\(sample) behind event \(count): an end is told twice")
        }
    }
}
