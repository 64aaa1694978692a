#if !canImport(Darwin)
    import Essentials
    import Promises

    /// One request in libcurl, used on the thread of its ``CurlLoop`` only.
    ///
    /// libcurl carries the request; whether the response is whole is decided here, because libcurl also reports success
    /// if a head breaks off.
    @safe final class CurlExchange {
        let pending: PendingResponse
        private let handle: CurlLibrary.Handle
        private let library: CurlLibrary
        /// libcurl's message about a failure.
        private let message = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
        private var fields: CurlLibrary.Handle = 0
        /// Whether libcurl says when it is about to send a request, as it does since 7.80.
        private var tellsRequests = true
        private var requestCount = 0
        /// How much of the request's body has been sent.
        private var sentCount = 0
        private var head: [UInt8] = []
        /// How many bytes all heads and trailers have.
        private var headCount = 0
        private var response: HTTPResponse?
        /// The length of the body as the head says it; nil if it does not.
        private var length: Int?
        private var problem: HTTPFailure?

        private var request: HTTPRequest { pending.request }

        /// - Parameter handle: A fresh handle.
        init(_ pending: PendingResponse, on handle: CurlLibrary.Handle, of library: CurlLibrary) {
            self.pending = pending
            self.handle = handle
            self.library = library
            unsafe message.initialize(repeating: 0, count: 256)
        }

        deinit {
            library.listFree(fields)
            unsafe message.deallocate()
        }

        /// Describes the request to libcurl.
        func prepare(_ settings: CurlLoop.Settings, sharing share: CurlLibrary.Handle) throws(HTTPFailure) {
            try set(.share, share)
            try set(.url, request.url.absoluteString)
            try set(.pathAsIs, 1)
            try set(.refuseUser, 1)
            // http and https, as bits
            try set(.protocols, settings.allowsPlainHTTP ? 3 : 2)
            // CURL_SSLVERSION_TLSv1_2, at least
            try set(.sslVersion, 6)
            if let trust = settings.trust {
                try set(.caFile, trust)
                // With a folder of certificates as well, libcurl would decode all of them for every connection.
                try set(.caPath, 0)
            }
            try set(.noSignal, 1)
            // Since 7.87, a request can be ended while its host's name is looked up, without waiting for that.
            _ = library.easySetOption(handle, CurlLibrary.Option.quickExit.rawValue, 1)
            try set(.suppressConnectHeaders, 1)
            try set(.acceptEncoding, "gzip, deflate")
            // CURL_HTTP_VERSION_2TLS or _1_1
            try set(.httpVersion, pending.effect != .once && library.speaksHTTP2 ? 4 : 2)
            if pending.effect == .once {
                // On a connection of its own, libcurl never sends a request again.
                try set(.freshConnect, 1)
                try set(.forbidReuse, 1)
            }
            try setBody()
            try setFields()
            try setCallbacks()
        }

        private func setBody() throws(HTTPFailure) {
            if request.method == "HEAD" {
                guard request.body == nil else {
                    throw HTTPFailure(phase: .notSent, reason: .cannotConnect, detail: "a HEAD request has no body")
                }
                try set(.noBody, 1)
            } else if request.method == "GET", request.body == nil {
                try set(.httpGet, 1)
            } else {
                try set(.upload, 1)
                try set(.bodySize, request.body?.count ?? 0)
                try set(.customRequest, request.method)
            }
        }

        private func setFields() throws(HTTPFailure) {
            // A name without a value leaves out what libcurl adds by itself.
            var lines = ["Expect:"]
            if request.headers["Accept"] == nil { lines.append("Accept:") }
            for field in request.headers.fields {
                let value = field.lineValue
                lines.append(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
            }
            for line in lines {
                let longer = unsafe library.listAppend(fields, line)
                guard longer != 0 else { throw CurlLibrary.unusable("libcurl refuses a header field") }
                fields = longer
            }
            try set(.httpHeader, fields)
        }

        private func setCallbacks() throws(HTTPFailure) {
            let own = unsafe Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())
            let data: [CurlLibrary.Option] = [.writeData, .readData, .headerData, .seekData]
            for option in data { try set(option, own) }
            try set(.writeFunction, unsafe unsafeBitCast(Self.receiveBody, to: Int.self))
            try set(.headerFunction, unsafe unsafeBitCast(Self.receiveLine, to: Int.self))
            try set(.readFunction, unsafe unsafeBitCast(Self.giveBody, to: Int.self))
            try set(.seekFunction, unsafe unsafeBitCast(Self.seekBody, to: Int.self))
            try set(.socketFunction, unsafe unsafeBitCast(Self.openSocket, to: Int.self))
            try set(.errorBuffer, unsafe Int(bitPattern: message))
            let begin = unsafe unsafeBitCast(Self.beginRequest, to: Int.self)
            tellsRequests =
                library.easySetOption(handle, CurlLibrary.Option.beforeRequestFunction.rawValue, begin) == 0
            if tellsRequests {
                try set(.beforeRequestData, own)
            } else if !pending.beginSending() {
                throw HTTPFailure(phase: .notSent, reason: .cancelled, detail: "cancelled")
            }
        }

        private func set(_ option: CurlLibrary.Option, _ value: Int) throws(HTTPFailure) {
            guard library.easySetOption(handle, option.rawValue, value) == 0 else {
                throw CurlLibrary.unusable("libcurl refuses the option \(option)")
            }
        }

        private func set(_ option: CurlLibrary.Option, _ text: String) throws(HTTPFailure) {
            let code = unsafe text.withCString { text in
                library.easySetOption(handle, option.rawValue, Int(bitPattern: text))
            }
            guard code == 0 else { throw CurlLibrary.unusable("libcurl refuses the option \(option)") }
        }

        /// The outcome, once libcurl is done.
        func outcome(_ code: Int32) -> Result<HTTPResponse, HTTPFailure> {
            if let problem { return .failure(problem) }
            guard code == 0 else { return .failure(failure(code)) }
            guard let response else {
                return .failure(lost("the connection ended before the response had begun"))
            }
            if let length, response.body.count != length {
                return .failure(lost("the connection ended after \(response.body.count) of \(length) bytes"))
            }
            return .success(response)
        }

        private func lost(_ detail: String) -> HTTPFailure {
            HTTPFailure(phase: .sent, reason: .connectionLost, detail: detail)
        }

        private func failure(_ code: Int32) -> HTTPFailure {
            var detail = unsafe String(cString: message)
            if detail.isEmpty { detail = unsafe library.easyError(code).map { unsafe String(cString: $0) } ?? "" }
            let isUnsent = !pending.isSent || !tellsRequests && CurlLibrary.Code.connecting.contains(code)
            let reason: HTTPFailure.Reason =
                switch code {
                case CurlLibrary.Code.timedOut: .timedOut
                case _ where CurlLibrary.Code.certificate.contains(code): .untrustedCertificate
                case _ where isUnsent: .cannotConnect
                case _ where CurlLibrary.Code.malformed.contains(code): .badResponse
                case _ where CurlLibrary.Code.tooLarge.contains(code): .tooLarge
                default: .connectionLost
                }
            return HTTPFailure(phase: isUnsent ? .notSent : .sent, reason: reason, detail: detail)
        }
    }

    extension CurlExchange {
        private static func of(_ pointer: UnsafeRawPointer?) -> CurlExchange? {
            unsafe pointer.map { unsafe Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
        }

        private static let beginRequest: CurlLibrary.BeforeRequest = { exchange, _, _, _, _ in
            guard let exchange = unsafe of(exchange) else { return 1 }
            exchange.requestCount += 1
            guard exchange.requestCount == 1 || exchange.pending.effect != .once else { return 1 }
            return exchange.pending.beginSending() ? 0 : 1
        }

        /// Keeps the socket from programs that this one starts.
        private static let openSocket: CurlLibrary.SocketOpened = { _, socket, _ in
            LoopbackSocket(descriptor: socket).keepFromChildren()
            return 0
        }

        private static let giveBody: CurlLibrary.Transfer = { bytes, size, count, exchange in
            guard let exchange = unsafe of(exchange), let body = exchange.request.body else { return 0 }
            let start = body.startIndex + exchange.sentCount
            let end = min(body.endIndex, start + size * count)
            unsafe body.copyBytes(
                to: UnsafeMutableRawBufferPointer(start: bytes, count: end - start), from: start..<end)
            exchange.sentCount += end - start
            return end - start
        }

        /// Begins the body anew: a kept connection was closed, and libcurl sends the request again.
        private static let seekBody: CurlLibrary.Seek = { exchange, offset, _ in
            guard let exchange = unsafe of(exchange) else { return 1 }
            exchange.sentCount = Int(offset)
            return 0
        }

        private static let receiveLine: CurlLibrary.Transfer = { bytes, size, count, exchange in
            let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return unsafe of(exchange)?.receive(line: unsafe Array(line)) == true ? line.count : 0
        }

        private static let receiveBody: CurlLibrary.Transfer = { bytes, size, count, exchange in
            let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return unsafe of(exchange)?.receive(part) == true ? part.count : 0
        }

        /// Reads a line of a head or of trailers; false ends the exchange.
        private func receive(line: [UInt8]) -> Bool {
            headCount += line.count
            guard headCount <= HTTPResponseParser.headLimit else { return end(.headTooLarge) }
            // Trailers are skipped.
            guard response == nil else { return true }
            guard line == [13, 10] || line == [10] else {
                head += line
                return true
            }
            defer { head = [] }
            do throws(HTTPMessageReader.Problem) {
                let parsed = try HTTPHead(head)
                let status = try HTTPResponseParser.status(
                    parsed.firstLine, versions: ["HTTP/2", "HTTP/1.1", "HTTP/1.0"])
                switch status {
                case 101: throw .malformed(HTTPResponseParser.otherProtocol)
                // An interim response: the final one follows.
                case 100..<200: return true
                default: break
                }
                response = HTTPResponse(status: status, headers: parsed.headers)
                let hasBody = request.method != "HEAD" && status != 204 && status != 304
                if hasBody, case .length(let length) = try parsed.framing(), parsed.headers["Content-Encoding"] == nil {
                    guard length <= pending.maximumSize else { return end(pending.tooLarge) }
                    response?.body.reserveCapacity(min(length, 64 << 20))
                    self.length = length
                }
                return true
            } catch {
                guard case .malformed(let detail) = error else { return end(.headTooLarge) }
                return end(HTTPFailure(phase: .sent, reason: .badResponse, detail: detail))
            }
        }

        private func receive(_ part: UnsafeRawBufferPointer) -> Bool {
            guard let count = response?.body.count else { return false }
            guard part.count <= pending.maximumSize - count else { return end(pending.tooLarge) }
            unsafe response?.body.append(contentsOf: part)
            return true
        }

        private func end(_ failure: HTTPFailure) -> Bool {
            problem = problem ?? failure
            return false
        }
    }
#endif
