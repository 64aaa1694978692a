import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A socket of the system, by its descriptor; closing it is its holder's duty.
struct LoopbackSocket: Sendable, Hashable {
    enum Family {
        case ipv4, ipv6
    }

    /// What the system said to a call that failed.
    struct SystemError: Error, CustomStringConvertible {
        var code: Int32
        var description: String { unsafe String(cString: strerror(code)) }
        var isAddressInUse: Bool { code == EADDRINUSE }

        static var last: SystemError { SystemError(code: errno) }
    }

    enum Readiness {
        case ready, timedOut, closed
    }

    let descriptor: Int32

    /// Opens a socket that listens at 127.0.0.1 or ::1.
    static func listening(_ family: Family, port: UInt16) throws(SystemError) -> LoopbackSocket {
        #if canImport(Glibc)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        let descriptor = socket(family == .ipv4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else { throw .last }
        let made = LoopbackSocket(descriptor: descriptor)
        do throws(SystemError) {
            try made.setOption(SOL_SOCKET, SO_REUSEADDR)
            switch family {
            case .ipv4:
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
                try made.bind(address)
            case .ipv6:
                try made.setOption(Int32(IPPROTO_IPV6), IPV6_V6ONLY)
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = port.bigEndian
                address.sin6_addr = in6addr_loopback
                try made.bind(address)
            }
            guard listen(descriptor, 128) == 0 else { throw .last }
        } catch {
            made.close()
            throw error
        }
        return made
    }

    /// The port that it listens at.
    var port: UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        // The port is at the same place in the addresses of both families.
        return result == 0 ? UInt16(bigEndian: address.sin6_port) : 0
    }

    /// Takes a connection that waits; nil where there is none any more.
    func accept() throws(SystemError) -> LoopbackSocket? {
        let accepted = System.accept(descriptor)
        guard accepted >= 0 else {
            if [EAGAIN, EWOULDBLOCK, ECONNABORTED, EINTR].contains(errno) { return nil }
            throw .last
        }
        let connection = LoopbackSocket(descriptor: accepted)
        #if canImport(Darwin)
            try connection.setOption(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
        return connection
    }

    /// Waits until bytes or a connection are there.
    func waitToRead(for duration: Duration) -> Readiness { wait(Int16(POLLIN), duration) }

    /// Some bytes, at most 64 KB; nil where the other side has closed.
    func receive() -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, unsafe recv(descriptor, buffer.baseAddress, 65_536, 0))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Sends all bytes; false where the other side has closed or does not take them in time.
    func send(_ data: Data, patience: Duration) -> Bool {
        #if canImport(Darwin)
            let flags = Int32(MSG_DONTWAIT)
        #else
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #endif
        return unsafe data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe System.send(
                    descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, flags)
                if count > 0 {
                    sent += count
                } else if errno == EAGAIN || errno == EWOULDBLOCK {
                    guard wait(Int16(POLLOUT), patience) == .ready else { return false }
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    /// Ends both directions, which wakes whoever waits for it in another thread.
    func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Says that no more will be sent.
    func finishSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    func close() { System.close(descriptor) }

    private func wait(_ events: Int16, _ duration: Duration) -> Readiness {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        let milliseconds = Int32(clamping: duration.components.seconds * 1000)
        let count = unsafe poll(&entry, 1, milliseconds)
        if count > 0 { return .ready }
        return count == 0 || errno == EINTR ? .timedOut : .closed
    }

    private func setOption(_ level: Int32, _ name: Int32) throws(SystemError) {
        var on: Int32 = 1
        guard unsafe setsockopt(descriptor, level, name, &on, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw .last
        }
    }

    private func bind<Address>(_ address: Address) throws(SystemError) {
        var address = address
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe System.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard result == 0 else { throw .last }
    }
}

/// The system's calls whose names a method here has too.
private enum System {
    #if canImport(Darwin)
        static func accept(_ descriptor: Int32) -> Int32 { Darwin.accept(descriptor, nil, nil) }
        static func close(_ descriptor: Int32) { _ = Darwin.close(descriptor) }
        static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
            unsafe Darwin.bind(descriptor, address, length)
        }
        static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
            unsafe Darwin.send(descriptor, bytes, count, flags)
        }
    #elseif canImport(Glibc)
        static func accept(_ descriptor: Int32) -> Int32 { Glibc.accept(descriptor, nil, nil) }
        static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
        static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
            unsafe Glibc.bind(descriptor, address, length)
        }
        static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
            unsafe Glibc.send(descriptor, bytes, count, flags)
        }
    #elseif canImport(Musl)
        static func accept(_ descriptor: Int32) -> Int32 { Musl.accept(descriptor, nil, nil) }
        static func close(_ descriptor: Int32) { _ = Musl.close(descriptor) }
        static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
            unsafe Musl.bind(descriptor, address, length)
        }
        static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
            unsafe Musl.send(descriptor, bytes, count, flags)
        }
    #endif
}
