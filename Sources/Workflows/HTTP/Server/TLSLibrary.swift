import Essentials

/// The functions of OpenSSL 3 that a server needs, loaded when it starts.
///
/// Where https requests work, it is there as well: libcurl is built with it.
@safe struct TLSLibrary: Sendable {
    /// An address in the library, which only the library uses; 0 for none.
    typealias Handle = Int
    typealias New = @convention(c) @Sendable () -> Handle
    typealias Part = @convention(c) @Sendable (Handle) -> Handle
    typealias Free = @convention(c) @Sendable (Handle) -> Void
    typealias Ask = @convention(c) @Sendable (Handle) -> Int32
    typealias Pair = @convention(c) @Sendable (Handle, Handle) -> Int32
    typealias Number = @convention(c) @Sendable (Handle, Int) -> Int32
    typealias Name = @convention(c) @Sendable (Handle, UnsafePointer<CChar>) -> Int32
    typealias Take = @convention(c) @Sendable (Handle, UnsafeMutableRawPointer?, Int32) -> Int32
    typealias Give = @convention(c) @Sendable (Handle, UnsafeRawPointer?, Int32) -> Int32

    let newKeys: @convention(c) @Sendable (Handle, UnsafePointer<CChar>, Handle) -> Handle
    let beginKeys: Ask
    let setCurve: Name
    let makeKey: @convention(c) @Sendable (Handle, UnsafeMutablePointer<Handle>) -> Int32
    let freeKeys: Free
    let newCertificate: New
    let setVersion: Number
    let serialNumber: Part
    let setInteger: Number
    let start: Part
    let end: Part
    let setTime: @convention(c) @Sendable (Handle, Int) -> Handle
    let setKey: Pair
    let subject: Part
    let setIssuer: Pair
    let addName:
        @convention(c) @Sendable (
            Handle, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, Int32, Int32, Int32
        ) -> Int32
    let newExtension: @convention(c) @Sendable (Handle, Handle, Int32, UnsafePointer<CChar>) -> Handle
    let addExtension: @convention(c) @Sendable (Handle, Handle, Int32) -> Int32
    let freeExtension: Free
    let hash: New
    let sign: @convention(c) @Sendable (Handle, Handle, Handle) -> Int32
    let newBytes: Part
    let bytesInMemory: New
    let writeCertificate: Pair
    let takeBytes: Take
    let giveBytes: Give
    let freeBytes: Free
    let server: New
    let newContext: Part
    let useCertificate: Pair
    let useKey: Pair
    let newSession: Part
    let setBytes: @convention(c) @Sendable (Handle, Handle, Handle) -> Void
    let accept: Free
    let receive: Take
    let send: Give
    let shutDown: Ask
    let error: @convention(c) @Sendable (Handle, Int32) -> Int32
    let clearErrors: @convention(c) @Sendable () -> Void
    let freeSession: Free

    init() throws(SystemError) {
        #if canImport(Darwin)
            let file = "libssl.3.dylib"
        #else
            let file = "libssl.so.3"
        #endif
        guard let library = unsafe dlopen(file, RTLD_LAZY) else {
            let why = unsafe dlerror().map { unsafe String(cString: $0) } ?? ""
            throw SystemError("TLS needs OpenSSL 3 (\(file)), which cannot be loaded: \(why)")
        }
        func load<Function>(_ name: String) throws(SystemError) -> Function {
            guard let symbol = unsafe dlsym(library, name) else {
                throw SystemError("TLS needs OpenSSL 3: \(file) has no \(name)")
            }
            return unsafe unsafeBitCast(symbol, to: Function.self)
        }
        unsafe newKeys = try unsafe load("EVP_PKEY_CTX_new_from_name")
        beginKeys = try load("EVP_PKEY_keygen_init")
        unsafe setCurve = try unsafe load("EVP_PKEY_CTX_set_group_name")
        unsafe makeKey = try unsafe load("EVP_PKEY_generate")
        freeKeys = try load("EVP_PKEY_CTX_free")
        newCertificate = try load("X509_new")
        setVersion = try load("X509_set_version")
        serialNumber = try load("X509_get_serialNumber")
        setInteger = try load("ASN1_INTEGER_set")
        start = try load("X509_getm_notBefore")
        end = try load("X509_getm_notAfter")
        setTime = try load("X509_gmtime_adj")
        setKey = try load("X509_set_pubkey")
        subject = try load("X509_get_subject_name")
        setIssuer = try load("X509_set_issuer_name")
        unsafe addName = try unsafe load("X509_NAME_add_entry_by_txt")
        unsafe newExtension = try unsafe load("X509V3_EXT_conf_nid")
        addExtension = try load("X509_add_ext")
        freeExtension = try load("X509_EXTENSION_free")
        hash = try load("EVP_sha256")
        sign = try load("X509_sign")
        newBytes = try load("BIO_new")
        bytesInMemory = try load("BIO_s_mem")
        writeCertificate = try load("PEM_write_bio_X509")
        unsafe takeBytes = try unsafe load("BIO_read")
        unsafe giveBytes = try unsafe load("BIO_write")
        freeBytes = try load("BIO_vfree")
        server = try load("TLS_server_method")
        newContext = try load("SSL_CTX_new")
        useCertificate = try load("SSL_CTX_use_certificate")
        useKey = try load("SSL_CTX_use_PrivateKey")
        newSession = try load("SSL_new")
        setBytes = try load("SSL_set_bio")
        accept = try load("SSL_set_accept_state")
        unsafe receive = try unsafe load("SSL_read")
        unsafe send = try unsafe load("SSL_write")
        shutDown = try load("SSL_shutdown")
        error = try load("SSL_get_error")
        clearErrors = try load("ERR_clear_error")
        freeSession = try load("SSL_free")
    }
}
