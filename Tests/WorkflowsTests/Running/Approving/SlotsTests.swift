import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// What may be in the slots of an approved plan: any value of the run's own expressions, and no structure.
@Suite struct SlotsTests {
    private static let slot = TextPart.unknown(Unknown("ask.v"))

    private static func parts(_ text: String) -> [TextPart] {
        let pieces = text.components(separatedBy: "*").map { TextPart.plain($0) }
        return Array(pieces.map { [$0] }.joined(separator: [slot])).filter { $0 != .plain("") }
    }

    @Test(arguments: [
        ("https://a.com/x/*/y", ["https://a.com/x/1/y", "https://a.com/x/a%2Fb/y"]),
        ("https://a.com/x/a*b", ["https://a.com/x/ab", "https://a.com/x/a..b", "https://a.com/x/a%20b"]),
        ("https://a.com/*?q=*&z=1", ["https://a.com/1?q=2&z=1", "https://a.com/1?q=a/b?c&z=1"]),
        ("https://*.a.com/x", ["https://b.a.com/x"]),
        ("*", ["https://b.com/x/y?z=1", "http://127.0.0.1:80/"]),
        ("*/orders", ["https://b.com/x/orders", "http://b.com/orders"]),
        ("*?top=5", ["https://b.com/x?top=5", "https://b.com/x?a=b&top=5"]),
        (
            "https://g.com/root:/*.txt:/content",
            ["https://g.com/root:/a/b/c.txt:/content", "https://g.com/root:/a.txt:/content"]
        ),
    ])
    func `a value stays in its place of an address`(planned: String, real: [String]) {
        for address in real {
            #expect(Slots.fit(address: Self.parts(planned), address, repeatsItems: false), "\(planned) \(address)")
        }
    }

    @Test(arguments: [
        (
            "https://a.com/x/*/y",
            [
                "https://a.com/x/1/2/y", "https://a.com/x/../y", "https://a.com/x/%2e%2E/y", "https://a.com/x/./y",
                "https://a.com/x/1?y", "https://a.com/x/1/y?z", "https://a.com/x/1/y/z", "https://b.com/x/1/y",
                "http://a.com/x/1/y", "https://a.com/x/1#/y", "https://a.com/x//y", "https://a.com/z/1/y",
                "https://a.com/x/y",
            ]
        ),
        ("https://a.com/*?q=*&z=1", ["https://a.com/1?q=2&x=1&z=1", "https://a.com/1?q=2&z=2", "https://a.com/1?z=1"]),
        ("https://*.a.com/x", ["https://b.com@c.a.com/x", "https://evil.com/.a.com/x", "https://evil.com?.a.com/x"]),
        (
            "*/orders",
            ["https://b.com/orders/x", "https://b.com/orders?x=1", "ftp://b.com/orders", "https://b.com/../orders"]
        ),
        ("*?top=5", ["https://b.com/x?top=50", "https://b.com/x", "https://b.com/x?top=5&a=b"]),
        (
            "https://g.com/root:/*.txt:/content",
            [
                "https://g.com/root:/../a.txt:/content", "https://g.com/root:/a/%2E./b.txt:/content",
                "https://g.com/root:/a.txt:/content/x", "https://g.com/root:/a.txt:/children",
                "https://g.com/root:/a.bin:/content",
            ]
        ),
    ])
    func `no value leaves its place of an address`(planned: String, real: [String]) {
        for address in real {
            #expect(!Slots.fit(address: Self.parts(planned), address, repeatsItems: false), "\(planned) \(address)")
        }
    }

    @Test func `an item of a query is left out for null and repeated for a list, where the call does that`() {
        let planned = Self.parts("https://a.com/?a=1&q=*&z=*x")
        for (query, fits) in [
            ("a=1&q=2&z=3x", true), ("a=1&z=x", true), ("a=1&q=1&q=2&z=x", true), ("a=1&q=1&r=2&z=x", false),
            ("a=1&q=1", false), ("q=1&z=x", false), ("a=1&q=1&z=x&z=x", false),
        ] {
            #expect(Slots.fit(address: planned, "https://a.com/?\(query)", repeatsItems: true) == fits, "\(query)")
        }
        #expect(!Slots.fit(address: planned, "https://a.com/?a=1&z=x", repeatsItems: false))
    }

    @Test func `a value in JSON is one value, and in a text a part of it`() {
        let (any, text) = (Value.unknown(Unknown("any")), Value.unknown(Unknown("text", .text)))
        let planned: Value = ["a": any, "b": text, "c": .text(Self.parts("x*y")), "to": [["address": text]]]
        func fits(_ change: (inout Object) -> Void) -> Bool {
            var real: Object = ["a": 1, "b": "2", "c": "x3y", "to": [["address": "a@contoso.com"]]]
            change(&real)
            return Slots.fit(planned, .object(real))
        }
        #expect(fits { _ in })
        #expect(fits { $0["a"] = ["any": ["thing": nil]] })
        #expect(
            fits {
                $0["b"] = nil; $0["b"] = .null
            })
        #expect(fits { $0["c"] = "xy" })
        #expect(!fits { $0["b"] = ["2"] })
        #expect(!fits { $0["c"] = "x3" })
        #expect(!fits { $0["d"] = 1 })
        #expect(!fits { $0["a"] = nil })
        #expect(!fits { $0["to"] = [["address": "a@contoso.com"], ["address": "b@contoso.com"]] })
        #expect(!fits { $0["to"] = [["address": "a@contoso.com", "name": "x"]] })
    }

    /// A service that answers with a text, and takes what is sent to it.
    private struct Echo: HTTPTransport {
        let answer: Value

        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
            let body = request.method == "GET" ? answer : [:]
            return .value(
                HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body.jsonData()))
        }
    }

    private static let workflow = """
        document: { dsl: 1.0.3, namespace: samples, name: slots, version: 1.0.0 }
        do:
          - ask: { call: http, with: { method: get, endpoint: https://api.contoso.com/data }, export: { as: . } }
          - path:
              call: http
              with: { method: post, endpoint: '${ "https://api.contoso.com/a/\\($context.v | @uri)/b" }', query: { q: '${ $context.v }', z: '1' }, body: { x: '${ $context.v }', y: [ '${ "a\\($context.v)b" }' ] } }
          - form:
              call: http
              with: { method: post, endpoint: https://api.contoso.com/f, headers: { Content-Type: application/x-www-form-urlencoded }, body: { f: '${ $context.v }', g: '${ "g \\($context.v)" }' } }
          - text:
              call: http
              with: { method: put, endpoint: 'https://api.contoso.com/t', headers: { Content-Type: text/plain }, body: '${ "Dear \\($context.v), welcome." }' }
          - mail: { call: sendMail, with: { to: megan@contoso.com, subject: '${ "About \\($context.v)" }', body: '${ $context.v | tostring }' } }
        """

    /// Texts that people, services and attackers write.
    private static func text(_ generator: inout SeededGenerator) -> String {
        let pieces = [
            "ä", "Ö ü", " ", "  ", "🙂", "👩‍👩‍👧", "\"", "'", "\\", "%", "%2f", "%zz", "&", "=", "?", "#", "/", "..", "../..",
            ".",
            "‹ask.v›", "‹", "›", "\n", "\r\n", "\t", "\u{0}", "\u{202E}", "<b>", "&amp;", "${ .x }", "{v}", "a@b", "é",
            "null",
            "0", "-1", "~1", "+", ";", ",", "@", ":", "[1]", "{\"a\":1}", "日本", "a",
        ]
        let count = Int.random(in: 0...6, using: &generator)
        let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        guard Int.random(in: 0..<200, using: &generator) == 0 else { return text }
        return String(repeating: text + "x", count: 10_000 / (text.count + 1))
    }

    @Test func `whatever an answer is, an unchanged run is not refused`() async throws {
        let workflow = try Workflow(text: Self.workflow)
        let sandbox = Sandbox()
        func runner(_ answer: Value) -> Runner {
            let transport = HostTransport(api: Echo(answer: ["v": answer]), others: sandbox.transport)
            return Runner(
                graph: GraphClient(
                    credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL, transport: transport,
                    environment: [:]))
        }
        let plan = try await runner("").plan(workflow).value
        #expect(plan.isComplete)
        var generator = SeededGenerator(seed: 7)
        var refused = 0
        for number in 0..<Extent.of(10_000, or: 200) {
            let answer: Value =
                switch number % 20 {
                case 0: .null
                case 1: .integer(number)
                default: .string(Self.text(&generator))
                }
            // Such a segment is refused in any address, and an empty one is that of something else.
            guard answer != ".", answer != "..", answer != "" else { continue }
            let approved = runner(answer).doing(plan)
            _ = try? await approved.run(workflow).value
            let deviation = (approved.world as? LiveWorld)?.approval?.deviation
            if let deviation, refused < 5 { Issue.record("\(answer.json()): \(deviation.difference)") }
            if deviation != nil { refused += 1 }
        }
        #expect(refused == 0)
    }
}

/// One host, and all others.
private struct HostTransport: HTTPTransport {
    let api: any HTTPTransport
    let others: any HTTPTransport

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        (request.url.host() == "api.contoso.com" ? api : others).send(request, for: operation)
    }
}
