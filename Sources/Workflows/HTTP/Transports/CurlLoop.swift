#if !canImport(Darwin)
    import Essentials
    import Promises

    /// The process's one thread for requests over libcurl, which decodes the trusted certificates once.
    final class CurlLoop: Sendable {
        struct Settings: Sendable {
            var trust = CurlLoop.systemTrust
            var allowsPlainHTTP = false
            /// How many seconds an unused connection is kept; 118 is libcurl's default.
            var patience = 118

            /// Plain HTTP, and connections kept long enough for tests on a busy machine.
            static let ofTests = Settings(allowsPlainHTTP: true, patience: 900)
        }

        private struct State {
            var arrivals: [(PendingResponse, Settings)] = []
            var hasAborts = false
            var resumed: Set<CurlLibrary.Handle> = []
        }

        static let shared = Result { () throws(HTTPFailure) in try CurlLoop() }

        private let library: CurlLibrary
        private let multi: CurlLibrary.Handle
        private let state = Locked(State())

        private init() throws(HTTPFailure) {
            library = try CurlLibrary()
            multi = library.multiInit()
            guard multi != 0 else { throw CurlLibrary.unusable("libcurl cannot be initialized") }
            // CURLMOPT_MAX_HOST_CONNECTIONS: further requests wait. CURLMOPT_MAXCONNECTS: how many are kept.
            _ = library.multiSetOption(multi, 7, 32)
            _ = library.multiSetOption(multi, 6, 256)
            SystemThread.start { [self] in run() }
        }

        /// Sends a request; its outcome is set on a queue, so its handlers delay no other request.
        func send(_ pending: PendingResponse, _ settings: Settings) {
            guard pending.onAbort({ [self] in wake { $0.hasAborts = true } }) else { return }
            wake { $0.arrivals.append((pending, settings)) }
        }

        func resume(_ handle: CurlLibrary.Handle) { wake { $0.resumed.insert(handle) } }

        private func wake(_ change: (inout State) -> Void) {
            state.withLock { change(&$0) }
            _ = library.multiWakeUp(multi)
        }

        private func run() {
            // Other threads handle signals, and no thread may get SIGPIPE, which OpenSSL can cause.
            var signals = sigset_t()
            _ = unsafe sigfillset(&signals)
            _ = unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
            var exchanges = CurlExchanges(self, library, multi)
            while true {
                let news = state.withLock { state in
                    defer { state = State() }
                    return state
                }
                for (pending, settings) in news.arrivals { exchanges.add(pending, settings) }
                if news.hasAborts { exchanges.removeAborted() }
                exchanges.resume(news.resumed)
                exchanges.perform()
            }
        }

        /// The system's trusted certificates; the variable is OpenSSL's, the paths are the distributions'.
        private static let systemTrust: String? = {
            if let file = ProcessInfo.processInfo.environment["SSL_CERT_FILE"], !file.isEmpty { return file }
            let places = [
                "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                "/etc/ssl/cert.pem",
            ]
            return places.first { FileManager.default.isReadableFile(atPath: $0) }
        }()
    }

    private struct CurlExchanges {
        private let loop: CurlLoop
        private let library: CurlLibrary
        private let multi: CurlLibrary.Handle
        private var underway: [CurlLibrary.Handle: CurlExchange] = [:]
        /// TLS sessions, which shorten later handshakes.
        private let share: CurlLibrary.Handle

        init(_ loop: CurlLoop, _ library: CurlLibrary, _ multi: CurlLibrary.Handle) {
            self.loop = loop
            self.library = library
            self.multi = multi
            share = library.shareInit()
            // CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION
            _ = library.shareSetOption(share, 1, 4)
        }

        mutating func add(_ pending: PendingResponse, _ settings: CurlLoop.Settings) {
            // Handles are not reused: libcurl 7.88 crashes when the next response begins with a folded line.
            let handle = library.easyInit()
            do throws(HTTPFailure) {
                guard handle != 0 else { throw CurlLibrary.unusable("libcurl has no memory") }
                let exchange = CurlExchange(pending, on: handle, of: library) { [loop] in loop.resume(handle) }
                underway[handle] = exchange
                try exchange.prepare(settings, sharing: share)
                guard library.multiAdd(multi, handle) == 0 else {
                    throw CurlLibrary.unusable("libcurl does not accept the request")
                }
            } catch {
                release(handle)
                pending.finish(.failure(error))
            }
        }

        mutating func removeAborted() {
            for (handle, exchange) in underway where exchange.pending.isDone { release(handle) }
        }

        func resume(_ handles: Set<CurlLibrary.Handle>) {
            // A new handle may have the address of one that ended; it then just continues to wait.
            for handle in handles where underway[handle] != nil { _ = library.easyPause(handle, 0) }
        }

        mutating func perform() {
            var count: Int32 = 0
            _ = unsafe library.multiPerform(multi, &count)
            while let message = unsafe library.multiRead(multi, &count) {
                // struct CURLMsg: the kind, the handle and the code, each at a multiple of 8 bytes.
                let handle = unsafe message.load(fromByteOffset: 8, as: CurlLibrary.Handle.self)
                let code = unsafe message.load(fromByteOffset: 16, as: Int32.self)
                guard let exchange = underway[handle] else { continue }
                let (pending, writer, outcome) = (exchange.pending, exchange.writer, exchange.outcome(code))
                release(handle)
                DispatchQueue.global().async {
                    pending.finish(
                        Result { () throws(HTTPFailure) in
                            let response = try outcome.get()
                            return try writer?.response(response) ?? response
                        })
                }
            }
            _ = unsafe library.multiPoll(multi, 0, 0, 60_000, &count)
        }

        /// Ends a handle's request; the exchange is freed after libcurl has forgotten it.
        private mutating func release(_ handle: CurlLibrary.Handle) {
            guard let exchange = underway.removeValue(forKey: handle) else { return }
            withExtendedLifetime(exchange) {
                _ = library.multiRemove(multi, handle)
                library.easyCleanup(handle)
            }
        }
    }
#endif
