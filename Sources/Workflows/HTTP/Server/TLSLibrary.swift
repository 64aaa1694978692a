/// OpenSSL's functions that only a server needs, in addition to ``CryptoLibrary``, loaded when it starts.
@safe struct TLSLibrary: Sendable {
    typealias Handle = CryptoLibrary.Handle
    typealias Number = @convention(c) @Sendable (Handle, Int) -> Int32
    typealias Name = @convention(c) @Sendable (Handle, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32

    let crypto: CryptoLibrary
    let newKeys: @convention(c) @Sendable (Int32, Handle) -> Handle
    let beginKeys: CryptoLibrary.Ask
    let setKeyOption: Name
    let makeKey: @convention(c) @Sendable (Handle, UnsafeMutablePointer<Handle>) -> Int32
    let freeKeys: CryptoLibrary.Free
    let newCertificate: CryptoLibrary.New
    let setVersion: Number
    let serialNumber: CryptoLibrary.Part
    let setInteger: Number
    let start: CryptoLibrary.Part
    let end: CryptoLibrary.Part
    let setTime: @convention(c) @Sendable (Handle, Int) -> Handle
    let setKey: CryptoLibrary.Pair
    let subject: CryptoLibrary.Part
    let setIssuer: CryptoLibrary.Pair
    let addName:
        @convention(c) @Sendable (
            Handle, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, Int32, Int32, Int32
        ) -> Int32
    let newExtension: @convention(c) @Sendable (Handle, Handle, Int32, UnsafePointer<CChar>) -> Handle
    let addExtension: @convention(c) @Sendable (Handle, Handle, Int32) -> Int32
    let freeExtension: CryptoLibrary.Free
    let sign: @convention(c) @Sendable (Handle, Handle, Handle) -> Int32
    let writeCertificate: CryptoLibrary.Pair
    let server: CryptoLibrary.New
    let newContext: CryptoLibrary.Part
    let useCertificate: CryptoLibrary.Pair
    let useKey: CryptoLibrary.Pair
    let newSession: CryptoLibrary.Part
    let setBytes: @convention(c) @Sendable (Handle, Handle, Handle) -> Void
    let accept: CryptoLibrary.Free
    let receive: CryptoLibrary.Bytes
    let send: CryptoLibrary.Bytes
    let shutDown: CryptoLibrary.Ask
    let error: @convention(c) @Sendable (Handle, Int32) -> Int32
    let freeSession: CryptoLibrary.Free

    init() throws(SystemError) {
        crypto = try CryptoLibrary.system.get()
        // The versions must match, because both share their objects.
        let tls = try SharedLibrary([crypto.library.file.replacing("libcrypto", with: "libssl")])
        let library = crypto.library
        newKeys = try library.function("EVP_PKEY_CTX_new_id")
        beginKeys = try library.function("EVP_PKEY_keygen_init")
        unsafe setKeyOption = try unsafe library.function("EVP_PKEY_CTX_ctrl_str")
        unsafe makeKey = try unsafe library.function("EVP_PKEY_keygen")
        freeKeys = try library.function("EVP_PKEY_CTX_free")
        newCertificate = try library.function("X509_new")
        setVersion = try library.function("X509_set_version")
        serialNumber = try library.function("X509_get_serialNumber")
        setInteger = try library.function("ASN1_INTEGER_set")
        start = try library.function("X509_getm_notBefore")
        end = try library.function("X509_getm_notAfter")
        setTime = try library.function("X509_gmtime_adj")
        setKey = try library.function("X509_set_pubkey")
        subject = try library.function("X509_get_subject_name")
        setIssuer = try library.function("X509_set_issuer_name")
        unsafe addName = try unsafe library.function("X509_NAME_add_entry_by_txt")
        unsafe newExtension = try unsafe library.function("X509V3_EXT_conf_nid")
        addExtension = try library.function("X509_add_ext")
        freeExtension = try library.function("X509_EXTENSION_free")
        sign = try library.function("X509_sign")
        writeCertificate = try library.function("PEM_write_bio_X509")
        server = try tls.function("TLS_server_method")
        newContext = try tls.function("SSL_CTX_new")
        useCertificate = try tls.function("SSL_CTX_use_certificate")
        useKey = try tls.function("SSL_CTX_use_PrivateKey")
        newSession = try tls.function("SSL_new")
        setBytes = try tls.function("SSL_set_bio")
        accept = try tls.function("SSL_set_accept_state")
        receive = try tls.function("SSL_read")
        send = try tls.function("SSL_write")
        shutDown = try tls.function("SSL_shutdown")
        error = try tls.function("SSL_get_error")
        freeSession = try tls.function("SSL_free")
    }
}
