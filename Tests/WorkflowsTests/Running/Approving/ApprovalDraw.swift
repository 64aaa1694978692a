import Foundation
import Promises
import TestSupport

@testable import MicrosoftGraph
@testable import Workflows

/// A workflow whose effect has a value that only its run knows, and what changes between its plan and its end.
struct ApprovalDraw {
    /// Something that is not as it was when the plan was made.
    enum Change: CaseIterable {
        /// Nothing: the run must do what it would do without a plan.
        case nothing
        /// A service answers with another value.
        case answer
        case file
        case variable
        case workflow
        case clock
        /// The function of a catalog on the network is another one.
        case catalog
        /// The readable plan was edited, and its digests made anew.
        case plan
        /// The process is killed after an event, and the run is resumed.
        case kill
        /// The same, and a file changes meanwhile.
        case killAndFile
    }

    /// Where the value stands, as the task that has the effect.
    static let places = [
        "call: http, with: { method: post, endpoint: 'https://api.contoso.com/x/${ $context.v | @uri }/y' }",
        "call: http, with: { method: post, endpoint: 'https://api.contoso.com/x/${ $context.v }' }",
        "call: http, with: { method: post, endpoint: '${ $context.next }' }",
        "call: http, with: { method: post, endpoint: '${ $context.base + \"/orders\" }' }",
        "call: http, with: { method: post, endpoint: 'https://api.contoso.com/q?a=${ $context.v | @uri }&b=1' }",
        "call: http, with: { method: post, endpoint: 'https://api.contoso.com/q', query: { v: '${ $context.v }', w: '${ $context.note }' } }",
        "call: http, with: { method: post, endpoint: 'https://api.contoso.com/h', headers: { x-value: '${ $context.v | @base64 }' } }",
        "call: http, with: { method: post, endpoint: 'https://api.contoso.com/b', body: { v: '${ $context.v }', l: [ 1, '${ $context.v }' ], n: '${ $context.note }' } }",
        "call: http, with: { method: put, endpoint: 'https://api.contoso.com/t', headers: { content-type: text/plain }, body: 'Hello ${ $context.v }, ${ $context.note }' }",
        "call: http, with: { method: post, endpoint: 'https://api.contoso.com/j', headers: { content-type: application/json }, body: '{ \"v\": \"${ $context.v | tostring | @json | .[1:-1] }\", \"n\": ${ $context.v | @json } }' }",
        "call: http, with: { method: post, endpoint: 'https://api.contoso.com/raw', headers: { content-type: application/json }, body: '{ \"v\": \"${ $context.v }\" }' }",
        "call: http, with: { method: post, endpoint: 'https://api.contoso.com/e?v=${ $context.v }' }",
        "call: graph, with: { method: PATCH, path: '/me/contacts/${ $context.v | @uri }', body: { note: '${ $context.v }' } }",
        "call: graph, with: { method: POST, path: /me/contacts, query: { tag: '${ $context.v }' }, body: { displayName: 'Dr. ${ $context.v }' } }",
        "call: graph, with: { method: POST, path: '${ $context.path }', body: { a: 1 } }",
        "call: graph, with: { method: POST, path: /me/contacts, query: '${ { ids: $context.v, note: $context.note } }' }",
        "call: http, with: { method: post, endpoint: 'https://api.contoso.com/f', headers: { content-type: application/x-www-form-urlencoded }, body: { v: '${ $context.v }', w: w } }",
        "call: http, with: { method: delete, endpoint: 'https://api.contoso.com/x/pre-${ $context.v | @uri }.txt' }",
        "call: sendMail, with: { to: adelev@contoso.com, subject: 'For ${ $context.v }', body: '${ $context.note } ${ $context.v }' }",
        "call: sendMail, with: { to: '${ $context.mail }', subject: S, body: B, attachments: [ { name: 'a ${ $context.v | tostring | .[:20] | gsub(\"[^a-z]\"; \"_\") }.txt', content: '${ $context.v | tostring }' } ] }",
        "call: upload, with: { path: 'in/${ $context.v | tostring | .[:40] | @base64 | gsub(\"[/+=]\"; \"-\") }.txt', content: '${ $context.v | tostring }' }",
        "call: createLink, with: { itemId: '${ $context.v | tostring | @base64 | gsub(\"[/+=]\"; \"-\") }' }",
        "run: { shell: { command: 'printf %s \"$1\" > out', arguments: [ '${ $context.v | tostring | .[:100] }' ] } }",
        "call: 'https://catalog.contoso.com/note.yaml', with: { v: '${ $context.v }' }",
    ]

    /// What the answer has, as texts of hostile kinds and as other data.
    static let values: [Value] = [
        "Ada", "é", "a b", "a/b", "a%2fb", "a#b", "a?b=c&d", "100 %", "%", "%zz", "\"quoted\" \\", "‹me.id›", "‹", "🙂",
        "ä\u{308}",
        "${ .x }", "x\", \"admin\": \"1", "1&admin=1", "+", "=", ";", "..", ".", "../x", "", "\u{7f}", "line\nbreak",
        "a@contoso.com,b@contoso.com", "日本語",
        "null", "1",
        .null, true, 17, 1.5, [], ["a", "b c"], ["k": "v"], .string(String(repeating: "xé/ ", count: 2_500)),
    ]

    let place: String
    let value: Value
    let other: Value
    let mode: Plan.Mode
    let change: Change
    /// The part of the run's events after which it is killed, from 0 to 1.
    let moment: Double
    let editIndex: Int

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func any<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: elements.indices, using: &generator)]
        }
        place = any(Self.places)
        value = any(Self.values)
        other = any(Self.values)
        mode = any([.dry, .dry, .read])
        change = any(Change.allCases + [.nothing, .nothing, .answer])
        moment = Double.random(in: 0..<1, using: &generator)
        editIndex = Int.random(in: 0..<100, using: &generator)
    }

    var text: String {
        """
        document: { dsl: 1.0.3, namespace: tests, name: draw, version: 1.0.0 }
        do:
          - note: { call: readFile, with: { file: note.txt }, export: { as: '${ { note: . } }' } }
          - ask:
              call: http
              with: { method: get, endpoint: 'https://api.contoso.com/read' }
              export: { as: '${ $context + . }' }
          - effect: { \(place) }
          - last: { set: { done: true } }

        """
    }

    /// Whether the plan is whole: a catalog on the network is in it only if it was read.
    var canBePlanned: Bool {
        // Of a path that is an expression as a whole, only a run knows what it does.
        !place.contains("$context.path") && !place.contains("catalog.contoso.com") || mode == .read
    }

    /// Whether a request of a run without a plan has more in it than the value in its place.
    func leavesItsPlace(_ write: String) -> Bool {
        let address = write.split(separator: " ")[1]
        let path = address.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        let dots: Set = [".", "..", "%2E", "%2E%2E"]
        if path.contains(where: { dots.contains(String($0)) }) { return true }
        if place.contains("com/raw'") {
            let body = write.drop { $0 != "{" }
            guard let value = try? Value(json: Data(body.utf8)) else { return true }
            return value.object?.count != 1 || value["v"]?.string == nil
        }
        if place.contains("com/e?v=") { return address.contains("&") }
        // The value is the last of two segments, as it is.
        return place.contains("/x/${ $context.v }'") && (path.count != 5 || address.contains("?"))
    }

    var isCatalog: Bool { place.contains("catalog.contoso.com") }

    /// A service that answers the reads with a value, and every write as Microsoft Graph would.
    func transport(_ value: Value, function: String = "1") -> DrawTransport {
        DrawTransport(value, function: function)
    }
}

/// Answers reads with a value and writes with the least that a client needs; records the requests that write.
final class DrawTransport: HTTPTransport {
    private let value: Value
    private let function: String
    private let written = Locked<[HTTPRequest]>([])
    /// Whether the process that asks has ended.
    let isDead = Locked(false)

    init(_ value: Value, function: String) {
        self.value = value
        self.function = function
    }

    /// What was written, as texts that are the same for the same requests.
    var writes: [String] {
        written.withLock { $0 }.map { request in
            let headers = request.headers.fields.filter { $0.name.lowercased().hasPrefix("x-") }.map(\.value)
            let body = String(decoding: request.body ?? Data(), as: UTF8.self)
            return ([request.method, request.url.absoluteString, body] + headers).joined(separator: " ")
        }
    }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        guard !isDead.withLock({ $0 }) else { return .never }
        let path = request.url.path(percentEncoded: false)
        func json(_ value: Value, _ status: Int = 200) -> Promise<HTTPResponse> {
            .value(HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: value.jsonData()))
        }
        if request.method == "GET" {
            if request.url.host() == "catalog.contoso.com" {
                return .value(
                    HTTPResponse(status: 200, headers: ["Content-Type": "application/yaml"], body: Data(note.utf8)))
            }
            guard path == "/read" else { return json(["value": [], "id": "me", "mail": "me@contoso.com"]) }
            let word = value.string ?? value.json()
            return json([
                "v": value, "mail": "meganb@contoso.com",
                "path": .string("/me/messages/\(word.percentEncoded())/move?x=\(word.percentEncoded())"),
                "base": .string("https://api.contoso.com/b/\(word.percentEncoded())"),
                "next": .string("https://api.contoso.com/n/\(word.percentEncoded())?p=\(word.percentEncoded())#part"),
            ])
        }
        written.withLock { $0.append(request) }
        if path.hasSuffix("/send") { return .value(HTTPResponse(status: 202)) }
        return json(
            [
                "id": "made", "internetMessageId": "<made@contoso.com>", "isDraft": true, "size": 1,
                "link": ["webUrl": "https://contoso.com/l"], "webUrl": "https://contoso.com/w",
            ], request.method == "POST" ? 201 : 200)
    }

    private var note: String {
        """
        do:
          - tell:
              call: http
              with: { method: post, endpoint: 'https://api.contoso.com/c\(function)', body: { v: '${ .v }' } }

        """
    }
}
