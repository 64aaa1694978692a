import Foundation

/// The request line and the header fields of a request, taken apart.
struct HTTPRequestHead {
    enum Framing {
        case length(Int)
        case chunked
    }

    typealias Refusal = HTTPRequestParser.Refusal

    let method: String
    let target: String
    let headers: HTTPHeaders
    let framing: Framing
    let isKeptAlive: Bool
    let expectsContinue: Bool

    /// - Parameter head: The lines, each with its CRLF at its end.
    init(_ head: [UInt8]) throws(Refusal) {
        guard let text = String(validating: head, as: UTF8.self) else { throw Self.bad("the head is not UTF-8") }
        // Split on bytes, since Swift takes CR LF for one character and would find it in other places too.
        var lines = text.utf8.split(separator: 10, omittingEmptySubsequences: true).map { Substring($0) }
        for index in lines.indices {
            guard lines[index].utf8.last == 13 else { throw Self.bad("a line does not end in CRLF") }
            lines[index] = Substring(lines[index].utf8.dropLast())
            guard !lines[index].utf8.contains(where: { $0 < 0x20 && $0 != 9 || $0 == 0x7f }) else {
                throw Self.bad("the head has control characters")
            }
        }
        guard !lines.isEmpty else { throw Self.bad("there is no request line") }
        let words = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].utf8.allSatisfy(Self.isTokenByte), words[0].utf8.count <= 32
        else { throw Self.bad("the request line is malformed") }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw Refusal(status: 505, reason: "only HTTP/1.1 is spoken here")
        }
        guard words[1].hasPrefix("/") else { throw Self.bad("the target does not begin with '/'") }
        method = String(words[0])
        target = String(words[1])
        headers = try Self.fields(lines)
        framing = try Self.framing(headers)
        let isVersion11 = words[2] == "HTTP/1.1"
        guard !isVersion11 || headers.values(of: "Host").count == 1 else {
            throw Self.bad("there has to be one Host")
        }
        let options = headers.values(of: "Connection").joined(separator: ",").lowercased()
            .split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        isKeptAlive = isVersion11 ? !options.contains("close") : options.contains("keep-alive")
        expectsContinue = isVersion11 && headers["Expect"]?.lowercased() == "100-continue"
    }

    private static func fields(_ lines: [Substring]) throws(Refusal) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for line in lines {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw bad("a header has no colon") }
            let name = line[..<colon]
            guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else { throw bad("a header's name is malformed") }
            let value = line[line.utf8.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers.append(String(name), value)
        }
        return headers
    }

    private static func framing(_ headers: HTTPHeaders) throws(Refusal) -> Framing {
        let lengths = Set(headers.values(of: "Content-Length"))
        let codings = headers.values(of: "Transfer-Encoding")
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw bad("there are both Content-Length and Transfer-Encoding") }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw Refusal(status: 501, reason: "no transfer coding but chunked is understood")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .length(0) }
        guard lengths.count == 1, length.utf8.allSatisfy({ (48...57).contains($0) }), let count = Int(length) else {
            throw bad("the Content-Length is not one number")
        }
        return .length(count)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func bad(_ reason: String) -> Refusal { Refusal(status: 400, reason: reason) }
}
