#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

package enum SystemThread {
    /// Runs a body on a new thread.
    /// - Parameter stackSize: The bytes of its stack; nil for the system's default.
    package static func start(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        if let stackSize { unsafe pthread_attr_setstacksize(&attributes, stackSize) }
        let work = unsafe Unmanaged.passRetained(Work(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = unsafe pthread_create(&thread, &attributes, { unsafe SystemThread.run($0) }, work.toOpaque())
        #else
            var thread = pthread_t()
            let code = unsafe pthread_create(&thread, &attributes, { unsafe SystemThread.run($0) }, work.toOpaque())
        #endif
        // If the system has no thread to give, the body waits for one of the queues' threads.
        if code != 0 { DispatchQueue.global().async(execute: unsafe work.takeRetainedValue().body) }
    }

    package static func sleep(seconds: Double) {
        let end = ContinuousClock.now + .seconds(seconds)
        while case let rest = ContinuousClock.now.duration(to: end), rest > .zero {
            // At most a second at a time, which every system's `usleep` accepts.
            _ = usleep(UInt32(min(rest / .microseconds(1), 999_999)))
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func run(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let work = unsafe work else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
    }
}
