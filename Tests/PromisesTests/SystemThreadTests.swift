import Testing

@testable import Promises

@Suite struct SystemThreadTests {
    /// Takes about a kilobyte of stack at each level.
    private static func descend(_ levels: Int) -> Int {
        unsafe withUnsafeTemporaryAllocation(byteCount: 1_000, alignment: 8) { bytes in
            unsafe bytes[0] = UInt8(levels & 1)
            guard levels > 0 else { return 0 }
            let below = descend(levels - 1)
            // Used after the call, so that the call cannot become a loop.
            return unsafe below + (bytes[0] == levels & 1 ? 1 : 0)
        }
    }

    @Test func `a body runs on a thread of its own, with the stack that it asks for`() async {
        let (isApart, depth) = await withCheckedContinuation { (done: CheckedContinuation<(Bool, Int), Never>) in
            let caller = Thread.current
            // More than the default of 8 MB, and fewer calls than the thread sanitizer can follow.
            SystemThread.start(stackSize: 64 << 20) {
                done.resume(returning: (Thread.current != caller, Self.descend(10_000)))
            }
        }
        #expect(isApart)
        #expect(depth == 10_000)
    }

    @Test func `sleeping takes at least the time that is given`() {
        // Real time: a slow machine takes longer, and never less.
        let time = ContinuousClock().measure { SystemThread.sleep(seconds: 0.01) }
        #expect(time >= .milliseconds(10))
    }

    @Test func `what a body captures is released when it has run`() async {
        final class Token: Sendable {
            let done: CheckedContinuation<Void, Never>
            init(_ done: CheckedContinuation<Void, Never>) { self.done = done }
            deinit { done.resume() }
        }
        await withCheckedContinuation { done in
            let token = Token(done)
            SystemThread.start { withExtendedLifetime(token) {} }
        }
    }
}
