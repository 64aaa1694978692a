struct HTTPResponseParser {
    typealias Problem = HTTPMessageReader.Problem

    static let headLimit = 256 * 1024

    private let isHead: Bool
    private let bodyLimit: (HTTPResponse) -> Int
    private var reader: HTTPMessageReader
    private var response: HTTPResponse?
    private var decoder = ContentDecoder()
    private var headCount = 0
    private var isLast = false

    var isKeptAlive: Bool { !isLast && !reader.hasUnread }

    /// - Parameters:
    ///   - isHead: Whether the request was a HEAD, whose response has no body.
    ///   - bodyLimit: The largest body in bytes of a response with this head.
    init(isHead: Bool, bodyLimit: @escaping (HTTPResponse) -> Int) {
        self.isHead = isHead
        self.bodyLimit = bodyLimit
        reader = HTTPMessageReader(headLimit: Self.headLimit, bodyLimit: 0)
    }

    var limit: Int { reader.bodyLimit }

    var bodyCount: Int { reader.bodyCount }

    /// The response so far; nil before its head is complete.
    var partial: HTTPResponse? {
        guard decoder.isEmpty else { return response }
        return response.map { HTTPResponse(status: $0.status, headers: $0.headers, body: reader.partialBody) }
    }

    mutating func takeBody() -> Data { reader.takeBody() }

    mutating func append(_ bytes: some Sequence<UInt8>) { reader.append(bytes) }

    mutating func next() throws(Problem) -> HTTPResponse? {
        while response == nil {
            guard let bytes = try reader.nextHead() else { return nil }
            headCount += bytes.count
            guard headCount < Self.headLimit else { throw .headTooLarge }
            let head = try HTTPHead(bytes)
            let begun = HTTPResponse(status: try Self.status(head.firstLine), headers: head.headers)
            switch begun.status {
            case 101: throw .malformed(Self.otherProtocol)
            // An interim response: the final one follows.
            case 100..<200: continue
            default: break
            }
            isLast = !head.isKeptAlive(isVersion11: head.firstLine.hasPrefix("HTTP/1.1"))
            if isHead || begun.status == 204 || begun.status == 304 { return begun }
            let framing = try head.framing() ?? .untilClose
            isLast = isLast || framing == .untilClose
            reader.bodyLimit = bodyLimit(begun)
            try reader.beginBody(framing)
            decoder = try ContentDecoder(begun.headers)
            response = begun
        }
        let body = try reader.nextBody()
        return try end(body)
    }

    /// The response with what its body has come to; nil before the end of the body.
    private mutating func end(_ body: Data?) throws(Problem) -> HTTPResponse? {
        if decoder.isEmpty {
            guard let body else { return nil }
            response?.body = body
            return response
        }
        let part = body ?? reader.takeBody()
        let problem = unsafe part.withUnsafeBytes {
            unsafe decoder.append($0, to: &response, limit: reader.bodyLimit)
        }
        if let problem { throw problem }
        guard body != nil else { return nil }
        guard decoder.isWhole else { throw .malformed("the compressed response ended before its end") }
        return response
    }

    /// The response if the connection's end completes it.
    /// - Throws: What is missing, if the response is cut off.
    mutating func atClose() throws(Problem) -> HTTPResponse {
        let count = reader.bodyCount
        guard let begun = response else { throw .malformed("the connection ended before the response had begun") }
        guard let body = reader.bodyAtClose(), let whole = try end(body) else {
            let length = begun.headers["Content-Length"].map { " of \($0)" } ?? ""
            throw .malformed("the connection ended after \(count)\(length) bytes of the response")
        }
        return whole
    }

    static let otherProtocol = "the server speaks another protocol"

    /// The status in a first line.
    /// - Parameter versions: The accepted HTTP versions.
    static func status(_ line: String, versions: [Substring] = ["HTTP/1.1", "HTTP/1.0"]) throws(Problem) -> Int {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, versions.contains(words[0]), words[1].utf8.count == 3,
            let status = Int(words[1]), (100...599).contains(status)
        else { throw .malformed("the response is not HTTP") }
        return status
    }
}
