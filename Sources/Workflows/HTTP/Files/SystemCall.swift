package import Essentials

/// System calls whose names collide with methods here.
package enum SystemCall {
    static func accept(_ descriptor: Int32) -> Int32 { Essentials.accept(descriptor, nil, nil) }
    package static func close(_ descriptor: Int32) { _ = Essentials.close(descriptor) }
    package static func pipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { unsafe Essentials.pipe(ends) }
    package static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        unsafe Essentials.read(descriptor, bytes, count)
    }
    package static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        unsafe Essentials.write(descriptor, bytes, count)
    }
    /// Waits until the written data survives a loss of power.
    static func synchronize(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // On macOS, fsync leaves the data in the drive's cache.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }
    package static func kill(_ process: pid_t, _ signal: Int32) { _ = Essentials.kill(process, signal) }
    static func isAlive(_ process: pid_t) -> Bool { Essentials.kill(process, 0) == 0 || errno == EPERM }
    static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
        unsafe Essentials.bind(descriptor, address, length)
    }
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
        unsafe Essentials.send(descriptor, bytes, count, flags)
    }
}
