import Foundation
import Promises
import Testing

@testable import WorkflowHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What one exchange makes of the parts that `URLSession` delivers.
struct URLSessionExchangeTests {
    enum Outcome: Equatable {
        case answer(String)
        case failure(HTTPFailure.Reason)
    }

    @Test(arguments: [
        ("GET", 200, ["Content-Length": "5"], "hello", Outcome.answer("hello")),
        ("GET", 200, ["Content-Length": "5"], "hel", .failure(.connectionLost)),
        ("GET", 200, ["Content-Length": "five"], "hello", .failure(.badResponse)),
        ("GET", 204, ["Content-Length": "5"], "", .answer("")),
        ("GET", 304, ["Content-Length": "5"], "", .answer("")),
        ("HEAD", 200, ["Content-Length": "5"], "", .answer("")),
        ("GET", 200, ["Content-Length": "5", "Content-Encoding": "gzip"], "hi", .answer("hi")),
    ])
    func `a body that is shorter than announced is a lost connection, unless there is none`(
        method: String, status: Int, headers: [String: String], body: String, expected: Outcome
    ) throws {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "https://127.0.0.1:1/"))
        let outcome = Locked<Outcome?>(nil)
        let exchange = URLSessionExchange(
            HTTPRequest(method, url), session.dataTask(with: url), maximumResponseSize: 10
        ) { result in
            outcome.withLock { outcome in
                switch result {
                case .success(let response): outcome = .answer(String(decoding: response.body, as: UTF8.self))
                case .failure(let failure): outcome = .failure(failure.reason)
                }
            }
        }
        exchange.receive(
            try #require(
                HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)))
        exchange.receive(Data(body.utf8))
        exchange.complete(nil)
        #expect(outcome.withLock { $0 } == expected)
    }

    @Test func `an exchange ends once, however often it is ended`() throws {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let ends = Locked<[String]>([])
        let exchange = URLSessionExchange(
            HTTPRequest("GET", url), session.dataTask(with: url), maximumResponseSize: 10
        ) { _ in ends.withLock { $0.append("completed") } }
        exchange.whenDone { ends.withLock { $0.append("done") } }
        let failure = HTTPFailure(phase: .sent, reason: .cancelled, detail: "cancelled")
        exchange.fail(failure)
        exchange.fail(failure)
        exchange.complete(nil)
        #expect(ends.withLock { $0 } == ["done", "completed"])
        exchange.whenDone { ends.withLock { $0.append("done") } }
        #expect(ends.withLock { $0 } == ["done", "completed", "done"])
    }
}
