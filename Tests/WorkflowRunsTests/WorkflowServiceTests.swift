import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowRuns

/// A service in a Swift program, which approves runs itself.
@Suite struct WorkflowServiceTests {
    private let sandbox = Sandbox()
    private let temporary = TemporaryRuns()
    private let ended = Promise<Result<Value, any Error>>.pending()
    private let notices = Locked<[String]>([])

    private static let text = """
        document: { dsl: 1.0.3, namespace: tests, name: welcome, version: 1.0.0 }
        schedule: { on: { one: { with: { type: hired } } } }
        do:
          - mail:
              call: sendMail
              with: { to: ["${ .[0].data }"], subject: 'Welcome ü', body: { content: hello } }
        """

    private struct Unsure: Error {}

    /// A service, as a program makes it; each one continues what an earlier one left.
    private func service(
        clock: any PromiseClock = .patient,
        _ approve: (@Sendable (WorkflowService.Proposal) async throws -> WorkflowService.Decision)?
    ) throws -> WorkflowService {
        let file = temporary.home.appending(path: "welcome.yaml")
        try FileManager.default.createDirectory(at: temporary.home, withIntermediateDirectories: true)
        try Data(Self.text.utf8).write(to: file)
        var runner = Runner.testing(sandbox: sandbox, clock: clock)
        runner.journals = temporary.folder
        runner.environment["GRAPHFLOW_HOME"] = temporary.home.path
        var options = WorkflowService.Options()
        options.approve = approve
        options.onEnd = { [ended] result, _ in ended.resolver.fulfill(result) }
        options.onNotice = { [notices] line in notices.withLock { $0.append(line) } }
        return try WorkflowService([try Workflow(contentsOf: file)], by: runner, options)
    }

    private func publish(_ to: String, _ service: WorkflowService) throws {
        try service.publish(
            try CloudEvent([
                "specversion": "1.0", "id": .string(to), "source": "https://example.com", "type": "hired",
                "data": .string(to),
            ]))
    }

    private func states() throws -> [RunSummary.State] { try temporary.folder.summaries().map(\.state) }

    @Test func `without a decision to make, an event starts a run at once`() async throws {
        let service = try service(nil)
        try service.start()
        try publish("adelev@contoso.com", service)
        _ = try await ended.promise.value.get()
        await service.stop()
        #expect(service.ended.isFulfilled)
        #expect(sandbox.outbox.map(\.subject) == ["Welcome ü"])
    }

    @Test func `a run does what was approved, and its journal says who did`() async throws {
        let proposals = Locked<[WorkflowService.Proposal]>([])
        let service = try service { proposal in
            proposals.withLock { $0.append(proposal) }
            return .approved(by: "Ada ‹ü›\n", note: "ok")
        }
        try service.start()
        #expect(sandbox.outbox.isEmpty)
        try publish("adelev@contoso.com", service)
        _ = try await ended.promise.value.get()
        await service.stop()
        #expect(sandbox.outbox.count == 1)
        let proposal = try #require(proposals.withLock { $0 }.first)
        #expect(proposals.withLock { $0 }.count == 1)
        #expect(proposal.plan.effects.map(\.summary) == ["sends the mail 'Welcome ü' to adelev@contoso.com"])
        let (journal, events) = try Journal.open(proposal.run, in: temporary.folder)
        defer { journal.close() }
        let approval = try #require(PastRun(journal, events).approvals.first)
        #expect(approval["name"] == "Ada ‹ü›\n" && approval["note"] == "ok" && approval["by"] == "program")
        #expect(notices.withLock { $0 }.contains { $0.contains("waits for approval") })
    }

    @Test func `a run that is rejected never begins`() async throws {
        let service = try service { _ in .rejected(by: "Ada", note: "no") }
        try service.start()
        try publish("adelev@contoso.com", service)
        while try states() != [.cancelled] { await pause() }
        await service.stop()
        #expect(sandbox.outbox.isEmpty)
    }

    @Test func `what was not decided is asked again, after an error and by the next service`() async throws {
        let (asked, ask) = Promise<Void>.pending()
        let clock = ManualClock()
        let first = try service(clock: clock) { _ in
            ask.fulfill()
            throw Unsure()
        }
        try first.start()
        try publish("adelev@contoso.com", first)
        try await asked.value
        await first.stop()
        #expect(try states() == [.waiting])

        let count = Locked(0)
        let second = try service(clock: clock) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 1 { throw Unsure() }
            return .approved(by: "Ada")
        }
        try second.start()
        while ended.promise.isPending {
            if clock.waitCount > 0, count.withLock({ $0 }) == 1 { clock.advance(by: .seconds(30)) }
            await pause()
        }
        _ = try await ended.promise.value.get()
        #expect(sandbox.outbox.count == 1 && count.withLock { $0 } == 2)
        let stopped = Promise { await second.stop() }
        while stopped.isPending {
            clock.advance(by: .seconds(1))
            await pause()
        }
    }

    @Test func `a service that holds runs back needs journals`() throws {
        var options = WorkflowService.Options()
        options.approve = { _ in .approved(by: "Ada") }
        #expect(throws: ApprovalRefusal.self) {
            _ = try WorkflowService([], by: Runner.testing(), options, in: temporary.home)
        }
    }
}
