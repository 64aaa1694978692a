import Foundation
import Promises
import TestSupport
import Testing

@testable import GraphSandbox

/// `--mock`: services that answer from a file.
struct MockedServicesTests {
    private static let file = """
        - request: { method: POST, url: 'https://api.contoso.com/orders/*', body: { kind: desk } }
          answer: { status: 201, json: { id: 17 }, headers: { X-Count: 2 } }
        - request: { path: '/**', query: { page: 2 } }
          answer: { status: 404, body: Nothing here }
        - request: { url: 'https://*.example/a' }
          answer: {}
        """

    private func mocks(_ text: String = file) throws -> MockedServices {
        try MockedServices(try Document(text: text, name: "mocks.yaml"))
    }

    @Test(
        arguments: [
            ("POST", "https://api.contoso.com/orders/1", ["kind": "desk", "count": 1], 201),
            ("POST", "https://api.contoso.com/orders/1", ["kind": "lamp"], nil),
            ("POST", "https://api.contoso.com/orders/1/2", ["kind": "desk"], nil),
            ("PUT", "https://api.contoso.com/orders/1", ["kind": "desk"], nil),
            ("GET", "http://x/y/z?a=1&page=2", nil, 404), ("GET", "http://x/y/z?page=3", nil, nil),
            ("GET", "https://b.example/a", nil, 200), ("GET", "https://b.example/a/b", nil, nil),
        ] as [(String, String, Value?, Int?)])
    func `the first pattern that a request is like answers`(method: String, url: String, body: Value?, status: Int?)
        async throws
    {
        let request = HTTPRequest(method, try #require(URL(string: url)), body: body?.jsonData())
        let mocks = try mocks()
        let answer = try? await mocks.send(
            request, for: HTTPOperation(name: "http", effect: .once, example: HTTPResponse(status: 200))
        ).value
        #expect(answer?.status == status)
        #expect(mocks.refused == (status == nil ? ["\(method) \(url)"] : []))
    }

    @Test func `what no request was like is known at the end`() async throws {
        let mocks = try mocks()
        let request = HTTPRequest("GET", try #require(URL(string: "http://x/?page=2")))
        let answer = try await mocks.send(
            request, for: HTTPOperation(name: "http", effect: .read, example: HTTPResponse(status: 200))
        ).value
        #expect(answer.body == Data("Nothing here".utf8))
        #expect(mocks.unused == ["POST https://api.contoso.com/orders/*", "any request https://*.example/a"])
    }

    @Test(
        arguments: [
            ("- request: { path: /a }", "1:3"), ("- request: {}\n  answer: {}", "1:12"),
            ("- request: { path: /a }\n  answer: { status: 20 }", "2:21"),
            ("- request: { path: a }\n  answer: {}", "1:20"), ("- request: { pat: /a }\n  answer: {}", "1:19"),
        ])
    func `a mistake in the file has its place`(text: String, place: String) throws {
        let error = try #require(throws: ReadingError.self) { try mocks(text) }
        let start = try #require(error.diagnostics.first?.range?.start)
        #expect("\(start.line):\(start.column)" == place, "\(error.diagnostics)")
    }
}
