package struct HTTPRequestParser {
    package struct Message: Equatable {
        package var method: String
        package var target: String
        package var headers: HTTPHeaders
        package var body: Data?
        package var isKeptAlive: Bool
    }

    package struct Refusal: Error, Equatable {
        package var status: Int
        package var reason: String

        init(status: Int, reason: String) {
            self.status = status
            self.reason = reason
        }

        fileprivate init(_ problem: HTTPMessageReader.Problem) {
            switch problem {
            case .malformed(let reason): self.init(status: 400, reason: reason)
            case .headTooLarge: self.init(status: 431, reason: "the header fields are larger than 64 KB")
            case .bodyTooLarge: self.init(status: 413, reason: "the body is larger than 250 MB")
            }
        }
    }

    package enum Progress: Equatable {
        case needsMore
        /// The client waits for `100 Continue` before it sends the body.
        case expectsContinue
        case message(Message)
    }

    static let headLimit = 64 * 1024
    static let bodyLimit = 250 * 1024 * 1024

    private var reader = HTTPMessageReader(headLimit: headLimit, bodyLimit: bodyLimit)
    private var message: Message?
    private var isHeadTaken = false

    package init() {}

    var bodyCount: Int { reader.bodyCount }

    var isBetweenRequests: Bool { message == nil && reader.isBetweenMessages }

    /// The request whose body has not yet arrived; returned once.
    mutating func takeHead() -> Message? {
        guard !isHeadTaken, let message else { return nil }
        isHeadTaken = true
        return message
    }

    package mutating func append(_ bytes: some Sequence<UInt8>) { reader.append(bytes) }

    package mutating func next() throws(Refusal) -> Progress {
        do throws(HTTPMessageReader.Problem) {
            if message == nil {
                guard let head = try reader.nextHead() else { return .needsMore }
                let parsed = try HTTPHead(head)
                let begun = try Self.message(parsed)
                let framing = try parsed.framing()
                message = begun
                isHeadTaken = false
                try reader.beginBody(framing ?? .length(0))
                let isWaiting = parsed.headers["Expect"]?.lowercased() == "100-continue"
                if isWaiting, !reader.hasUnread, framing != nil, framing != .length(0) { return .expectsContinue }
            }
            guard let body = try reader.nextBody(), var whole = message else { return .needsMore }
            message = nil
            let isGiven = whole.headers["Content-Length"] != nil || whole.headers["Transfer-Encoding"] != nil
            whole.body = isGiven ? body : nil
            return .message(whole)
        } catch {
            throw Refusal(error)
        }
    }

    private static func message(_ head: HTTPHead) throws(HTTPMessageReader.Problem) -> Message {
        let words = head.firstLine.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, HTTPHead.isToken(words[0]), words[0].utf8.count <= 32 else {
            throw .malformed("the request line is malformed")
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw .malformed("only HTTP/1.1 is supported")
        }
        guard words[1].hasPrefix("/") else { throw .malformed("the target does not begin with '/'") }
        let isVersion11 = words[2] == "HTTP/1.1"
        guard head.headers.values(of: "Host").count == 1 || !isVersion11 else {
            throw .malformed("exactly one Host is required")
        }
        return Message(
            method: String(words[0]), target: String(words[1]), headers: head.headers, body: nil,
            isKeptAlive: head.isKeptAlive(isVersion11: isVersion11))
    }
}
