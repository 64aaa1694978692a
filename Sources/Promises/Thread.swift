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
