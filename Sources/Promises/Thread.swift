internal import Dispatch

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The few functions of threads that are needed.
enum Thread {
    /// A number that no other living thread has; never 0.
    static var current: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: unsafe pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// Whether the caller is the main thread, which belongs to the main queue from the start.
    static var isMain: Bool { DispatchQueue.getSpecific(key: mainKey) ?? false }

    private static let mainKey = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// The handlers that run at once on the calling thread, if any.
    @unsafe
    static var nesting: UnsafeMutablePointer<Nesting>? {
        get { unsafe pthread_getspecific(nestingKey)?.assumingMemoryBound(to: Nesting.self) }
        set { _ = unsafe pthread_setspecific(nestingKey, newValue) }
    }

    private static let nestingKey = {
        var key = pthread_key_t()
        let result = unsafe pthread_key_create(&key, nil)
        precondition(result == 0, "The process has no keys for data of threads left.")
        return key
    }()

    static func yield() { sched_yield() }

    static func writeToStandardError(_ text: String) {
        var rest = Substring(text).utf8[...]
        while !rest.isEmpty {
            let written = unsafe Array(rest).withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
            // If standard error is closed, there is nowhere to report it.
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
