/// A key and certificate for a server on this machine, kept in memory only.
///
/// The certificate is valid for `localhost`, `127.0.0.1` and `::1`. It cannot sign others, so clients that trust it
/// trust only this server.
package final class TLSIdentity: Sendable {
    package let certificate: String

    private let library: TLSLibrary
    private let context: TLSLibrary.Handle

    private static let lifetime = 7 * 86_400

    /// - Throws: ``SystemError`` if OpenSSL is missing or makes no key.
    package init() throws(SystemError) {
        let library = try TLSLibrary()
        let crypto = library.crypto
        func made(_ handle: TLSLibrary.Handle) throws(SystemError) -> TLSLibrary.Handle {
            try crypto.made(handle, "make a certificate")
        }
        func check(_ result: Int32, _ what: String) throws(SystemError) { try crypto.check(result, what) }
        // EVP_PKEY_EC
        let keys = try made(library.newKeys(408, 0))
        defer { library.freeKeys(keys) }
        var key = 0
        try check(library.beginKeys(keys), "make a key")
        try check(unsafe library.setKeyOption(keys, "ec_paramgen_curve", "P-256"), "make a key")
        try check(unsafe library.makeKey(keys, &key), "make a key")

        let certificate = try made(library.newCertificate())
        try check(library.setVersion(certificate, 2), "make a certificate")
        // Browsers refuse two certificates of one issuer with the same number.
        let number = Int.random(in: 1...Int.max)
        try check(library.setInteger(library.serialNumber(certificate), number), "make a certificate")
        // Clocks may differ.
        _ = library.setTime(library.start(certificate), -3_600)
        _ = library.setTime(library.end(certificate), Self.lifetime)
        try check(library.setKey(certificate, key), "make a certificate")
        let name = library.subject(certificate)
        // MBSTRING_UTF8
        try check(unsafe library.addName(name, "CN", 0x1000, "localhost", -1, -1, 0), "name a certificate")
        try check(library.setIssuer(certificate, name), "name a certificate")
        // NID_basic_constraints, NID_key_usage, NID_ext_key_usage and NID_subject_alt_name
        for (kind, text) in [
            (87, "critical,CA:FALSE"), (83, "critical,digitalSignature"), (126, "serverAuth"),
            (85, "DNS:localhost,IP:127.0.0.1,IP:::1"),
        ] as [(Int32, String)] {
            let part = try made(unsafe library.newExtension(0, 0, kind, text))
            try check(library.addExtension(certificate, part, -1), "make a certificate")
            library.freeExtension(part)
        }
        try check(library.sign(certificate, key, crypto.sha256()), "sign a certificate")

        context = try made(library.newContext(library.server()))
        try check(library.useCertificate(context, certificate), "use the certificate")
        try check(library.useKey(context, key), "use the key")
        let text = try made(crypto.newBytes(crypto.bytesInMemory()))
        try check(library.writeCertificate(text, certificate), "write the certificate")
        self.certificate = String(decoding: crypto.bytes(in: text), as: UTF8.self)
        crypto.freeBytes(text)
        self.library = library
    }

    /// Relays between a client and the server until one of them has finished, then closes both sockets.
    /// - Parameters:
    ///   - client: The client's connection, which speaks TLS.
    ///   - inside: The server's end, which carries the decrypted bytes.
    func relay(_ client: LoopbackSocket, to inside: LoopbackSocket) {
        defer {
            client.close()
            inside.close()
        }
        guard let session = TLSSession(library, context) else { return }
        while true {
            guard client.send(session.toSend(), patience: Self.patience) else { return }
            guard let readable = LoopbackSocket.waitToRead(client, inside, for: .seconds(60)) else { return }
            if readable.one {
                guard let bytes = client.receive(), let text = session.received(bytes) else { return }
                guard inside.send(text, patience: Self.patience) else { return }
            }
            if readable.other {
                guard let bytes = inside.receive() else { break }
                guard session.send(bytes) else { return }
            }
        }
        guard client.send(session.close(), patience: Self.patience) else { return }
        client.finishSending()
        client.drain()
    }

    private static let patience = Duration.seconds(30)
}

private final class TLSSession {
    private let library: TLSLibrary
    private let session: TLSLibrary.Handle
    private let incoming: TLSLibrary.Handle
    private let outgoing: TLSLibrary.Handle

    init?(_ library: TLSLibrary, _ context: TLSLibrary.Handle) {
        self.library = library
        session = library.newSession(context)
        incoming = library.crypto.newBytes(library.crypto.bytesInMemory())
        outgoing = library.crypto.newBytes(library.crypto.bytesInMemory())
        guard session != 0, incoming != 0, outgoing != 0 else { return nil }
        // The session owns them from now on.
        library.setBytes(session, incoming, outgoing)
        library.accept(session)
    }

    deinit { library.freeSession(session) }

    func toSend() -> Data { library.crypto.bytes(in: outgoing) }

    /// The decrypted bytes; nil if the client has closed the connection or violates the protocol.
    func received(_ bytes: [UInt8]) -> Data? {
        _ = unsafe bytes.withUnsafeBytes {
            library.crypto.giveBytes(incoming, Int(bitPattern: $0.baseAddress), Int32($0.count))
        }
        var text = Data()
        var part = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            library.crypto.clearErrors()
            let count = unsafe part.withUnsafeMutableBytes {
                library.receive(session, Int(bitPattern: $0.baseAddress), Int32($0.count))
            }
            guard count > 0 else {
                // SSL_ERROR_WANT_READ: more bytes have yet to arrive.
                return library.error(session, count) == 2 ? text : nil
            }
            text.append(contentsOf: part[..<Int(count)])
        }
    }

    /// False if the session can send nothing more.
    func send(_ bytes: [UInt8]) -> Bool {
        library.crypto.clearErrors()
        return unsafe bytes.withUnsafeBytes { library.send(session, Int(bitPattern: $0.baseAddress), Int32($0.count)) }
            > 0
    }

    func close() -> Data {
        _ = library.shutDown(session)
        return toSend()
    }
}
