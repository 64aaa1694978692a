/// An RSA private key with its certificate, read from PEM (RFC 7468) or PKCS #12 (RFC 7292).
struct KeyPair: Sendable {
    let key: RSAKey
    /// As DER: the key's certificate, then each available issuer in turn.
    let certificates: [Data]

    var thumbprint: [UInt8] { SHA256.hash(of: certificates.first ?? Data()) }

    /// - Parameter password: The password of an encrypted key; empty for none.
    init(_ data: Data, password: Secret, _ library: CryptoLibrary) throws(SystemError) {
        let isPEM = String(decoding: data, as: UTF8.self).contains("-----BEGIN ")
        let found = try isPEM ? Self.pem(data, password, library) : Self.archive(data, password, library)
        let all = Certificates(found.certificates, library)
        let key = try RSAKey(found.key, library)
        guard !all.handles.isEmpty else { throw SystemError("it contains no certificate") }
        guard let own = all.handles.first(where: { library.isKeyOfCertificate($0, key.handle) == 1 }) else {
            library.clearErrors()
            throw SystemError("its key is not that of a certificate in it")
        }
        self.key = key
        certificates = try all.chain(from: own)
    }

    private typealias Found = (key: CryptoLibrary.Handle, certificates: [CryptoLibrary.Handle])

    private static func pem(
        _ data: Data, _ password: Secret, _ library: CryptoLibrary
    ) throws(SystemError) -> Found {
        let key = try library.reading(data) { source throws(SystemError) in
            // Without a password here, the library would ask for one at the terminal.
            unsafe password.revealed.withCString { library.readPEMKey(source, 0, 0, Int(bitPattern: $0)) }
        }
        guard key != 0 else {
            throw SystemError(
                String(decoding: data, as: UTF8.self).contains("PRIVATE KEY-----")
                    ? "its key cannot be read, or the password is wrong: \(library.takeReasons())"
                    : "it contains no private key: add it after the certificate")
        }
        let certificates = try library.reading(data) { source throws(SystemError) in
            Array(
                sequence(state: ()) { _ -> CryptoLibrary.Handle? in
                    let certificate = library.readPEMCertificate(source, 0, 0, 0)
                    return certificate == 0 ? nil : certificate
                })
        }
        // The end of the file also counts as an error.
        library.clearErrors()
        return (key, certificates)
    }

    private static func archive(
        _ data: Data, _ password: Secret, _ library: CryptoLibrary
    ) throws(SystemError) -> Found {
        let archive = try library.reading(data) { source throws(SystemError) in library.readPKCS12(source, 0) }
        guard archive != 0 else {
            library.clearErrors()
            throw SystemError("it is neither PEM nor PKCS #12")
        }
        defer { library.freePKCS12(archive) }
        // The key, its certificate, and a list of the others.
        var parts = (0, 0, 0)
        let result = unsafe withUnsafeMutableBytes(of: &parts) { parts in
            let first = Int(bitPattern: parts.baseAddress)
            let size = MemoryLayout<Int>.size
            return unsafe password.revealed.withCString {
                library.parsePKCS12(archive, Int(bitPattern: $0), first, first + size, first + 2 * size)
            }
        }
        guard result > 0 else {
            throw SystemError("it cannot be read, or the password is wrong: \(library.takeReasons())")
        }
        var certificates = parts.1 == 0 ? [] : [parts.1]
        if parts.2 != 0 {
            certificates += (0..<max(0, library.listCount(parts.2))).map { library.listElement(parts.2, $0) }
            library.freeList(parts.2)
        }
        guard parts.0 != 0 else {
            _ = Certificates(certificates, library)
            throw SystemError("it contains no private key")
        }
        return (parts.0, certificates)
    }
}

private final class Certificates {
    let handles: [CryptoLibrary.Handle]
    private let library: CryptoLibrary

    init(_ handles: [CryptoLibrary.Handle], _ library: CryptoLibrary) {
        self.handles = handles
        self.library = library
    }

    deinit { for handle in handles { library.freeCertificate(handle) } }

    /// A certificate, its issuer, that issuer's issuer, and so on, as DER.
    func chain(from first: CryptoLibrary.Handle) throws(SystemError) -> [Data] {
        var chain = [first]
        // X509_V_OK
        while let last = chain.last,
            let issuer = handles.first(where: { !chain.contains($0) && library.isIssuer($0, last) == 0 })
        {
            chain.append(issuer)
        }
        library.clearErrors()
        var encoded: [Data] = []
        for certificate in chain { encoded.append(try der(of: certificate)) }
        return encoded
    }

    private func der(of certificate: CryptoLibrary.Handle) throws(SystemError) -> Data {
        let count = library.writeCertificate(certificate, 0)
        try library.check(count, "write the certificate")
        var data = Data(count: Int(count))
        let written = unsafe data.withUnsafeMutableBytes { bytes in
            var start = Int(bitPattern: bytes.baseAddress)
            return unsafe withUnsafeMutablePointer(to: &start) {
                library.writeCertificate(certificate, Int(bitPattern: $0))
            }
        }
        guard written == count else { throw SystemError("libcrypto cannot write the certificate") }
        return data
    }
}
