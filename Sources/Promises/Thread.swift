#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

enum Thread {
    /// Unique among living threads; never 0.
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

    /// The handlers that run inline on the calling thread, if any.
    @unsafe
    static var nesting: UnsafeMutablePointer<Nesting>? {
        get { unsafe pthread_getspecific(nestingKey)?.assumingMemoryBound(to: Nesting.self) }
        set { _ = unsafe pthread_setspecific(nestingKey, newValue) }
    }

    /// The place that a program has made and that the thread runs; 0 for none.
    static var place: UInt16 {
        get { UInt16(truncatingIfNeeded: unsafe UInt(bitPattern: pthread_getspecific(placeKey))) }
        set { _ = unsafe pthread_setspecific(placeKey, UnsafeRawPointer(bitPattern: UInt(newValue))) }
    }

    private static let placeKey = key()
    private static let nestingKey = key()

    private static func key() -> pthread_key_t {
        var key = pthread_key_t()
        let result = unsafe pthread_key_create(&key, nil)
        precondition(result == 0, "The process has no keys for data of threads left.")
        return key
    }

    static func yield() { sched_yield() }

    static var cores: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }

    static func writeToStandardError(_ text: String) {
        var rest = Substring(text).utf8[...]
        while !rest.isEmpty {
            let written = unsafe Array(rest).withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
            // If standard error is closed, the message is lost.
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
