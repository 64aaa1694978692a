import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP
@testable import Workflows

/// What an answer may do to the addresses of later requests: nothing of it is cut, and none of it is structure.
@Suite struct SlotAddressTests {
    /// A service that answers with a text, and notes the other requests that reach it.
    private final class Service: HTTPTransport {
        let answer: Value
        let addresses = Locked<[String]>([])

        init(answer: Value) { self.answer = answer }

        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
            let isQuestion = request.url.path().hasSuffix("/ask")
            // As it is sent: without what a transport would leave out.
            if !isQuestion { addresses.withLock { $0.append(request.url.requestTarget) } }
            return .value(
                HTTPResponse(
                    status: 200, headers: ["Content-Type": "application/json"],
                    body: (isQuestion ? answer : [:]).jsonData()))
        }
    }

    /// A call whose address has the answer `‹›`, and that address.
    private static let calls: [(call: String, address: String)] = [
        (http("'https://api.contoso.com/items/${ $context.v }'"), "/items/‹›"),
        (http("'https://api.contoso.com/items/${ $context.v }/lines'"), "/items/‹›/lines"),
        (http("'https://api.contoso.com/items/a-${ $context.v }-b'"), "/items/a-‹›-b"),
        (http("'https://api.contoso.com/items?a=${ $context.v }&z=1'"), "/items?a=‹›&z=1"),
        (http("'${ \"https://api.contoso.com/items/\" + $context.v }'"), "/items/‹›"),
        (http("{ uri: 'https://api.contoso.com/items/${ $context.v }' }"), "/items/‹›"),
        (http("'https://api.contoso.com/items/{v}'"), "/items/‹›"),
        (
            "{ call: http, with: { method: delete, endpoint: 'https://api.contoso.com/items', query: { a: '${ $context.v }' } } }",
            "/items?a=‹›"
        ),
        ("{ call: graph, with: { method: DELETE, path: '/me/messages/${ $context.v }' } }", "/v1.0/me/messages/‹›"),
        (
            "{ call: graph, with: { method: DELETE, path: '${ \"/me/messages/\" + $context.v }', scopes: [] } }",
            "/v1.0/me/messages/‹›"
        ),
        (
            "{ call: graph, with: { method: DELETE, path: \"/users('${ $context.v }')/photo\" } }",
            "/v1.0/users('‹›')/photo"
        ),
    ]

    private static func http(_ endpoint: String) -> String {
        "{ call: http, with: { method: delete, endpoint: \(endpoint), output: raw } }"
    }

    private static let pieces = [
        "#", "?", "/", "\\", "%", "%2f", "%2e%2e", "%zz", "\t", "\r", "\n", " ", "..", ".", ";", "@", ":", "", "\u{0}",
        "é", "e\u{301}", "🙂", "//", "&", "=", "+", "‹v›", "'", "\"", "[", "]", "{v}", "^", "|", "<", "\u{7F}", "\u{85}",
        "\u{2028}", "\u{202E}", "a", "x1", "aa?", "../..", "http://b.example.com/",
    ]

    private static func requests(_ call: String, answer: Value, plan: Plan? = nil) async throws -> [String] {
        let (workflow, runner, service) = try parts(call, answer)
        _ = try? await (plan.map { runner.doing($0) } ?? runner).run(workflow).value
        return service.addresses.withLock { $0 }
    }

    private static func parts(_ call: String, _ answer: Value) throws -> (Workflow, Runner, Service) {
        let service = Service(answer: ["v": answer])
        let workflow = try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: samples, name: slots, version: 1.0.0 }
                do:
                  - ask: { call: http, with: { method: get, endpoint: https://api.contoso.com/ask }, export: { as: . } }
                  - write: { input: { from: '${ $context }' }, \(call.dropFirst())
                """)
        let graph = GraphClient(
            credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL, transport: service, environment: [:])
        return (workflow, Runner(graph: graph), service)
    }

    /// The bytes that an address names: escapes are their bytes, and other text is its own.
    private static func bytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let escape =
                byte == UInt8(ascii: "%") ? UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) : nil
            if escape != nil { rest = rest.dropFirst(2) }
            bytes.append(escape ?? byte)
        }
        return bytes
    }

    private static func structure(_ address: String) -> [Int] {
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = parts[0].split(separator: "/")
        return [
            parts[0].count { $0 == "/" }, segments.count, parts.count, parts.dropFirst().joined().count { $0 == "&" },
        ]
    }

    @Test func `what is sent is what the text says, and an approved run sends it as well or refuses it`() async throws {
        var generator = SeededGenerator(seed: 59)
        for (call, address) in Self.calls {
            let (workflow, planner, _) = try Self.parts(call, "")
            let plan = try await planner.plan(workflow).value
            let drawn = (0..<Extent.of(1_000, or: 20)).map { _ in
                (0..<Int.random(in: 1...3, using: &generator))
                    .map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
            }
            // An address that an expression makes as a whole is one unknown, which the plan shows as such.
            let isWhole = call.contains("endpoint: '${")
            for value in Self.pieces + drawn {
                let free = try await Self.requests(call, answer: .string(value))
                let approved = try await Self.requests(call, answer: .string(value), plan: plan)
                #expect(free.count <= 1)
                #expect(approved.isEmpty || approved == free, "\(address) \(value.debugDescription)")
                let text = address.replacing("‹›", with: value)
                for sent in free {
                    let isSame = [Self.bytes(text), Array(text.utf8)].contains(Self.bytes(sent))
                    #expect(isSame, "\(call) \(value.debugDescription)")
                    #expect(value != "" || isWhole || address.contains("?") || address.contains("a-"), "\(call)")
                }
                for sent in approved where !isWhole {
                    let named = address.replacing("‹›", with: "x")
                    #expect(Self.structure(sent) == Self.structure(named), "\(call) \(value.debugDescription)")
                }
            }
            // Such an address is only known at run time, and the plan says that it is not complete.
            guard !call.contains("{v}"), !call.contains("path: '${") else { continue }
            #expect(try await Self.requests(call, answer: "a b", plan: plan).count == 1, "\(call)")
            #expect(try await Self.requests(call, answer: "é-1", plan: plan).count == 1, "\(call)")
        }
    }

    @Test func `null in an address is an error`() async throws {
        for (call, address) in Self.calls where !call.contains("query") && !call.contains("\" +") {
            #expect(try await Self.requests(call, answer: .null).isEmpty, "\(address)")
        }
    }
}
