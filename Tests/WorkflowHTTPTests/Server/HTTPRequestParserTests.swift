import Foundation
import Testing

@testable import WorkflowHTTP

@Suite struct HTTPRequestParserTests {
    private static let texts = [
        "GET /a?b=c HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "PUT /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\na\r\n\r\n",
        "POST /y HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0a\r\n0123456789\r\n0\r\n\r\n",
        "POST /z HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
    ]

    private static let messages = [
        HTTPRequestParser.Message(
            method: "GET", target: "/a?b=c", headers: ["Host": "localhost"], body: nil, isKeptAlive: true),
        HTTPRequestParser.Message(
            method: "PUT", target: "/x", headers: ["Host": "localhost", "Content-Length": "5"],
            body: Data("a\r\n\r\n".utf8), isKeptAlive: true),
        HTTPRequestParser.Message(
            method: "POST", target: "/y", headers: ["Host": "localhost", "Transfer-Encoding": "chunked"],
            body: Data("abc0123456789".utf8), isKeptAlive: true),
        HTTPRequestParser.Message(
            method: "POST", target: "/z", headers: ["Content-Length": "0"], body: Data(), isKeptAlive: false),
    ]

    /// Everything that is read if the bytes arrive in these pieces.
    private func read(_ pieces: [ArraySlice<UInt8>]) throws -> [HTTPRequestParser.Message] {
        var parser = HTTPRequestParser()
        var messages: [HTTPRequestParser.Message] = []
        for piece in pieces {
            parser.append(piece)
            while case .message(let message) = try parser.next() { messages.append(message) }
        }
        #expect(parser.isBetweenRequests)
        return messages
    }

    @Test(arguments: Array(zip(texts, messages)))
    func `a request is the same wherever its bytes are divided`(
        text: String, message: HTTPRequestParser.Message
    ) throws {
        let bytes = Array(text.utf8)
        for position in 0...bytes.count {
            #expect(try read([bytes[..<position], bytes[position...]]) == [message])
        }
    }

    @Test(arguments: [1, 2, 3, 7, 64])
    func `requests that follow one another are told apart, in pieces of any size`(size: Int) throws {
        let bytes = Array(Self.texts.joined().utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
        #expect(try read(pieces) == Self.messages)
    }

    @Test(arguments: [1, 2, 3])
    func `empty lines before a request are skipped`(count: Int) throws {
        let bytes = Array((String(repeating: "\r\n", count: count) + Self.texts[0]).utf8)
        for position in 0...bytes.count {
            #expect(try read([bytes[..<position], bytes[position...]]) == [Self.messages[0]])
        }
    }

    @Test func `a request that is cut off anywhere is waited for and not guessed at`() throws {
        for text in Self.texts {
            let bytes = Array(text.utf8)
            for length in 0..<bytes.count {
                var parser = HTTPRequestParser()
                parser.append(bytes[..<length])
                #expect(try parser.next() == .needsMore)
            }
        }
    }

    @Test func `the head of each request can be taken once, before its body has arrived`() throws {
        var parser = HTTPRequestParser()
        #expect(parser.takeHead() == nil)
        for target in ["/first", "/second"] {
            parser.append(Array("PUT \(target) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na".utf8))
            #expect(try parser.next() == .needsMore)
            let head = parser.takeHead()
            #expect(head?.target == target)
            #expect(head?.headers["Content-Length"] == "2" && head?.body == nil)
            #expect(parser.takeHead() == nil)
            parser.append(Array("b".utf8))
            guard case .message(let message) = try parser.next() else {
                Issue.record("the request is not whole")
                return
            }
            #expect(message.body == Data("ab".utf8))
            #expect(parser.takeHead() == nil)
        }
    }

    @Test func `a head that never ends is refused before it fills the memory`() throws {
        var parser = HTTPRequestParser()
        var refusal: HTTPRequestParser.Refusal?
        var size = 0
        while refusal == nil, size < 1_000_000 {
            parser.append(Array(repeating: UInt8(ascii: "x"), count: 1000))
            size += 1000
            do throws(HTTPRequestParser.Refusal) {
                _ = try parser.next()
            } catch {
                refusal = error
            }
        }
        #expect(refusal?.status == 431)
        #expect(size < 70_000)
    }

    @Test func `chunks of more than 250 MB together are refused by their sizes`() throws {
        var parser = HTTPRequestParser()
        parser.append(
            Array("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nfa00000\r\n".utf8))
        let refusal = #expect(throws: HTTPRequestParser.Refusal.self) { try parser.next() }
        #expect(refusal?.status == 413)
    }
}
