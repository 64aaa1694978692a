import Foundation
import Promises

/// A place on a thread's stack, from which the way that was gone since can be measured.
///
/// Swift has no other way to learn that a recursion comes near the end of its stack before it crashes there.
struct StackMark {
    /// What may be used of a stack whose size is not known: threads of a pool have 512 KB.
    private static let smallShare = 160 << 10
    /// How many levels of a value, or of frames, such a stack can surely release.
    private static let smallLevels = 800
    private static let largeStacks = [1 << 30, 256 << 20, 64 << 20]
    private static let bytesPerLevel = 400

    private let start: UInt
    private let limit: UInt
    /// How many levels of a value can surely be released on this stack.
    let levels: Int
    /// Whether this is a stack that was made for deep recursion.
    let isLarge: Bool

    /// Marks the current place of a thread whose stack may be small.
    @inline(never)
    init() { self.init(limit: Self.smallShare, levels: Self.smallLevels, isLarge: false) }

    private init(limit: Int, levels: Int, isLarge: Bool) {
        start = Self.here()
        self.limit = UInt(limit)
        self.levels = levels
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
    ///
    /// - Returns: the body's result; nil where the system has no memory for such a stack.
    static func onLargeStack<Result: Sendable>(_ body: @escaping @Sendable (StackMark) -> Result) -> Result? {
        let result = Locked<Result?>(nil)
        for size in largeStacks {
            let work = Work {
                // Half is left for releasing values, which nothing measures.
                let value = body(StackMark(limit: size / 2, levels: size / 3 * 2 / bytesPerLevel, isLarge: true))
                result.withLock { $0 = value }
            }
            if work.run(stackSize: size) { return result.withLock { $0 } }
        }
        return nil
    }
}

/// Something to be done on a thread of its own.
private final class Work: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Does it, and waits until the thread is gone; false where there can be no such thread.
    func run(stackSize: Int) -> Bool {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { unsafe attributes.deallocate() }
        guard unsafe pthread_attr_init(attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(attributes) }
        guard unsafe pthread_attr_setstacksize(attributes, stackSize) == 0 else { return false }
        let reference = unsafe Unmanaged.passRetained(self)
        #if canImport(Darwin)
            var thread: pthread_t?
            let status = unsafe pthread_create(
                &thread, attributes,
                { argument in
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                    return nil
                }, reference.toOpaque())
            guard status == 0, let thread = unsafe thread else {
                unsafe reference.release()
                return false
            }
        #else
            var thread: pthread_t = 0
            let status = unsafe pthread_create(
                &thread, attributes,
                { argument in
                    if let argument = unsafe argument {
                        unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                    }
                    return nil
                }, reference.toOpaque())
            guard status == 0 else {
                unsafe reference.release()
                return false
            }
        #endif
        return pthread_join(thread, nil) == 0
    }
}
