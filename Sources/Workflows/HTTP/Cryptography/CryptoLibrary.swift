/// The functions of libcrypto (OpenSSL) in use: the only cryptography apart from ``SHA256`` and HTTP's digests.
///
/// Where https works on Linux, libcrypto is installed, because libcurl needs it. Versions 1.1 and 3 have all of these
/// functions.
@safe package struct CryptoLibrary: Sendable {
    /// An opaque address in the library; 0 for none.
    typealias Handle = Int
    typealias New = @convention(c) @Sendable () -> Handle
    typealias Part = @convention(c) @Sendable (Handle) -> Handle
    typealias Free = @convention(c) @Sendable (Handle) -> Void
    typealias Ask = @convention(c) @Sendable (Handle) -> Int32
    typealias Pair = @convention(c) @Sendable (Handle, Handle) -> Int32
    /// An object, an address, and the number of bytes there.
    typealias Bytes = @convention(c) @Sendable (Handle, Handle, Int32) -> Int32
    typealias Four = @convention(c) @Sendable (Handle, Handle, Handle, Handle) -> Handle
    /// A cipher's context, the output and the address of its count, the input and its count.
    typealias Update = @convention(c) @Sendable (Handle, Handle, Handle, Handle, Int32) -> Int32
    typealias Begin = @convention(c) @Sendable (Handle, Handle, Handle, Handle, Handle) -> Int32

    private static let advice =
        "install it: the package libssl3 of Debian and Ubuntu (libssl3t64 in newer ones), openssl-libs of Fedora"

    #if canImport(Darwin)
        // The system's own has no stable name without a number; Homebrew's is newer.
        private static let files = [
            "libcrypto.3.dylib", "/opt/homebrew/opt/openssl@3/lib/libcrypto.3.dylib",
            "/usr/local/opt/openssl@3/lib/libcrypto.3.dylib", "/usr/lib/libcrypto.46.dylib",
        ]
    #else
        private static let files = ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"]
    #endif

    package static let system = Result { () throws(SystemError) in try CryptoLibrary(files) }

    let library: SharedLibrary
    let nextError: @convention(c) @Sendable () -> UInt
    let reason: @convention(c) @Sendable (UInt) -> Handle
    let clearErrors: @convention(c) @Sendable () -> Void

    let newBytes: Part
    let bytesInMemory: New
    let takeBytes: Bytes
    let giveBytes: Bytes
    let freeBytes: Free

    let newCipher: New
    let freeCipher: Free
    let aes256GCM: New
    let controlCipher: @convention(c) @Sendable (Handle, Int32, Int32, Handle) -> Int32
    let beginEncrypting: Begin
    let encrypt: Update
    let endEncrypting: @convention(c) @Sendable (Handle, Handle, Handle) -> Int32
    let beginDecrypting: Begin
    let decrypt: Update
    let endDecrypting: @convention(c) @Sendable (Handle, Handle, Handle) -> Int32

    /// Absorbs bytes into a `SHA256_CTX`; nil in builds without deprecated functions.
    let updateSHA256: (@convention(c) @Sendable (Handle, Handle, Int) -> Int32)?
    let sha256: New
    let newDigest: New
    let freeDigest: Free
    let beginSigning: Begin
    let updateDigest: @convention(c) @Sendable (Handle, Handle, Int) -> Int32
    let endSigning: @convention(c) @Sendable (Handle, Handle, Handle) -> Int32
    let beginVerifying: Begin
    let endVerifying: @convention(c) @Sendable (Handle, Handle, Int) -> Int32
    let setKeyOption: @convention(c) @Sendable (Handle, Handle, Handle) -> Int32

    let kindOfKey: Ask
    let freeKey: Free
    let readKey: @convention(c) @Sendable (Handle, Handle, Int) -> Handle
    let readPublicKey: @convention(c) @Sendable (Handle, Handle, Int) -> Handle
    let readPEMKey: Four
    let readPEMCertificate: Four
    let writeCertificate: Pair
    let freeCertificate: Free
    let isKeyOfCertificate: Pair
    let isIssuer: Pair
    let readPKCS12: @convention(c) @Sendable (Handle, Handle) -> Handle
    let parsePKCS12: Begin
    let freePKCS12: Free
    let listCount: Ask
    let listElement: @convention(c) @Sendable (Handle, Int32) -> Handle
    let freeList: Free

    /// - Throws: ``SystemError`` with what to install.
    init(_ files: [String]) throws(SystemError) {
        do throws(SystemError) {
            try self.init(SharedLibrary(files))
        } catch {
            throw SystemError(
                "the library libcrypto of OpenSSL is needed, and cannot be loaded (\(error)): \(Self.advice)")
        }
    }

    private init(_ library: SharedLibrary) throws(SystemError) {
        self.library = library
        nextError = try library.function("ERR_get_error")
        reason = try library.function("ERR_reason_error_string")
        clearErrors = try library.function("ERR_clear_error")
        newBytes = try library.function("BIO_new")
        bytesInMemory = try library.function("BIO_s_mem")
        takeBytes = try library.function("BIO_read")
        giveBytes = try library.function("BIO_write")
        freeBytes = try library.function("BIO_vfree")
        newCipher = try library.function("EVP_CIPHER_CTX_new")
        freeCipher = try library.function("EVP_CIPHER_CTX_free")
        aes256GCM = try library.function("EVP_aes_256_gcm")
        controlCipher = try library.function("EVP_CIPHER_CTX_ctrl")
        beginEncrypting = try library.function("EVP_EncryptInit_ex")
        encrypt = try library.function("EVP_EncryptUpdate")
        endEncrypting = try library.function("EVP_EncryptFinal_ex")
        beginDecrypting = try library.function("EVP_DecryptInit_ex")
        decrypt = try library.function("EVP_DecryptUpdate")
        endDecrypting = try library.function("EVP_DecryptFinal_ex")
        updateSHA256 = try? library.function("SHA256_Update")
        sha256 = try library.function("EVP_sha256")
        newDigest = try library.function("EVP_MD_CTX_new")
        freeDigest = try library.function("EVP_MD_CTX_free")
        beginSigning = try library.function("EVP_DigestSignInit")
        updateDigest = try library.function("EVP_DigestUpdate")
        endSigning = try library.function("EVP_DigestSignFinal")
        beginVerifying = try library.function("EVP_DigestVerifyInit")
        endVerifying = try library.function("EVP_DigestVerifyFinal")
        setKeyOption = try library.function("EVP_PKEY_CTX_ctrl_str")
        kindOfKey = try library.function("EVP_PKEY_get_base_id", "EVP_PKEY_base_id")
        freeKey = try library.function("EVP_PKEY_free")
        readKey = try library.function("d2i_AutoPrivateKey")
        readPublicKey = try library.function("d2i_PUBKEY")
        readPEMKey = try library.function("PEM_read_bio_PrivateKey")
        readPEMCertificate = try library.function("PEM_read_bio_X509")
        writeCertificate = try library.function("i2d_X509")
        freeCertificate = try library.function("X509_free")
        isKeyOfCertificate = try library.function("X509_check_private_key")
        isIssuer = try library.function("X509_check_issued")
        readPKCS12 = try library.function("d2i_PKCS12_bio")
        parsePKCS12 = try library.function("PKCS12_parse")
        freePKCS12 = try library.function("PKCS12_free")
        listCount = try library.function("OPENSSL_sk_num", "sk_num")
        listElement = try library.function("OPENSSL_sk_value", "sk_value")
        freeList = try library.function("OPENSSL_sk_free", "sk_free")
    }
}

extension CryptoLibrary {
    /// Takes this thread's error messages from the library.
    func takeReasons() -> String {
        var reasons: [String] = []
        while reasons.count < 4 {
            let code = nextError()
            guard code != 0 else { break }
            let text = unsafe UnsafePointer<CChar>(bitPattern: reason(code))
            let reason = unsafe text.map { unsafe String(cString: $0) } ?? "error \(code)"
            if !reasons.contains(reason) { reasons.append(reason) }
        }
        clearErrors()
        return reasons.isEmpty ? "no reason given" : PlainText.line(reasons.joined(separator: ", "), limit: 300)
    }

    func check(_ result: Int32, _ what: String) throws(SystemError) {
        guard result > 0 else { throw SystemError("libcrypto cannot \(what): \(takeReasons())") }
    }

    func made(_ handle: Handle, _ what: String) throws(SystemError) -> Handle {
        guard handle != 0 else { throw SystemError("libcrypto cannot \(what): \(takeReasons())") }
        return handle
    }

    func reading<Result>(
        _ data: Data, _ body: (_ source: Handle) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        let source = try made(newBytes(bytesInMemory()), "read")
        defer { freeBytes(source) }
        guard let count = Int32(exactly: data.count) else { throw SystemError("it is larger than 2 GB") }
        let given = unsafe data.withUnsafeBytes { giveBytes(source, Int(bitPattern: $0.baseAddress), count) }
        guard given == count else { throw SystemError("libcrypto cannot read it: \(takeReasons())") }
        return try body(source)
    }

    func bytes(in handle: Handle) -> Data {
        var all = Data()
        var part = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = unsafe part.withUnsafeMutableBytes {
                takeBytes(handle, Int(bitPattern: $0.baseAddress), Int32($0.count))
            }
            guard count > 0 else { return all }
            all.append(contentsOf: part[..<Int(count)])
        }
    }
}

extension Data {
    /// Cryptographically secure random bytes from the system.
    package static func random(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        // Each number takes a system call.
        let numbers = (0..<(count + 7) / 8).map { _ in generator.next() }
        return Data(
            numbers.flatMap { number in unsafe Swift.withUnsafeBytes(of: number) { unsafe Array($0) } }.prefix(count))
    }
}
