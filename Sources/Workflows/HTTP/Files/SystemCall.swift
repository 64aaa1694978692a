package import Foundation

/// System calls whose names collide with methods here.
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
    /// Waits until the written data survives a loss of power.
    static func synchronize(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // On macOS, fsync leaves the data in the drive's cache.
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
