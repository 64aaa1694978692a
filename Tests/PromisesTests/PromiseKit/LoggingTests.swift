import Dispatch
@testable import Promises
import Testing

/// What PromiseKit's `LoggingTests` check, in addition to ours.
extension DiagnosticsTests {
    @Test func `log events have PromiseKit's names`() {
        let trace = Trace()
        let former = conf.locatedLogHandler
        defer { conf.locatedLogHandler = former }
        conf.logHandler = { trace.add("\($0)") }
        let events: [LogEvent] = [.waitOnMainThread, .pendingPromiseDeallocated, .pendingGuaranteeDeallocated]
        for event in events + [.cauterized(Failure())] { conf.logHandler(event) }
        let names = ["waitOnMainThread", "pendingPromiseDeallocated", "pendingGuaranteeDeallocated"]
        // Promises of other tests may be reported meanwhile.
        #expect((names + ["cauterized(PromisesTests.Failure(code: 1))"]).allSatisfy(trace.entries.contains))
    }

    @Test func `a wait on the main thread is reported before it begins, for promises and guarantees`() async {
        let trace = Trace()
        let former = conf.locatedLogHandler
        defer { conf.locatedLogHandler = former }
        let (promise, resolver) = Promise<Int>.pending()
        let (guarantee, resolve) = Guarantee<Int>.pending()
        await MainActor.run {
            conf.logHandler = { event in
                trace.add("promise: \(event)")
                resolver.fulfill(1)
            }
            #expect((try? promise.wait()) == 1)
            conf.logHandler = { event in
                trace.add("guarantee: \(event)")
                resolve(2)
            }
            #expect(guarantee.wait() == 2)
        }
        #expect(trace.entries.contains("promise: waitOnMainThread"))
        #expect(trace.entries.contains("guarantee: waitOnMainThread"))
    }

    @Test func `a log handler that is called by hand has no location`() {
        let trace = Trace()
        let former = conf.locatedLogHandler
        defer { conf.locatedLogHandler = former }
        conf.locatedLogHandler = { trace.add("\($0) \($1)") }
        conf.logHandler(.pendingPromiseDeallocated)
        #expect(trace.entries.contains("pendingPromiseDeallocated -:0"))
    }

    @Test func `a wait on the main thread ends when what it waits for takes its time`() async {
        await MainActor.run {
            let slow = Promise.value(1).map { value in
                // Real time: it is longer than the pauses in which the wait looks for a deadlock, and may be longer still.
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(50))
                return value + 1
            }
            #expect((try? slow.wait()) == 2)
            #expect((try? after(.milliseconds(50)).asPromise().wait()) != nil)
        }
    }

    @Test func `a wait on the main thread that could never end is an error`() async {
        let soon = Promise<Int> { seal in DispatchQueue.global().async { seal.fulfill(1) } }
        await MainActor.run {
            let never = soon.map(on: .main) { $0 + 1 }.map(on: nil) { $0 }
            #expect {
                try never.wait()
            } throws: {
                if case .deadlock? = $0 as? PromiseError { true } else { false }
            }
        }
    }
}
