import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// dsl-reference.md, "HTTP Call", "HTTP Response", "HTTP Request", "Endpoint" and "URI Template".
@Suite struct HTTPCallTests {
    @Test func `the endpoint is an URI, an expression, or an object with either`() async throws {
        for endpoint in [
            "https://api.contoso.com/pets/7", "'${ \"https://api.contoso.com/pets/\\(.id)\" }'",
            "{ uri: https://api.contoso.com/pets/7 }", "{ uri: '${ .address }' }",
            "'https://api.contoso.com/pets/${ .id }'", "'https://api.contoso.com/pets/{id}'",
        ] {
            let transport = ScriptedTransport(.json("{}"))
            _ = try await CallFixture(transport).output(
                "{ call: http, with: { method: get, endpoint: \(endpoint) } }",
                input: ["id": 7, "address": "https://api.contoso.com/pets/7"])
            #expect(transport.requests.map(\.url.absoluteString) == ["https://api.contoso.com/pets/7"])
            #expect(transport.requests.map(\.method) == ["GET"])
            #expect(transport.requests.first?.headers["Authorization"] == nil)
        }
    }

    @Test func `the identifier inside the curly braces is replaced with its value`() async throws {
        let transport = ScriptedTransport(.json("{}"))
        _ = try await CallFixture(transport).output(
            "{ call: http, with: { method: get, endpoint: 'https://api.contoso.com/{pet.id}/{name}/{good}?q={name}' } }",
            input: ["pet.id": 1.5, "pet": ["id": 2], "name": "a/b?c é", "good": true])
        #expect(
            transport.requests.first?.url.absoluteString
                == "https://api.contoso.com/1.5/a%2Fb%3Fc%20%C3%A9/true?q=a%2Fb%3Fc%20%C3%A9")
    }

    @Test func `if no value is found for the identifier, an empty string will be used`() async throws {
        let transport = ScriptedTransport(.json("{}"), .json("{}"))
        let call = "{ call: http, with: { method: get, endpoint: 'https://api.contoso.com/a{id}' } }"
        _ = try await CallFixture(transport).output(call)
        _ = try await CallFixture(transport).output(call, input: ["id": nil])
        #expect(transport.requests.map(\.url.path) == ["/a", "/a"])
    }

    @Test func `if the variable is of a different type an error with type expression and status 400 is raised`()
        async
    {
        let error = await CallFixture(ScriptedTransport()).error(
            "{ call: http, with: { method: get, endpoint: 'https://api.contoso.com/{id}' } }", input: ["id": [1]])
        #expect(error?.is(.expression) == true)
        #expect(error?.status == 400)
        #expect(error?.detail?.contains("'{id}'") == true)
    }

    @Test func `what an expression gives is no template, and runtime arguments are none of its variables`() async {
        let transport = ScriptedTransport(.json("{}"))
        let error = await CallFixture(transport).error(
            "{ call: http, with: { method: get, endpoint: '${ .address }' } }",
            input: ["address": "https://api.contoso.com/{secret}", "secret": "s"])
        #expect(error == nil)
        #expect(transport.requests.first?.url.absoluteString == "https://api.contoso.com/%7Bsecret%7D")
    }

    @Test func `headers and query are objects or expressions, and an array is appended one by one`() async throws {
        let transport = ScriptedTransport(.json("{}"))
        _ = try await CallFixture(transport).output(
            """
            { call: http, with: { method: get, endpoint: https://api.contoso.com/pets?first=1, headers: '${ .headers }',
                query: { name: '${ .name }', tag: '${ .tags }', none: '${ .missing }' } } }
            """,
            input: ["headers": ["X-Count": 3, "X-None": nil], "name": "a&b=c +é", "tags": ["x", 2, true]])
        let request = try #require(transport.requests.first)
        #expect(
            request.url.absoluteString
                == "https://api.contoso.com/pets?first=1&name=a%26b%3Dc%20%2B%C3%A9&tag=x&tag=2&tag=true")
        #expect(request.headers["X-Count"] == "3")
        #expect(request.headers["X-None"] == nil)
    }

    @Test(
        arguments: [
            ("{ a: 1 }", nil, #"{"a":1}"#, "application/json"), ("[1, 2]", nil, "[1,2]", "application/json"),
            ("text", nil, "text", "text/plain; charset=utf-8"), ("7", nil, "7", "application/json"),
            ("{ a: 1 }", "application/merge-patch+json", #"{"a":1}"#, "application/merge-patch+json"),
            ("'<a/>'", "application/xml", "<a/>", "application/xml"),
            (
                "{ a: 'x y&', b: [1, 2], c: null }", "application/x-www-form-urlencoded", "a=x%20y%26&b=1&b=2",
                "application/x-www-form-urlencoded"
            ),
        ] as [(String, String?, String, String)])
    func `a body is sent as its content type says, and as JSON where none is given`(
        body: String, type: String?, sent: String, sentType: String
    ) async throws {
        let transport = ScriptedTransport(.status(204))
        let headers = type.map { ", headers: { content-type: \($0) }" } ?? ""
        let output = try await CallFixture(transport).output(
            "{ call: http, with: { method: post, endpoint: https://api.contoso.com, body: \(body)\(headers) } }")
        let request = try #require(transport.requests.first)
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == sent)
        #expect(request.headers.values(of: "Content-Type") == [sentType])
        #expect(output == nil)
    }

    @Test func `a blob is sent as its bytes`() async throws {
        let transport = ScriptedTransport(.status(204))
        let workflow = try Workflow(
            tasks: """
                - picture: { call: defaultPhoto }
                - send: { call: http, with: { method: put, endpoint: https://api.contoso.com, body: "${ . }" } }
                """)
        _ = try await CallFixture(transport).runner.run(workflow).value
        #expect(try transport.requests.first?.body == Blob.defaultPhoto.bytes)
        #expect(transport.requests.first?.headers["Content-Type"] == "image/png")
    }

    @Test func `raw outputs the base-64 encoded content, content the deserialized one`() async throws {
        let transport = ScriptedTransport(.json(#"{"id":1}"#), .json(#"{"id":1}"#))
        let fixture = CallFixture(transport)
        let call = "{ call: http, with: { method: get, endpoint: https://api.contoso.com, output: OUTPUT } }"
        #expect(try await fixture.output(call.replacing("OUTPUT", with: "raw")) == "eyJpZCI6MX0=")
        #expect(try await fixture.output(call.replacing("OUTPUT", with: "content")) == ["id": 1])
    }

    @Test func `response outputs the answer with its request, and nothing that proves who asks`() async throws {
        let transport = ScriptedTransport(
            .status(201, ["content-type": "application/json", "x-a": "1", "X-A": "2", "etag": "e"], #"{"id":1}"#))
        let output = try await CallFixture(transport).output(
            """
            { call: http, with: { method: get, endpoint: https://api.contoso.com/pets, output: response,
                headers: { Accept: application/json, Authorization: Bearer abc } } }
            """)
        #expect(output["statusCode"] == 201)
        #expect(output["content"] == ["id": 1])
        #expect(output["headers"] == ["Content-Type": "application/json", "X-A": "1, 2", "ETag": "e"])
        #expect(output["request"]?["method"] == "get")
        #expect(output["request"]?["uri"] == "https://api.contoso.com/pets")
        #expect(output["request"]?["headers"]?["Accept"] == "application/json")
        #expect(transport.requests.first?.headers["Authorization"] == "Bearer abc")
        #expect(!output.json().contains("abc"))
    }

    @Test(
        arguments: [
            ("application/json; charset=utf-8", #"{"a":[1]}"#, ["a": [1]]), ("application/problem+json", "1", 1),
            ("application/yaml", "a: [1, b]", ["a": [1, "b"]]), ("text/plain", "héllo", "héllo"),
            ("text/html", "<p>", "<p>"),
            ("application/xml", "<a/>", "<a/>"), ("application/octet-stream", "abc", "YWJj"),
            ("image/png", "abc", "YWJj"),
            ("", "abc", "abc"), ("application/json", "", nil),
        ] as [(String, String, Value)])
    func `the content is deserialized by its type, otherwise it is base-64 encoded`(
        type: String, body: String, value: Value
    ) async throws {
        let transport = ScriptedTransport(.status(200, type.isEmpty ? [:] : ["Content-Type": type], body))
        let output = try await CallFixture(transport).output(
            "{ call: http, with: { method: get, endpoint: https://api.contoso.com } }")
        #expect(output == value)
    }

    @Test(
        arguments: [
            ("ISO-8859-1", [0x63, 0x61, 0x66, 0xe9]), ("utf-16be", [0, 0x63, 0, 0x61, 0, 0x66, 0, 0xe9]),
            ("utf-16le", [0x63, 0, 0x61, 0, 0x66, 0, 0xe9, 0]),
        ] as [(String, [UInt8])])
    func `text is read in the encoding that its type names`(charset: String, bytes: [UInt8]) async throws {
        let transport = ScriptedTransport(
            .answer(
                HTTPResponse(
                    status: 200, headers: ["Content-Type": "text/plain; charset=\"\(charset)\""], body: Data(bytes))))
        let output = try await CallFixture(transport).output(
            "{ call: http, with: { method: get, endpoint: https://api.contoso.com } }")
        #expect(output == "café")
    }

    @Test func `the effect of a call is that of its method`() async throws {
        for (method, effect) in [
            ("get", Idempotency.read), ("put", .idempotent), ("delete", .idempotent), ("post", .once),
        ] {
            let log = EventLog()
            let transport = ScriptedTransport(.status(204))
            _ = try await CallFixture(transport, recorders: [log.recorder]).output(
                "{ call: http, with: { method: \(method), endpoint: https://api.contoso.com } }")
            let effects = log.events.compactMap { event -> Idempotency? in
                if case .callStarted(_, let effect) = event.kind { effect } else { nil }
            }
            #expect(effects == [effect])
            #expect(transport.operations.map(\.effect) == [effect])
        }
    }

    @Test func `a plan shows the request, and the content is a symbol`() async throws {
        let forbidden = ScriptedTransport()
        let workflow = try Workflow(
            tasks: """
                - ask: { call: http, with: { method: post, endpoint: https://api.contoso.com/a, body: { b: 1 } } }
                """)
        let plan = try await CallFixture(forbidden).runner.plan(workflow).value
        #expect(forbidden.requests.isEmpty)
        #expect(plan.requests.map(\.request.url.absoluteString) == ["https://api.contoso.com/a"])
        #expect(plan.requests.map(\.operation.effect) == [.once])
        #expect(plan.output == "‹ask›")
    }
}
