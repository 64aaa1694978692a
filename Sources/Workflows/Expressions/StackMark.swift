import Dispatch
import Foundation
import Promises

/// A place on a thread's stack, from which the way that was gone since can be measured.
///
/// Swift has no other way to learn that a recursion comes near the end of its stack before it crashes there.
struct StackMark {
    /// What is used of a stack whose size is not known: threads of a pool have 512 KB.
    private static let smallShare = 160 << 10
    private static let largeStack = 1 << 30

    private let start: UInt
    private let limit: UInt
    /// Whether this is the stack that was made for deep recursion.
    let isLarge: Bool

    /// Marks the current place of a thread whose stack may be small.
    @inline(never)
    init() { self.init(limit: Self.smallShare, isLarge: false) }

    private init(limit: Int, isLarge: Bool) {
        start = Self.here()
        self.limit = UInt(limit)
        self.isLarge = isLarge
    }

    /// Whether the recursion has used its share of the stack.
    var isExhausted: Bool {
        let here = Self.here()
        return start > here && start - here > limit
    }

    @inline(__always)
    private static func here() -> UInt {
        var place: UInt8 = 0
        return unsafe withUnsafeMutablePointer(to: &place) { UInt(bitPattern: $0) }
    }

    /// Runs the body on a thread of its own whose stack is large; the calling thread waits.
    static func onLargeStack<Result: Sendable>(
        _ body: @escaping @Sendable (StackMark) -> Result
    ) -> Result? {
        let result = Locked<Result?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            // Values are released with the large stack still there, so the body runs in a call of its own.
            let value = body(StackMark(limit: largeStack / 4 * 3, isLarge: true))
            result.withLock { $0 = value }
            done.signal()
        }
        thread.stackSize = largeStack
        thread.start()
        done.wait()
        return result.withLock { $0 }
    }
}
