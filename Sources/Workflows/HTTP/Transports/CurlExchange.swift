#if !canImport(Darwin)
    import Essentials
    import Promises

    /// One request in libcurl, used only on the thread of its ``CurlLoop``.
    ///
    /// libcurl carries the request; this type decides whether the response is complete, because libcurl also reports
    /// success if a head breaks off.
    @safe final class CurlExchange {
        let pending: PendingResponse
        private let handle: CurlLibrary.Handle
        private let library: CurlLibrary
        private static let messageSize = 256

        private let message = UnsafeMutablePointer<CChar>.allocate(capacity: CurlExchange.messageSize)
        private var fields: CurlLibrary.Handle = 0
        /// Whether libcurl announces that it is about to send a request, as it does since 7.80.
        private var tellsRequests = true
        private var requestCount = 0
        private var sentCount = 0
        private var reader: BodyReader?
        /// Nil unless the response's body is too large for memory.
        private(set) var writer: BodyWriter?
        private let resume: @Sendable () -> Void
        private var head: [UInt8] = []
        private var headCount = 0
        private var response: HTTPResponse?
        private var length: Int?
        private var limit = 0
        /// The bytes of the body that have arrived, before and after decompression.
        private var arrivedCount = 0
        private var bodyCount = 0
        private var decoder = ContentDecoder()
        private var problem: HTTPFailure?

        private var request: HTTPRequest { pending.request }

        /// - Parameters:
        ///   - handle: A fresh handle.
        ///   - resume: Lets the loop continue an exchange that has waited for a file.
        init(
            _ pending: PendingResponse, on handle: CurlLibrary.Handle, of library: CurlLibrary,
            resume: @escaping @Sendable () -> Void
        ) {
            self.pending = pending
            self.resume = resume
            self.handle = handle
            self.library = library
            unsafe message.initialize(repeating: 0, count: Self.messageSize)
        }

        deinit {
            library.listFree(fields)
            unsafe message.deallocate()
        }

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
                // Given a folder of certificates as well, libcurl would decode all of them for every connection.
                try set(.caPath, 0)
            }
            try set(.noSignal, 1)
            // Since 7.87, a request can end without waiting for its host's name lookup.
            _ = library.easySetOption(handle, CurlLibrary.Option.quickExit.rawValue, 1)
            // Since 7.65.
            _ = library.easySetOption(
                handle, CurlLibrary.Option.maximumIdleTime.rawValue, settings.patience)
            try set(.suppressConnectHeaders, 1)
            // CURL_HTTP_VERSION_2TLS or _1_1
            try set(.httpVersion, pending.effect != .once && library.speaksHTTP2 ? 4 : 2)
            if pending.effect == .once {
                // On a dedicated connection, libcurl never sends a request again.
                try set(.freshConnect, 1)
                try set(.forbidReuse, 1)
            }
            try setBody()
            try setFields()
            try setCallbacks()
        }

        private func setBody() throws(HTTPFailure) {
            if request.method == "HEAD" {
                guard request.body == nil, request.file == nil else {
                    throw HTTPFailure(phase: .notSent, reason: .cannotConnect, detail: "a HEAD request has no body")
                }
                try set(.noBody, 1)
            } else if request.method == "GET", request.body == nil, request.file == nil {
                try set(.httpGet, 1)
            } else {
                try set(.upload, 1)
                try set(.bodySize, request.bodySize)
                try readFile(from: 0, .notSent)
                try set(.customRequest, request.method)
            }
        }

        private func readFile(from offset: Int, _ phase: HTTPFailure.Phase) throws(HTTPFailure) {
            guard let file = request.file else { return }
            do throws(SystemError) {
                reader = BodyReader(try file.open(), from: offset, resume: resume)
            } catch {
                throw .unreadable(file, error, phase)
            }
        }

        private func setFields() throws(HTTPFailure) {
            // A name without a value omits a field that libcurl would add.
            var lines = ["Expect:"]
            if request.headers["Accept"] == nil { lines.append("Accept:") }
            if request.headers["Accept-Encoding"] == nil, Inflater.isAvailable {
                lines.append("Accept-Encoding: gzip, deflate")
            }
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

        func outcome(_ code: Int32) -> Result<HTTPResponse, HTTPFailure> {
            if let problem { return .failure(problem) }
            guard code == 0 else { return .failure(failure(code)) }
            guard let response else {
                return .failure(lost("the connection ended before the response had begun"))
            }
            if let length, arrivedCount != length {
                return .failure(lost("the connection ended after \(arrivedCount) of \(length) bytes"))
            }
            guard decoder.isWhole else {
                return .failure(lost("the compressed response ended after \(arrivedCount) bytes, before its end"))
            }
            return .success(response)
        }

        private func lost(_ detail: String) -> HTTPFailure {
            HTTPFailure(phase: .sent, reason: .connectionLost, detail: detail)
        }

        private func failure(_ code: Int32) -> HTTPFailure {
            // libcurl cuts messages to its buffer without saying so.
            var detail = PlainText.beginning(
                of: Data(unsafe String(cString: message).utf8), upTo: Self.messageSize - 2)
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

        /// Child processes must not inherit the socket.
        private static let openSocket: CurlLibrary.SocketOpened = { _, socket, _ in
            LoopbackSocket(descriptor: socket).keepFromChildren()
            return 0
        }

        private static let giveBody: CurlLibrary.Transfer = { bytes, size, count, exchange in
            guard let exchange = unsafe of(exchange) else { return 0 }
            if let file = exchange.request.file, let reader = exchange.reader {
                switch unsafe reader.take(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) {
                case .bytes(let count): return count
                case .awaited: return CurlLibrary.Answer.pause
                case .failed(let error):
                    _ = exchange.end(.unreadable(file, error, .sent))
                    return CurlLibrary.Answer.abort
                }
            }
            guard let body = exchange.request.body else { return 0 }
            let start = body.startIndex + exchange.sentCount
            let end = min(body.endIndex, start + size * count)
            unsafe body.copyBytes(
                to: UnsafeMutableRawBufferPointer(start: bytes, count: end - start), from: start..<end)
            exchange.sentCount += end - start
            return end - start
        }

        /// Restarts the body: a kept connection was closed, and libcurl sends the request again.
        private static let seekBody: CurlLibrary.Seek = { exchange, offset, _ in
            guard let exchange = unsafe of(exchange) else { return 1 }
            exchange.sentCount = Int(offset)
            do throws(HTTPFailure) {
                try exchange.readFile(from: Int(offset), .sent)
                return 0
            } catch {
                _ = exchange.end(error)
                return 1
            }
        }

        private static let receiveLine: CurlLibrary.Transfer = { bytes, size, count, exchange in
            let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return unsafe of(exchange)?.receive(line: unsafe Array(line)) == true ? line.count : 0
        }

        private static let receiveBody: CurlLibrary.Transfer = { bytes, size, count, exchange in
            let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return unsafe of(exchange)?.receive(part) ?? 0
        }

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
                return try begin(HTTPResponse(status: status, headers: parsed.headers), framing: parsed.framing())
            } catch {
                return end(pending.failure(error, limit))
            }
        }

        private func begin(_ head: HTTPResponse, framing: HTTPMessageReader.Framing?) throws(HTTPMessageReader.Problem)
            -> Bool
        {
            response = head
            limit = pending.limit(for: head)
            guard request.method != "HEAD", head.status != 204, head.status != 304 else { return true }
            decoder = try ContentDecoder(head.headers)
            guard case .length(let length) = framing else { return true }
            self.length = length
            guard decoder.isEmpty else { return true }
            guard length <= limit else { return end(pending.tooLarge(limit)) }
            if length <= pending.maximumSize { response?.body.reserveCapacity(min(length, 64 << 20)) }
            return true
        }

        /// Takes raw bytes of the body; returns their count, or asks for them again later.
        private func receive(_ part: UnsafeRawBufferPointer) -> Int {
            guard response != nil else { return 0 }
            do throws(HTTPFailure) {
                if decoder.isEmpty {
                    // Only uncompressed bytes go to a file, and may have to wait for it.
                    guard part.count <= limit - bodyCount else { throw pending.tooLarge(limit) }
                    guard try unsafe take(part) else { return CurlLibrary.Answer.pause }
                } else {
                    try unsafe decode(part)
                }
            } catch {
                _ = end(error)
                return 0
            }
            arrivedCount += part.count
            pending.arrived(response)
            return part.count
        }

        private func decode(_ part: UnsafeRawBufferPointer) throws(HTTPFailure) {
            if let problem = unsafe decoder.append(part, to: &response, limit: limit) {
                throw pending.failure(problem, limit)
            }
        }

        /// False if the file has no room yet.
        private func take(_ part: UnsafeRawBufferPointer) throws(HTTPFailure) -> Bool {
            if writer == nil, part.count > pending.maximumSize - bodyCount {
                let writer = try BodyWriter(for: pending, resume: resume)
                _ = try writer.append(response?.body ?? Data())
                response?.body = Data()
                self.writer = writer
            }
            if let writer {
                guard try unsafe writer.append(Data(part)) else { return false }
            } else {
                unsafe response?.body.append(contentsOf: part)
            }
            bodyCount += part.count
            return true
        }

        private func end(_ failure: HTTPFailure) -> Bool {
            problem = problem ?? failure
            return false
        }
    }
#endif
