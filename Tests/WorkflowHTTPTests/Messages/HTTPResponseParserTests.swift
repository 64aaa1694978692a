import Foundation
import Testing

@testable import WorkflowHTTP

struct HTTPResponseParserTests {
    @Test(arguments: [
        "HTTP/1.1 099 X", "HTTP/1.1 000 X", "HTTP/1.1 600 X", "HTTP/1.1 +99 X", "HTTP/1.1 20 X", "HTTP/1.1 2000 X",
        "HTTP/2 200 OK", "HTTP/1.1", "",
    ])
    func `a first line without a status from 100 to 599 is not HTTP`(line: String) {
        var parser = HTTPResponseParser(isHead: false) { _ in 100 }
        parser.append("\(line)\r\nContent-Length: 0\r\n\r\n".utf8)
        #expect(throws: HTTPMessageReader.Problem.self) { try parser.next() }
    }

    @Test func `interim responses are skipped, and the last one is whole at 599 too`() throws {
        var parser = HTTPResponseParser(isHead: false) { _ in 100 }
        parser.append("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 599 X\r\nContent-Length: 2\r\n\r\nhi".utf8)
        let response = try #require(try parser.next())
        #expect(response.status == 599)
        #expect(response.body == Data("hi".utf8))
    }
}
