/// System calls whose names collide with methods here.
package enum SystemCall {
    package static func close(_ descriptor: Int32) { _ = Essentials.close(descriptor) }
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

/// Descriptors that no child inherits, even one that starts between two system calls.
extension SystemCall {
    #if canImport(Darwin)
        /// Children inherit only named descriptors here, so no flag is needed.
        package static let (stream, datagram) = (SOCK_STREAM, SOCK_DGRAM)
        static func accept(_ descriptor: Int32) -> Int32 { Essentials.accept(descriptor, nil, nil) }
        package static func pipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { unsafe Essentials.pipe(ends) }
    #else
        #if canImport(Musl)
            package static let (stream, datagram) = (SOCK_STREAM | SOCK_CLOEXEC, SOCK_DGRAM | SOCK_CLOEXEC)
        #else
            package static let (stream, datagram) = (
                Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue),
                Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
            )
        #endif

        // Both functions are older than Swift, but the Glibc module does not export them. A static program has neither.
        static func accept(_ descriptor: Int32) -> Int32 {
            guard let function = unsafe dlsym(nil, "accept4") else {
                let accepted = Essentials.accept(descriptor, nil, nil)
                if accepted >= 0 { _ = fcntl(accepted, F_SETFD, FD_CLOEXEC) }
                return accepted
            }
            typealias Accept = @convention(c) (Int32, OpaquePointer?, OpaquePointer?, Int32) -> Int32
            // SOCK_CLOEXEC has the value of O_CLOEXEC.
            return unsafe unsafeBitCast(function, to: Accept.self)(descriptor, nil, nil, O_CLOEXEC)
        }

        package static func pipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 {
            guard let function = unsafe dlsym(nil, "pipe2") else { return unsafe Essentials.pipe(ends) }
            typealias Pipe = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
            return unsafe unsafeBitCast(function, to: Pipe.self)(ends, O_CLOEXEC)
        }
    #endif
}
