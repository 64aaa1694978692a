import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Calls that end in an error of the standard, and its content.
@Suite struct HTTPCallErrorTests {
    private let get = "{ call: http, with: { method: get, endpoint: https://api.contoso.com/pets?key=hidden } }"
    private let post = "{ call: http, with: { method: post, endpoint: https://api.contoso.com/pets, body: { a: 1 } } }"

    @Test(arguments: [199, 300, 302, 304, 400, 401, 403, 404, 429, 500, 503])
    func `if redirect is false, a status outside the 200–299 range raises an error`(status: Int) async {
        let error = await CallFixture(ScriptedTransport(.status(status))).error(get)
        #expect(error?.is(.communication) == true)
        #expect(error?.status == status)
        #expect(error?.instance == "/do/0/ask")
    }

    @Test func `an error says what the service said, and not what stands in the query`() async {
        let transport = ScriptedTransport(.json(#"{"error":{"message":"no such\npet"}}"#, status: 404))
        let error = await CallFixture(transport).error(get)
        #expect(error?.title == "Not Found")
        #expect(error?.detail == "GET https://api.contoso.com/pets?… was answered 404 Not Found: no such pet")
    }

    @Test func `a lost answer is an error of communication, which says that it may have been processed`() async {
        let error = await CallFixture(ScriptedTransport(.lost())).error(post)
        #expect(error?.is(.communication) == true)
        #expect(error?.status == 502)
        #expect(error?.detail?.contains("the request may have been processed") == true)
        let unsent = await CallFixture(ScriptedTransport(.lost(.notSent))).error(post)
        #expect(unsent?.detail?.contains("may have been") == false)
        let read = await CallFixture(ScriptedTransport(.lost())).error(get)
        #expect(read?.detail?.contains("may have been") == false)
    }

    @Test(arguments: [(404, false), (499, false), (500, true), (503, true)])
    func `only a fault of the service leaves open whether a POST was processed`(status: Int, isOpen: Bool) async {
        let posted = await CallFixture(ScriptedTransport(.status(status))).error(post)
        #expect(posted?.detail?.contains("the request may have been processed") == isOpen)
        let read = await CallFixture(ScriptedTransport(.status(status))).error(get)
        #expect(read?.detail?.contains("may have been") == false)
    }

    @Test func `an answer in JSON that has no message is shown as it is`() async {
        let error = await CallFixture(ScriptedTransport(.json(#"{"code": 7}"#, status: 400))).error(get)
        #expect(error?.detail == #"GET https://api.contoso.com/pets?… was answered 400 Bad Request: {"code":7}"#)
    }

    @Test func `a call is not repeated by itself`() async {
        let transport = ScriptedTransport(.status(503, ["Retry-After": "1"]), .json("{}"))
        #expect(await CallFixture(transport).error(get)?.status == 503)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [
        ("application/json", "<html>Sign in</html>", "begins with '<html>Sign in</html>'"),
        ("application/json", "{\"a\":", "is not JSON"), ("application/yaml", "a: [", "is not YAML"),
    ])
    func `content that is not what its type says is an error with what came instead`(
        type: String, body: String, words: String
    ) async {
        let error = await CallFixture(ScriptedTransport(.status(200, ["Content-Type": type], body))).error(get)
        #expect(error?.is(.communication) == true)
        #expect(error?.status == 502)
        #expect(error?.detail?.contains(words) == true)
        #expect(error?.detail?.contains("output: raw") == true)
    }

    @Test(arguments: [
        "http://api.contoso.com/", "ftp://api.contoso.com/", "https://user:pass@api.contoso.com/", "https:///pets",
        "pets",
    ])
    func `an address that no request may go to is a configuration error`(address: String) async {
        let transport = ScriptedTransport(.json("{}"))
        let error = await CallFixture(transport).error(
            "{ call: http, with: { method: get, endpoint: '${ .address }' } }", input: ["address": .string(address)])
        #expect(error?.is(.configuration) == true)
        #expect(error?.detail?.contains("pass@") == false)
        #expect(transport.requests.isEmpty)
    }

    @Test func `what is no address is named without its query`() async {
        let error = await CallFixture(ScriptedTransport()).error(
            "{ call: http, with: { method: get, endpoint: '${ .address }' } }", input: ["address": "pets?key=1"])
        #expect(error?.detail?.contains("'pets?…' is not an address") == true)
    }

    @Test(arguments: [
        ("endpoint: http://api.contoso.com/a", "plain-http"), ("endpoint: pets", "address"),
        ("endpoint: 'https://api.contoso.com/{a'", "expression"),
        ("endpoint: { url: https://a.com }", "unknown-property"),
        ("endpoint: https://a.com, headers: text", "type"), ("endpoint: https://a.com, query: text", "type"),
        ("endpoint: https://a.com, headers: { Host: b }", "header"),
        ("endpoint: https://a.com, headers: { 'a b': b }", "header"),
        ("endpoint: https://a.com, query: { a: 1 }", "arguments"),
        ("endpoint: https://a.com, output: text", "arguments"),
        ("endpoint: https://a.com, output: '${ .o }'", "computed-argument"),
        ("endpoint: https://a.com, redirect: '${ .o }'", "computed-argument"),
        ("endpoint: https://a.com, foo: 1", "arguments"),
        ("headers: { a: b }", "arguments"),
    ])
    func `what is wrong with a call is found before anything runs`(rest: String, id: String) throws {
        var ids: [String] = []
        do {
            ids = try Workflow(tasks: "- ask: { call: http, with: { method: get, \(rest) } }").validate().map(\.id)
        } catch let error as InvalidWorkflow {
            ids = error.diagnostics.map(\.id)
        }
        #expect(ids.contains(id))
    }

    @Test(arguments: [
        ("headers: { a: '${ .lines }' }", "line break"), ("headers: { a: '${ .list }' }", "must be a string"),
        ("query: { a: '${ .object }' }", "must be a string"),
        (
            "body: { a: '${ .object }' }, headers: { Content-Type: application/x-www-form-urlencoded }",
            "must be a string"
        ),
        ("body: [1], headers: { Content-Type: application/x-www-form-urlencoded }", "must be an object"),
        ("body: { a: 1 }, headers: { Content-Type: image/png }", "cannot be written as image/png"),
    ])
    func `arguments that no request can be made of are a validation error`(rest: String, words: String) async {
        let transport = ScriptedTransport(.json("{}"))
        let error = await CallFixture(transport).error(
            "{ call: http, with: { method: post, endpoint: https://a.com, \(rest) } }",
            input: ["lines": "a\r\nX-Evil: b", "list": [1], "object": ["a": 1]])
        #expect(error?.is(.validation) == true)
        #expect(error?.detail?.contains(words) == true)
        #expect(transport.requests.isEmpty)
    }

    @Test func `a value that is not a text is named with its place`() {
        func place(of value: Value) -> String? {
            let error = #expect(throws: FunctionError.self) {
                try HTTPCall.pairs(["a": "text", "b": value], at: JSONPointer(["with", "query"]))
            }
            return error?.pointer?.description
        }
        #expect(place(of: ["c": 1]) == "/with/query/b")
        #expect(place(of: ["text", ["c": 1]]) == "/with/query/b/1")
    }
}
