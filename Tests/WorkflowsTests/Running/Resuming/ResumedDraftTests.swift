import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows
@testable import WorkflowHistory

/// A mail whose run is interrupted more than once.
@Suite struct ResumedDraftTests {
    private let task = JSONPointer(["do", "0", "hello"])

    private func state(after kinds: [Event.Kind]) -> RunState {
        var state = RunState(remembering: .ends)
        for event in TemporaryRuns.events(kinds, of: TemporaryRuns.header("RUN")) { state.apply(event) }
        return state
    }

    private var drafted: [Event.Kind] {
        [
            .workflowStarted(input: [:], context: [:]), .taskStarted(task, input: nil),
            .callStarted(task, .idempotent),
            .request(
                task,
                GraphEvent(
                    operation: "sendMail", task: task, kind: .drafted(id: "A", internetMessageID: nil))),
        ]
    }

    @Test func `a call that was resumed and interrupted again still has its draft`() {
        let again: [Event.Kind] = [.workflowResumed(Event.Resumption()), .callStarted(task, .idempotent)]
        for count in 0...3 {
            let kinds = drafted + (0..<count).flatMap { _ in again }
            let call = state(after: kinds).frame(of: TaskExecution(task))?.call
            #expect(call?.draft?.id == "A")
            #expect(call?.effect == .once)
        }
    }

    @Test func `a call that is made again after it failed makes a draft of its own`() {
        let failed: [Event.Kind] = [
            .callEnded(task, .failed(WorkflowError(.runtime, detail: "no"))), .callStarted(task, .idempotent),
        ]
        #expect(state(after: drafted + failed).frame(of: TaskExecution(task))?.call?.draft == nil)
    }
}
