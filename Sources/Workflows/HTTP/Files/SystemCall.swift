package import Foundation

/// The system's calls whose names a method here has too.
package enum SystemCall {
    static func accept(_ descriptor: Int32) -> Int32 { Foundation.accept(descriptor, nil, nil) }
    package static func close(_ descriptor: Int32) { _ = Foundation.close(descriptor) }
    package static func pipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { unsafe Foundation.pipe(ends) }
    package static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        unsafe Foundation.read(descriptor, bytes, count)
    }
    package static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        unsafe Foundation.write(descriptor, bytes, count)
    }
    /// Waits until what was written is safe from a loss of power.
    static func synchronize(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // There, fsync leaves the bytes in the drive's own memory.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }
    package static func kill(_ process: pid_t, _ signal: Int32) { _ = Foundation.kill(process, signal) }
    static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
        unsafe Foundation.bind(descriptor, address, length)
    }
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
        unsafe Foundation.send(descriptor, bytes, count, flags)
    }
}
