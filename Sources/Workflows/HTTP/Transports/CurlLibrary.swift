#if !canImport(Darwin)
    import Essentials

    /// The functions of libcurl in use, loaded with the first https request.
    ///
    /// It is loaded by hand: programs without such a request start faster, and its headers need not be installed.
    /// `curl_easy_setopt` and `curl_easy_getinfo` are variadic in C; on 64-bit Linux, functions with that one argument
    /// are called alike.
    @safe struct CurlLibrary: Sendable {
        typealias Handle = Int
        /// Supplies or takes bytes: the bytes, the size and number of elements, and the exchange.
        typealias Transfer = @convention(c) (UnsafeMutableRawPointer?, Int, Int, UnsafeRawPointer?) -> Int
        /// Called before a request is sent, with the exchange and two addresses; a result other than 0 prevents it.
        typealias BeforeRequest = @convention(c) (UnsafeRawPointer?, Int, Int, Int32, Int32) -> Int32
        typealias SocketOpened = @convention(c) (Int, Int32, Int32) -> Int32
        /// Called with the exchange, an offset in the request's body, and what it is relative to.
        typealias Seek = @convention(c) (UnsafeRawPointer?, Int64, Int32) -> Int32

        /// Whether HTTP/2 is used: older versions take a body for complete when an invalid frame ends it.
        let speaksHTTP2: Bool
        let easyInit: @convention(c) @Sendable () -> Handle
        let easyCleanup: @convention(c) @Sendable (Handle) -> Void
        let easySetOption: @convention(c) @Sendable (Handle, Int32, Int) -> Int32
        let easyPause: @convention(c) @Sendable (Handle, Int32) -> Int32
        let easyError: @convention(c) @Sendable (Int32) -> UnsafePointer<CChar>?
        let listAppend: @convention(c) @Sendable (Handle, UnsafePointer<CChar>) -> Handle
        let listFree: @convention(c) @Sendable (Handle) -> Void
        let shareInit: @convention(c) @Sendable () -> Handle
        let shareSetOption: @convention(c) @Sendable (Handle, Int32, Int) -> Int32
        let multiInit: @convention(c) @Sendable () -> Handle
        let multiAdd: @convention(c) @Sendable (Handle, Handle) -> Int32
        let multiRemove: @convention(c) @Sendable (Handle, Handle) -> Int32
        let multiSetOption: @convention(c) @Sendable (Handle, Int32, Int) -> Int32
        let multiPerform: @convention(c) @Sendable (Handle, UnsafeMutablePointer<Int32>) -> Int32
        let multiRead: @convention(c) @Sendable (Handle, UnsafeMutablePointer<Int32>) -> UnsafeRawPointer?
        let multiPoll: @convention(c) @Sendable (Handle, Int, UInt32, Int32, UnsafeMutablePointer<Int32>) -> Int32
        let multiWakeUp: @convention(c) @Sendable (Handle) -> Int32

        init() throws(HTTPFailure) {
            let file = "libcurl.so.4"
            guard let library = unsafe dlopen(file, RTLD_LAZY) else {
                let why = unsafe dlerror().map { unsafe String(cString: $0) } ?? ""
                throw Self.unusable("https needs the library libcurl (\(file)), which cannot be loaded: \(why)")
            }
            func load<Function>(_ name: String, as type: Function.Type = Function.self) throws(HTTPFailure) -> Function
            {
                guard let symbol = unsafe dlsym(library, name) else {
                    throw Self.unusable("https needs libcurl 7.68 or newer: \(file) has no \(name)")
                }
                return unsafe unsafeBitCast(symbol, to: type)
            }
            let start: @convention(c) (Int) -> Int32 = try load("curl_global_init")
            easyInit = try load("curl_easy_init")
            easyCleanup = try load("curl_easy_cleanup")
            easySetOption = try load("curl_easy_setopt")
            easyPause = try load("curl_easy_pause")
            unsafe easyError = try unsafe load("curl_easy_strerror")
            unsafe listAppend = try unsafe load("curl_slist_append")
            listFree = try load("curl_slist_free_all")
            shareInit = try load("curl_share_init")
            shareSetOption = try load("curl_share_setopt")
            multiInit = try load("curl_multi_init")
            multiAdd = try load("curl_multi_add_handle")
            multiRemove = try load("curl_multi_remove_handle")
            multiSetOption = try load("curl_multi_setopt")
            unsafe multiPerform = try unsafe load("curl_multi_perform")
            unsafe multiRead = try unsafe load("curl_multi_info_read")
            unsafe multiPoll = try unsafe load("curl_multi_poll")
            multiWakeUp = try load("curl_multi_wakeup")
            typealias VersionInfo = @convention(c) (Int32) -> UnsafeRawPointer?
            let versionInfo = try unsafe load("curl_version_info", as: VersionInfo.self)
            // struct curl_version_info_data: the number follows an int and a pointer.
            let version = unsafe versionInfo(0)?.load(fromByteOffset: 16, as: UInt32.self) ?? 0
            speaksHTTP2 = version >= 0x08_06_00
            // CURL_GLOBAL_DEFAULT
            guard start(3) == 0 else { throw Self.unusable("\(file) cannot be initialized") }
        }

        static func unusable(_ detail: String) -> HTTPFailure {
            HTTPFailure(phase: .notSent, reason: .cannotConnect, detail: detail)
        }
    }

    extension CurlLibrary {
        /// The numbers of options, `CURLOPT_` in `curl.h`, which never change.
        enum Option: Int32 {
            case sslVersion = 32
            case noBody = 44
            case upload = 46
            case freshConnect = 74
            case forbidReuse = 75
            case httpGet = 80
            case httpVersion = 84
            case noSignal = 99
            case protocols = 181
            case pathAsIs = 234
            case suppressConnectHeaders = 265
            case refuseUser = 278
            case maximumIdleTime = 288
            case quickExit = 322
            case writeData = 10_001
            case url = 10_002
            case readData = 10_009
            case errorBuffer = 10_010
            case httpHeader = 10_023
            case headerData = 10_029
            case customRequest = 10_036
            case caFile = 10_065
            case caPath = 10_097
            case share = 10_100
            case seekData = 10_168
            case beforeRequestData = 10_313
            case writeFunction = 20_011
            case readFunction = 20_012
            case headerFunction = 20_079
            case socketFunction = 20_148
            case seekFunction = 20_167
            case beforeRequestFunction = 20_312
            case bodySize = 30_115
        }

        enum Answer {
            // CURL_READFUNC_ABORT
            static let abort = 0x1000_0000
            // CURL_READFUNC_PAUSE and CURL_WRITEFUNC_PAUSE: until it is resumed
            static let pause = 0x1000_0001
        }

        enum Code {
            static let timedOut: Int32 = 28
            /// No host, no connection, no TLS, or no way through a proxy.
            static let connecting: Set<Int32> = certificate.union([5, 6, 7, 35, 97])
            /// The certificate is not trusted, or the trusted ones cannot be read.
            static let certificate: Set<Int32> = [51, 58, 60, 77, 80, 82, 83, 90, 91]
            static let malformed: Set<Int32> = [1, 8]
            /// A line of the head is longer than libcurl's own limit; older versions call that out of memory.
            static let tooLarge: Set<Int32> = [27, 100]
        }
    }
#endif
