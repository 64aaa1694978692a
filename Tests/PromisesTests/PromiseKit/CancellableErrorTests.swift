import Foundation
import Promises
import Testing

/// What PromiseKit's `CancellableErrorTests` check.
struct CancellableErrorTests {
    private func reports(_ promise: Promise<Void>) async -> [String] {
        let trace = Trace()
        promise.catch { _ in trace.add("default") }
        let (ended, end) = Guarantee<Void>.pending()
        promise.catch(policy: .allErrors) { trace.add("all \($0.isCancelled)") }.finally { end(()) }
        await ended.value
        return trace.entries
    }

    @Test(
        arguments: [Stop.cancelled, URLError(.cancelled), CocoaError(.userCancelled), CancellationError()]
            as [any Error])
    func `a catch without a policy is not called for a cancellation that a handler throws`(_ error: any Error) async {
        let thrown = Guarantee.value(()).done { throw error }.done { Issue.record("called") }
        #expect(await reports(thrown) == ["all true"])
        let recovered = thrown.recover(policy: .allErrors) { error -> Promise<Void> in throw error }.map { _ in }
        #expect(await reports(recovered) == ["all true"])
    }

    @Test func `a catch without a policy is called for a cancellable error that is none`() async {
        #expect(await reports(after(seconds: 0).done { throw Stop.failed }) == ["default", "all false"])
    }
}
