extension LoopbackSocket {
    /// Connects to 127.0.0.0/8 or ::1; `localhost` means 127.0.0.1, else ::1.
    package static func connected(to host: HostName, port: UInt16) throws(SystemError) -> LoopbackSocket {
        switch host.name {
        case "::1": return try connected(loopback6(port: port), AF_INET6)
        case "localhost":
            do throws(SystemError) {
                return try connected(loopback4(0x7f00_0001, port: port), AF_INET)
            } catch {
                return try connected(loopback6(port: port), AF_INET6)
            }
        default:
            let address = (host.numbers ?? []).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return try connected(loopback4(address, port: port), AF_INET)
        }
    }

    /// Opens sockets that listen at 127.0.0.1 and ::1, because `localhost` may mean either.
    ///
    /// - Parameter port: The port at both; 0 for one that is free at both.
    static func listening(port: UInt16) throws(SystemError) -> (sockets: [LoopbackSocket], port: UInt16) {
        var triesLeft = port == 0 ? 8 : 1
        while true {
            triesLeft -= 1
            let first = try listening(.ipv4, port: port)
            let found = first.port
            do throws(SystemError) {
                return ([first, try listening(.ipv6, port: found)], found)
            } catch {
                // On a machine without IPv6, only 127.0.0.1 is served.
                guard error.isAddressInUse else { return ([first], found) }
                first.close()
                if triesLeft == 0 { throw error }
            }
        }
    }

    static func listening(at address: ListeningAddress) throws(SystemError) -> (sockets: [LoopbackSocket], port: UInt16)
    {
        guard let host = address.host else { return try listening(port: address.port) }
        let socket = try listening(host.numbers == nil ? .ipv6 : .ipv4, at: host, port: address.port)
        return ([socket], socket.port)
    }

    /// Without a host, at 127.0.0.1 or ::1.
    package static func listening(
        _ family: Family, at host: HostName? = nil, port: UInt16
    ) throws(SystemError) -> LoopbackSocket {
        let made = try opened(family == .ipv4 ? AF_INET : AF_INET6)
        do throws(SystemError) {
            try made.setOption(SOL_SOCKET, SO_REUSEADDR)
            switch family {
            case .ipv4:
                let numbers = host?.numbers ?? [127, 0, 0, 1]
                try made.bind(loopback4(numbers.reduce(0) { $0 << 8 | UInt32($1) }, port: port))
            case .ipv6:
                try made.setOption(Int32(IPPROTO_IPV6), IPV6_V6ONLY)
                var address = loopback6(port: port)
                address.sin6_addr = host?.address6 ?? in6addr_loopback
                try made.bind(address)
            }
            guard listen(made.descriptor, SOMAXCONN) == 0 else { throw .last }
        } catch {
            made.close()
            throw error
        }
        return made
    }

    static func pair() throws(SystemError) -> (LoopbackSocket, LoopbackSocket) {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, SystemCall.stream, 0, &ends) == 0 else { throw .last }
        let (one, other) = (LoopbackSocket(descriptor: ends[0]), LoopbackSocket(descriptor: ends[1]))
        #if canImport(Darwin)
            for end in [one, other] { try end.setOption(SOL_SOCKET, SO_NOSIGPIPE) }
        #endif
        return (one, other)
    }

    private static func opened(_ family: Int32) throws(SystemError) -> LoopbackSocket {
        let descriptor = socket(family, SystemCall.stream, 0)
        guard descriptor >= 0 else { throw .last }
        let opened = LoopbackSocket(descriptor: descriptor)
        // Otherwise a message's end would wait for the acknowledgement of its beginning.
        try opened.setOption(Int32(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
            try opened.setOption(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
        return opened
    }

    private static func connected<Address>(
        _ address: Address, _ family: Int32
    ) throws(SystemError) -> LoopbackSocket {
        let socket = try opened(family)
        var address = address
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket.descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard result == 0 else {
            let error = SystemError.last
            socket.close()
            throw error
        }
        return socket
    }

    private static func loopback4(_ host: UInt32, port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return address
    }

    private static func loopback6(port: UInt16) -> sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return address
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
                unsafe SystemCall.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard result == 0 else { throw .last }
    }
}
