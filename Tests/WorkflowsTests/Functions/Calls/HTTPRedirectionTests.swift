import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "HTTP Call", redirect.
@Suite struct HTTPRedirectionTests {
    private func call(_ method: String, _ more: String = "") -> String {
        """
        { call: http, with: { method: \(method), endpoint: https://api.contoso.com/a, redirect: true, output: response,
            headers: { Authorization: Bearer abc, X-Api-Key: key, Accept: text/plain }\(more) } }
        """
    }

    @Test func `if redirect is true, a status of 300–399 is no error`() async throws {
        for status in [300, 304, 305, 399] {
            let output = try await CallFixture(ScriptedTransport(.status(status))).output(call("get"))
            #expect(output["statusCode"] == .integer(status))
        }
        let error = await CallFixture(ScriptedTransport(.status(404))).error(call("get"))
        #expect(error?.status == 404)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a request that reads is sent on, and the answer names where it came from`(status: Int) async throws {
        let transport = ScriptedTransport(.redirect(status, to: "/b?c=d"), .json("1"))
        let output = try await CallFixture(transport).output(call("get"))
        #expect(output["content"] == 1)
        #expect(output["request"]?["uri"] == "https://api.contoso.com/b?c=d")
        #expect(transport.requests.map(\.headers["Authorization"]) == ["Bearer abc", "Bearer abc"])
    }

    @Test(arguments: [
        ("/b%20c d", "/b%20c%20d"), ("/b#c", "/b"), ("/b?c=1#d?e", "/b?c=1"), ("/100%", "/100%25"), ("/é", "/%C3%A9"),
        ("x;y=1", "/x;y=1"), ("https://api.contoso.com/b//c", "/b//c"),
    ])
    func `a location is sent as it is written, but for its fragment`(location: String, target: String) async throws {
        let transport = ScriptedTransport(.redirect(302, to: location), .json("1"))
        _ = try await CallFixture(transport).output(call("get"))
        #expect(transport.requests.last?.url.absoluteString == "https://api.contoso.com\(target)")
    }

    @Test func `what proves who asks follows to no other origin, and not back either`() async throws {
        let transport = ScriptedTransport(
            .redirect(302, to: "https://elsewhere.contoso.com/b"), .redirect(302, to: "https://api.contoso.com/c"),
            .json("1"))
        let signed = Locked(0)
        let authorization = HTTPAuthorization(scheme: "Bearer") { request in
            signed.withLock { $0 += 1 }
            var request = request
            request.headers["Authorization"] = "Bearer secret"
            return .value(request)
        }
        let context = FunctionContext(
            graph: GraphClient(credential: .fixed(AccessToken("t")), transport: transport, environment: [:]),
            authorization: authorization)
        let output = try await Function.http(
            [
                "method": "get", "endpoint": "https://api.contoso.com/a", "redirect": true, "output": "response",
                "headers": ["X-Api-Key": "key", "Accept": "text/plain", "Cookie": "a=b"],
            ], in: context
        ).value
        #expect(signed.withLock { $0 } == 1)
        #expect(transport.requests.map(\.headers["Authorization"]) == ["Bearer secret", nil, nil])
        #expect(transport.requests.map(\.headers["X-Api-Key"]) == ["key", nil, nil])
        #expect(transport.requests.map(\.headers["Cookie"]) == ["a=b", nil, nil])
        #expect(transport.requests.map(\.headers["Accept"]) == ["text/plain", "text/plain", "text/plain"])
        #expect(output["content"] == 1)
    }

    @Test func `a redirect loop ends in an error`() async {
        let transport = ScriptedTransport((0...20).map { _ in .redirect(302, to: "https://api.contoso.com/a") })
        let error = await CallFixture(transport).error(call("get"))
        #expect(error?.is(.communication) == true)
        #expect(error?.status == 302)
        #expect(error?.detail?.contains("more than 10 times") == true)
        #expect(transport.requests.count == 11)
    }

    @Test(arguments: ["http://api.contoso.com/b", "http://127.0.0.1:8080/b", "https://localhost/b"])
    func `a request is sent neither on to where it can be read nor to this machine`(location: String) async {
        let transport = ScriptedTransport(.redirect(302, to: location), .json("1"))
        let error = await CallFixture(transport).error(call("get"))
        #expect(error?.is(.communication) == true)
        #expect(transport.requests.count == 1)
    }

    @Test func `after a 303 the answer is read at its place`() async throws {
        let transport = ScriptedTransport(.redirect(303, to: "/b"), .json("1"))
        let output = try await CallFixture(transport).output(call("post", ", body: { a: 1 }"))
        #expect(transport.requests.map(\.method) == ["POST", "GET"])
        #expect(transport.requests.last?.body == nil)
        #expect(transport.requests.last?.headers["Content-Type"] == nil)
        #expect(output["content"] == 1)
    }

    @Test(arguments: [(301, "/b"), (302, "/b"), (307, "https://elsewhere.contoso.com/b")])
    func `a request that changes something is not repeated elsewhere: the redirect is the answer`(
        status: Int, location: String
    ) async throws {
        let transport = ScriptedTransport(.redirect(status, to: location), .json("1"))
        let output = try await CallFixture(transport).output(call("post", ", body: { a: 1 }"))
        #expect(output["statusCode"] == .integer(status))
        #expect(output["headers"]?["Location"] == .string(location))
        #expect(transport.requests.count == 1)
    }

    @Test func `a 308 within the same origin repeats the request as it is`() async throws {
        let transport = ScriptedTransport(.redirect(308, to: "/b"), .json("1"))
        _ = try await CallFixture(transport).output(call("post", ", body: { a: 1 }"))
        #expect(transport.requests.map(\.method) == ["POST", "POST"])
        #expect(transport.requests.map(\.body) == [Data(#"{"a":1}"#.utf8), Data(#"{"a":1}"#.utf8)])
    }

    @Test func `a refusal is answered once, with the request as it was before it was signed`() async throws {
        let transport = ScriptedTransport(
            .status(401, ["WWW-Authenticate": "Digest"]), .status(401, ["WWW-Authenticate": "Digest"]))
        let asked = Locked<[String?]>([])
        let authorization = HTTPAuthorization(
            scheme: "Digest",
            authorize: { request in
                var request = request
                request.headers["Authorization"] = "first"
                return .value(request)
            },
            answer: { challenge, request in
                asked.withLock { $0.append(request.headers["Authorization"]) }
                var request = request
                request.headers["Authorization"] = "second"
                return .value(request)
            })
        let context = FunctionContext(
            graph: GraphClient(credential: .fixed(AccessToken("t")), transport: transport, environment: [:]),
            authorization: authorization)
        await #expect(throws: HTTPCallError.self) {
            try await Function.http(["method": "get", "endpoint": "https://api.contoso.com"], in: context).value
        }
        #expect(transport.requests.map(\.headers["Authorization"]) == ["first", "second"])
        #expect(asked.withLock { $0 } == [nil])
    }
}
