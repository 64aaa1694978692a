/// An RSA public key as identity platforms publish it (RFC 7518, section 6.3.1).
final class RSAPublicKey: Sendable {
    /// The fewest bits of a modulus whose signatures count (RFC 7518, section 3.3).
    private static let fewestBits = 2_048

    private let library: CryptoLibrary
    private let handle: CryptoLibrary.Handle

    /// - Throws: ``SystemError`` if the numbers are not those of a key, or if the key is too short.
    init(modulus: Data, exponent: Data, _ library: CryptoLibrary) throws(SystemError) {
        let significant = modulus.drop { $0 == 0 }
        guard significant.count * 8 >= Self.fewestBits else {
            throw SystemError("it has fewer than \(Self.fewestBits) bits")
        }
        // With the exponent 1 everything is its own signature.
        guard let last = exponent.last, last % 2 == 1, exponent.drop(while: { $0 == 0 }).elementsEqual([1]) == false
        else {
            throw SystemError("its exponent is not that of a key")
        }
        // SubjectPublicKeyInfo (RFC 5280) of rsaEncryption, with an RSAPublicKey (RFC 8017) inside.
        let numbers = DER.sequence(DER.integer(modulus), DER.integer(exponent))
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0,
        ]
        let bytes = DER.sequence(algorithm, DER.element(0x03, [0] + numbers))
        let handle = unsafe bytes.withUnsafeBytes { bytes in
            var start = Int(bitPattern: bytes.baseAddress)
            return unsafe withUnsafeMutablePointer(to: &start) {
                library.readPublicKey(0, Int(bitPattern: $0), bytes.count)
            }
        }
        self.handle = try library.made(handle, "read the key")
        self.library = library
    }

    deinit { library.freeKey(handle) }

    /// Whether the message has this signature: RSASSA-PKCS1-v1_5 with SHA-256 (RS256 of RFC 7518).
    func isSignature(_ signature: Data, of message: Data) throws(SystemError) -> Bool {
        let context = try library.made(library.newDigest(), "check a signature")
        defer { library.freeDigest(context) }
        try library.check(library.beginVerifying(context, 0, library.sha256(), 0, handle), "check a signature")
        let updated = unsafe message.withUnsafeBytes {
            library.updateDigest(context, Int(bitPattern: $0.baseAddress), $0.count)
        }
        try library.check(updated, "check a signature")
        let result = unsafe signature.withUnsafeBytes {
            library.endVerifying(context, Int(bitPattern: $0.baseAddress), $0.count)
        }
        library.clearErrors()
        return result == 1
    }
}

/// The few forms of DER (X.690) that a public key needs.
private enum DER {
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(0x30, elements.flatMap(\.self)) }

    /// A number that is not negative; a leading one bit would make it so.
    static func integer(_ number: Data) -> [UInt8] {
        let digits = number.drop { $0 == 0 }
        return element(0x02, digits.first.map { $0 >= 0x80 ? [0] + digits : Array(digits) } ?? [0])
    }
}
