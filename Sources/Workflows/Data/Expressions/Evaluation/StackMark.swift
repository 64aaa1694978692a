/// A position on a thread's stack, from which the stack used since then can be measured.
///
/// Swift offers no other way to detect that a recursion nears the end of its stack before it crashes.
struct StackMark {
    /// The usable part of a stack of unknown size: pool threads have 512 KB.
    private static let smallShare = 160 << 10
    /// The levels of a value, or frames, that such a stack can safely release.
    private static let smallLevels = 800
    private static let largeStacks = [1 << 30, 256 << 20, 64 << 20]
    private static let bytesPerLevel = 400

    private let start: UInt
    private let limit: UInt
    let levels: Int
    let isLarge: Bool

    /// Marks the current position on a thread whose stack may be small.
    @inline(never)
    init() { self.init(limit: Self.smallShare, levels: Self.smallLevels, isLarge: false) }

    private init(limit: Int, levels: Int, isLarge: Bool) {
        start = Self.here()
        self.limit = UInt(limit)
        self.levels = levels
        self.isLarge = isLarge
    }

    var isExhausted: Bool {
        let here = Self.here()
        return start > here && start - here > limit
    }

    @inline(__always)
    private static func here() -> UInt {
        var place: UInt8 = 0
        return unsafe withUnsafeMutablePointer(to: &place) { UInt(bitPattern: $0) }
    }

    /// Runs the body here, and again on a large stack if it returns nil because this one was exhausted.
    ///
    /// - Returns: The body's result; nil if no stack suffices.
    static func onSufficientStack<Result: Sendable>(
        _ body: @escaping @Sendable (StackMark) -> Result?
    ) -> Result? { body(StackMark()) ?? onLargeStack(body) ?? nil }

    /// Runs the body on a new thread with a large stack, while the calling thread waits.
    ///
    /// - Returns: The body's result; nil if the system has no memory for such a stack.
    static func onLargeStack<Result: Sendable>(_ body: @escaping @Sendable (StackMark) -> Result) -> Result? {
        let result = Locked<Result?>(nil)
        for size in largeStacks {
            let work = Work {
                // Half is reserved for releasing values, which is not measured.
                let value = body(StackMark(limit: size / 2, levels: size / 3 * 2 / bytesPerLevel, isLarge: true))
                result.withLock { $0 = value }
            }
            if work.run(stackSize: size) { return result.withLock { $0 } }
        }
        return nil
    }
}

private final class Work: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Runs the work and waits until the thread has ended; false if no such thread can be created.
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
