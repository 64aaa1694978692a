/// A socket, by its descriptor; its owner must close it.
package struct LoopbackSocket: Sendable, Hashable {
    package enum Family {
        case ipv4, ipv6
    }

    package enum Readiness {
        case ready, timedOut, closed
    }

    let descriptor: Int32

    package var port: UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        // The port has the same offset in the addresses of both families.
        return result == 0 ? UInt16(bigEndian: address.sin6_port) : 0
    }

    /// Nil if no connection is left.
    package func accept() throws(SystemError) -> LoopbackSocket? {
        let accepted = SystemCall.accept(descriptor)
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

    package func waitToRead(for duration: Duration) -> Readiness { wait(Int16(POLLIN), duration) }

    static func waitToRead(
        _ one: LoopbackSocket, _ other: LoopbackSocket, for duration: Duration
    ) -> (one: Bool, other: Bool)? {
        var entries = [one, other].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        let count = unsafe poll(&entries, 2, Int32(clamping: duration.components.seconds * 1000))
        guard count >= 0 || errno == EINTR else { return nil }
        return (count > 0 && entries[0].revents != 0, count > 0 && entries[1].revents != 0)
    }

    /// Receives the remaining bytes for about a minute: closing with unread bytes would reset the connection and lose
    /// what was sent last.
    func drain() {
        for _ in 0..<64 {
            guard waitToRead(for: .seconds(1)) == .ready, receive() != nil else { return }
        }
    }

    /// Receives some bytes, at most 64 KB; nil if the peer has closed.
    package func receive() -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            var received: Int
            repeat {
                received = unsafe recv(descriptor, buffer.baseAddress, 65_536, 0)
            } while received < 0 && errno == EINTR
            count = max(0, received)
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Sends all bytes; false if the peer has closed or does not accept them in time.
    package func send(_ data: some ContiguousBytes, patience: Duration) -> Bool {
        #if canImport(Darwin)
            let flags = Int32(MSG_DONTWAIT)
        #else
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #endif
        return unsafe data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe SystemCall.send(
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

    /// Ends both directions, which wakes threads that wait for the socket.
    package func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Prevents child processes from holding the connection open.
    func keepFromChildren() { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    func finishSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    package func close() { SystemCall.close(descriptor) }

    private func wait(_ events: Int16, _ duration: Duration) -> Readiness {
        let end = ContinuousClock.now + duration
        while true {
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let rest = max(.zero, ContinuousClock.now.duration(to: end))
            let count = unsafe poll(&entry, 1, Int32(clamping: Int64((rest / .milliseconds(1)).rounded(.up))))
            if count > 0 { return .ready }
            if count == 0 { return .timedOut }
            // A signal is no reason to stop waiting.
            guard errno == EINTR else { return .closed }
        }
    }

    /// Makes closing reset the connection; the peer sees a reset instead of an end.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, Int32(SO_LINGER), &option, socklen_t(MemoryLayout<linger>.size))
    }
}
