extension MCPClient {
    /// A message as a request over HTTP.
    /// - Parameters:
    ///   - base: The address, and the header fields of the call.
    ///   - subject: What the call is about, as a header field has it; nil for a list.
    ///   - session: The id that the server gave to the session; nil for none.
    package func request(
        _ message: RPCMessage, to base: HTTPRequest, about subject: String?, in session: String?
    ) -> HTTPRequest {
        var request = base
        request.headers["Content-Type"] = "application/json"
        request.headers["Accept"] = "application/json, text/event-stream"
        switch message {
        case .request(_, "initialize", _): break
        case .request(_, let method, _) where version.isStateless:
            request.headers["MCP-Protocol-Version"] = version.rawValue
            request.headers["Mcp-Method"] = method
            request.headers["Mcp-Name"] = subject
        case .request, .notification, .response: request.headers["MCP-Protocol-Version"] = version.rawValue
        }
        request.headers[HTTPRequest.sessionField] = session
        request.body = message.json
        return request
    }

    /// A text as a header field has it: in base64 if it is more than visible ASCII.
    package static func field(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard !isPlain || text.hasPrefix(" ") || text.hasSuffix(" ") || text.hasPrefix("=?base64?") else { return text }
        return "=?base64?\(Data(text.utf8).base64EncodedString())?="
    }

    /// Whether a request only answers one of a server, and so says nothing.
    package static func isAnswer(_ request: HTTPRequest) -> Bool {
        guard case .response(_, let result)? = try? RPCMessage(request.body ?? Data()) else { return false }
        return ["ping", ""].contains { answer(toRequest: $0) == result }
    }

    fileprivate static func isStream(_ response: HTTPResponse) -> Bool {
        ContentType.essence(of: response.headers["Content-Type"] ?? "") == "text/event-stream"
    }

    /// The answer to a request in a response, which is one message or a stream of them; nil if there is none.
    package static func answer(to id: Value, in response: HTTPResponse) -> Result<Value, RPCError>? {
        var other: Result<Value, RPCError>?
        for bytes in isStream(response) ? events(in: response.body) : [response.body] {
            guard case .response(let given, let result)? = try? RPCMessage(bytes) else { continue }
            if given == id { return result }
            // A server that refuses a request may not have read its id.
            if case .failure = result { other = result }
        }
        return other
    }

    /// The data of the events in a stream.
    ///
    /// Specification: HTML Living Standard, 9.2.6.
    static func events(in stream: Data) -> [Data] {
        let bytes = Array(stream.starts(with: [0xEF, 0xBB, 0xBF]) ? stream.dropFirst(3) : stream)
        var (events, lines): ([Data], [Data]) = ([], [])
        func take(_ line: ArraySlice<UInt8>) {
            if line.isEmpty {
                if !lines.isEmpty { events.append(Data(lines.joined(separator: [UInt8(ascii: "\n")]))) }
                lines = []
            } else if line.starts(with: Array("data:".utf8)) {
                let data = line.dropFirst(5)
                lines.append(Data(data.first == UInt8(ascii: " ") ? data.dropFirst() : data))
            }
        }
        var (start, index) = (0, 0)
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard byte == 0x0A || byte == 0x0D else { continue }
            take(bytes[start..<index - 1])
            if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
            start = index
        }
        // The last event may have no blank line after it.
        take(bytes[start...])
        take([])
        return events
    }
}

/// The requests of a server in a stream that is still arriving.
package final class MCPServerRequests: Sendable {
    private let state = Locked((seen: 0, taken: 0))

    package init() {}

    /// The answers to the requests that are new in a response.
    package func answers(in response: HTTPResponse) -> [RPCMessage] {
        guard response.status == 200, MCPClient.isStream(response) else { return [] }
        let body = Array(response.body)
        let events = state.withLock { state in
            defer { state.seen = body.count }
            // An event ends with a blank line, of which only the last byte may be new.
            guard let end = Self.lastBlankLine(in: body, from: max(state.taken, state.seen - 3)) else {
                return [Data]()
            }
            defer { state.taken = end }
            return MCPClient.events(in: Data(body[state.taken..<end]))
        }
        return events.compactMap { event in
            guard case .request(let id, let method, _)? = try? RPCMessage(event) else { return nil }
            return .response(id: id, MCPClient.answer(toRequest: method))
        }
    }

    /// Where the last blank line ends; nil if there is none.
    private static func lastBlankLine(in bytes: [UInt8], from start: Int) -> Int? {
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var index = bytes.count - 1
        while index > start {
            let before = bytes[index - 1] == carriageReturn && index - 1 > start ? index - 2 : index - 1
            if bytes[index] == lineFeed, bytes[before] == lineFeed { return index + 1 }
            index -= 1
        }
        return nil
    }
}
