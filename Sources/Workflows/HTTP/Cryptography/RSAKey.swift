package final class RSAKey: Sendable {
    package enum Padding: Sendable {
        /// RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2).
        case pkcs1
        /// RSASSA-PSS with a salt as long as the hash (RFC 8017, section 8.1).
        case pss
    }

    let library: CryptoLibrary
    let handle: CryptoLibrary.Handle
    // EVP_PKEY_RSA and EVP_PKEY_RSA_PSS
    private static let kinds: Set<Int32> = [6, 912]

    init(_ handle: CryptoLibrary.Handle, _ library: CryptoLibrary) throws(SystemError) {
        self.handle = try library.made(handle, "read the key")
        self.library = library
        guard Self.kinds.contains(library.kindOfKey(handle)) else { throw SystemError("it is no RSA key") }
    }

    /// Reads a key in DER, as PKCS #1 or PKCS #8.
    package convenience init(der: Data, _ library: CryptoLibrary) throws(SystemError) {
        let handle = unsafe der.withUnsafeBytes { bytes in
            var start = Int(bitPattern: bytes.baseAddress)
            return unsafe withUnsafeMutablePointer(to: &start) {
                library.readKey(0, Int(bitPattern: $0), bytes.count)
            }
        }
        try self.init(handle, library)
    }

    deinit { library.freeKey(handle) }

    package func signature(of message: Data, _ padding: Padding) throws(SystemError) -> Data {
        let context = try library.made(library.newDigest(), "sign")
        defer { library.freeDigest(context) }
        var options = 0
        let begun = unsafe withUnsafeMutablePointer(to: &options) {
            library.beginSigning(context, Int(bitPattern: $0), library.sha256(), 0, handle)
        }
        try library.check(begun, "sign")
        if padding == .pss {
            try set("rsa_padding_mode", "pss", options)
            try set("rsa_pss_saltlen", "32", options)
        }
        let updated = unsafe message.withUnsafeBytes {
            library.updateDigest(context, Int(bitPattern: $0.baseAddress), $0.count)
        }
        try library.check(updated, "sign")
        var count = 0
        let asked = unsafe withUnsafeMutablePointer(to: &count) { library.endSigning(context, 0, Int(bitPattern: $0)) }
        try library.check(asked, "sign")
        var signature = Data(count: count)
        let signed = unsafe signature.withUnsafeMutableBytes { signature in
            unsafe withUnsafeMutablePointer(to: &count) {
                library.endSigning(context, Int(bitPattern: signature.baseAddress), Int(bitPattern: $0))
            }
        }
        try library.check(signed, "sign")
        return signature.prefix(count)
    }

    private func set(_ name: String, _ value: String, _ options: CryptoLibrary.Handle) throws(SystemError) {
        let result = unsafe name.withCString { name in
            unsafe value.withCString {
                library.setKeyOption(options, Int(bitPattern: name), Int(bitPattern: $0))
            }
        }
        try library.check(result, "sign")
    }
}
