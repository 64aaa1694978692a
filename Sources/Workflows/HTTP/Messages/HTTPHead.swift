package struct HTTPHead {
    typealias Problem = HTTPMessageReader.Problem

    let firstLine: String
    let headers: HTTPHeaders

    init(_ head: [UInt8]) throws(Problem) {
        guard let text = String(validating: head, as: UTF8.self) else { throw .malformed("the head is not UTF-8") }
        // Splits bytes, because Swift treats CR LF as one character.
        var lines = text.utf8.split(separator: 10).map { Substring($0) }
        for index in lines.indices {
            guard lines[index].utf8.last == 13 else { throw .malformed("a line does not end in CRLF") }
            lines[index] = Substring(lines[index].utf8.dropLast())
            guard !lines[index].utf8.contains(where: { $0 < 0x20 && $0 != 9 || $0 == 0x7f }) else {
                throw .malformed("the head has control characters")
            }
        }
        guard !lines.isEmpty else { throw .malformed("the first line is missing") }
        firstLine = String(lines.removeFirst())
        var headers = HTTPHeaders()
        for line in lines {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw .malformed("a header has no colon")
            }
            let name = line[..<colon]
            guard Self.isToken(name) else { throw .malformed("a header's name is malformed") }
            let value = line[line.utf8.index(after: colon)...].trimmed
            headers.append(String(name), value)
        }
        self.headers = headers
    }

    func framing() throws(Problem) -> HTTPMessageReader.Framing? {
        let lengths = Set(headers.values(of: "Content-Length"))
        let codings = headers.values(of: "Transfer-Encoding")
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw .malformed("there are both Content-Length and Transfer-Encoding") }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw .malformed("only the chunked transfer coding is supported")
            }
            return .chunked
        }
        guard let length = lengths.first else { return nil }
        guard lengths.count == 1, length.utf8.allSatisfy({ (48...57).contains($0) }), let count = Int(length) else {
            throw .malformed("the Content-Length is not one number")
        }
        return .length(count)
    }

    func isKeptAlive(isVersion11: Bool) -> Bool {
        let options = headers.values(of: "Connection").joined(separator: ",").lowercased()
            .split(separator: ",").map { $0.trimmed }
        return isVersion11 ? !options.contains("close") : options.contains("keep-alive")
    }

    /// Whether the text is a token of RFC 9110, section 5.6.2.
    package static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
