/// Authenticated encryption: AES with a 256-bit key in Galois/Counter Mode, by libcrypto.
///
/// Specification: NIST SP 800-38D, with nonces of 96 bits and tags of 128.
package struct AES256GCM: Sendable {
    package static let keySize = 32
    private static let nonceSize = 12
    private static let tagSize = 16
    // EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG
    private static let (getTag, setTag): (Int32, Int32) = (0x10, 0x11)

    private let key: Data
    private let library: CryptoLibrary

    /// - Precondition: The key has ``keySize`` bytes.
    package init(key: Data, _ library: CryptoLibrary) {
        precondition(key.count == Self.keySize)
        self.key = key
        self.library = library
    }

    /// Encrypts bytes under a new random nonce.
    /// - Parameter label: Binds the box; opening it requires the same label.
    /// - Returns: The nonce, the encrypted bytes and the tag.
    package func seal(_ plain: Data, label: Data) throws(SystemError) -> Data {
        try seal(plain, label: label, nonce: .random(Self.nonceSize))
    }

    /// Encrypts bytes under a nonce, which must never be used again with the key.
    package func seal(_ plain: Data, label: Data, nonce: Data) throws(SystemError) -> Data {
        let context = try library.made(library.newCipher(), "encrypt")
        defer { library.freeCipher(context) }
        try begin(library.beginEncrypting, context, nonce)
        try authenticate(label, library.encrypt, context)
        let encrypted = try translate(plain, library.encrypt, context)
        try library.check(end(library.endEncrypting, context), "encrypt")
        var tag = Data(count: Self.tagSize)
        let result = unsafe tag.withUnsafeMutableBytes {
            library.controlCipher(context, Self.getTag, Int32(Self.tagSize), Int(bitPattern: $0.baseAddress))
        }
        try library.check(result, "encrypt")
        return nonce + encrypted + tag
    }

    /// Decrypts a box; nil if it was made with another key or label, or was changed.
    package func open(_ box: Data, label: Data) throws(SystemError) -> Data? {
        guard box.count >= Self.nonceSize + Self.tagSize else { return nil }
        let context = try library.made(library.newCipher(), "decrypt")
        defer { library.freeCipher(context) }
        try begin(library.beginDecrypting, context, Data(box.prefix(Self.nonceSize)))
        try authenticate(label, library.decrypt, context)
        let plain = try translate(
            Data(box.dropFirst(Self.nonceSize).dropLast(Self.tagSize)), library.decrypt, context)
        var tag = Data(box.suffix(Self.tagSize))
        let result = unsafe tag.withUnsafeMutableBytes {
            library.controlCipher(context, Self.setTag, Int32(Self.tagSize), Int(bitPattern: $0.baseAddress))
        }
        try library.check(result, "decrypt")
        // Only now is it known whether the bytes are authentic.
        guard end(library.endDecrypting, context) > 0 else {
            library.clearErrors()
            return nil
        }
        return plain
    }

    private func begin(_ begin: CryptoLibrary.Begin, _ context: Int, _ nonce: Data) throws(SystemError) {
        let result = unsafe key.withUnsafeBytes { key in
            unsafe nonce.withUnsafeBytes { nonce in
                begin(
                    context, library.aes256GCM(), 0, Int(bitPattern: key.baseAddress),
                    Int(bitPattern: nonce.baseAddress))
            }
        }
        try library.check(result, "use the key")
    }

    private func authenticate(_ label: Data, _ update: CryptoLibrary.Update, _ context: Int) throws(SystemError) {
        guard !label.isEmpty else { return }
        guard let size = Int32(exactly: label.count) else { throw SystemError("a label is larger than 2 GB") }
        var count: Int32 = 0
        let result = unsafe label.withUnsafeBytes { label in
            unsafe withUnsafeMutablePointer(to: &count) {
                update(context, 0, Int(bitPattern: $0), Int(bitPattern: label.baseAddress), size)
            }
        }
        try library.check(result, "authenticate")
    }

    private func translate(
        _ bytes: Data, _ update: CryptoLibrary.Update, _ context: Int
    ) throws(SystemError) -> Data {
        guard !bytes.isEmpty else { return Data() }
        guard let size = Int32(exactly: bytes.count) else { throw SystemError("a secret is larger than 2 GB") }
        var translated = Data(count: bytes.count)
        var count: Int32 = 0
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe translated.withUnsafeMutableBytes { translated in
                unsafe withUnsafeMutablePointer(to: &count) {
                    update(
                        context, Int(bitPattern: translated.baseAddress), Int(bitPattern: $0),
                        Int(bitPattern: bytes.baseAddress), size)
                }
            }
        }
        try library.check(result, "translate")
        // The mode is a stream's: each call returns as many bytes as it gets.
        guard count == size else { throw SystemError("libcrypto returned \(count) bytes instead of \(size)") }
        return translated
    }

    private func end(
        _ end: @convention(c) @Sendable (Int, Int, Int) -> Int32, _ context: Int
    ) -> Int32 {
        var rest = [UInt8](repeating: 0, count: 32)
        var count: Int32 = 0
        return unsafe rest.withUnsafeMutableBytes { rest in
            unsafe withUnsafeMutablePointer(to: &count) {
                end(context, Int(bitPattern: rest.baseAddress), Int(bitPattern: $0))
            }
        }
    }
}
