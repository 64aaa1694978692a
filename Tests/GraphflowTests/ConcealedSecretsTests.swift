import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// What people and disks see of runs with secrets, and what the runs themselves see.
@Suite struct ConcealedSecretsTests {
    /// What a service answers, with the secret in every encoding.
    private static func answer(_ text: String) -> Value {
        ["raw": .string(text), "ways": .array(SecretTraces(of: text).ways.map { .string("<\($0)>") })]
    }

    private static let tasks = """
          - send:
              call: http
              with:
                method: post
                endpoint: ADDRESS/send
                headers: { Authorization: '${ "Basic " + ("me:" + $secrets.key | @base64) }' }
                query: { upper: '${ $secrets.key | ascii_upcase }' }
                body: { key: '${ $secrets.key }', part: '${ $secrets.key[0:3] }' }
          - look:
              set:
                isSame: '${ .raw == $secrets.key }'
                length: '${ $secrets.key | length }'
                starts: '${ .raw | startswith($secrets.key[0:1]) }'
                echo: '${ . }'
                derived: '${ [$secrets.key | @base64, @uri, tojson, ascii_upcase] }'
              export: { as: '${ { kept: $secrets.key, derived: ($secrets.key | @base64) } }' }
          - again:
              call: http
              with:
                method: post
                endpoint: ADDRESS/again
                body: '${ { kept: $context.kept, derived: $context.derived } }'
              output: { as: '${ $input }' }

        """

    private func place(at service: LoopbackService) throws -> WorkflowPlace {
        try WorkflowPlace(
            Self.tasks.replacing("ADDRESS", with: service.address), head: "use: { secrets: [key] }")
    }

    @Test(
        .timeLimit(.minutes(60)),
        arguments: [
            "s3cr3t-k3y", "staging", "admin", "true", "7~1!", "12345678", "4711-0815", "a b/c+d?e&f=g",
            "pa$$ \"word\" <'&>", "äöü€🙂",
            "‹secrets.key›", "x", "ab", "abc", String(repeating: "0123456789abcdef", count: 4),
        ])
    func `a run reads and sends a secret as it is, and nothing that it leaves behind has it`(secret: String)
        async throws
    {
        let service = try LoopbackService { _ in Self.answer(secret) }
        let place = try place(at: service)
        let console = place.console(["GRAPHFLOW_SECRET_KEY": secret])
        let events = place.folder.appendingPathComponent("events.jsonl").path
        #expect(await console.run("run", place.file, "--events", events) == 0, "\(console.standardError)")
        try #require(service.asked.count == 2)
        let bodies = try service.asked.map { try Value(json: try #require($0.body)) }
        let derived = Value.string(Data(secret.utf8).base64EncodedString())
        #expect(
            bodies == [
                ["key": .string(secret), "part": .string(String(secret.unicodeScalars.prefix(3).map(Character.init)))],
                ["kept": .string(secret), "derived": derived],
            ])
        #expect(
            service.asked[0].headers["Authorization"] == "Basic \(Data("me:\(secret)".utf8).base64EncodedString())")
        let output = try Value(json: console.standardOutput)
        #expect(output["isSame"] == true)
        #expect(output["starts"] == true)
        #expect(output["length"] == .integer(secret.unicodeScalars.count))
        let run = try #require(try place.runs.first)
        var told = try console.standardOutput + console.standardError + String(contentsOfFile: events, encoding: .utf8)
        for arguments in [
            ["show", run], ["show", run, "--json"], ["show", run, "--events"], ["runs"], ["resume", run],
        ] {
            let console = place.console(["GRAPHFLOW_SECRET_KEY": secret])
            #expect(await console.run(arguments) == 0)
            told += console.standardOutput + console.standardError
        }
        let plan = place.console(["GRAPHFLOW_SECRET_KEY": secret])
        #expect(await plan.run("run", place.file, "--dry-run") == 0)
        told += plan.standardOutput + plan.standardError
        // Shorter texts are everywhere.
        guard secret.utf8.count >= 4, secret != "true" else { return }
        for way in SecretTraces(of: secret).ways { #expect(!told.contains(way), "\(way)") }
        try place.expectNothing(of: SecretTraces(of: secret).ways)
    }

    @Test(
        .timeLimit(.minutes(60)),
        arguments: [
            "basic: { username: admin, password: admin }", "bearer: { token: staging }",
            "digest: { username: admin, password: staging }",
            "oauth2: { authority: ADDRESS, grant: client_credentials, client: { id: admin, secret: staging } }",
        ])
    func `a credential that the file spells out makes no ordinary data secret`(policy: String) async throws {
        let service = try LoopbackService { request in
            request.url.path == "/oauth2/token"
                ? ["access_token": "granted-token", "token_type": "Bearer"]
                : [
                    "user": "admin", "stage": "staging", "marks": "‹x›",
                    "echo": .string(request.headers["Authorization"] ?? ""),
                ]
        }
        let place = try WorkflowPlace(
            """
              - ask:
                  call: http
                  with:
                    method: get
                    endpoint: { uri: ADDRESS/me, authentication: { POLICY } }
              - decide: { switch: [{ admin: { when: '.user == "admin" and .stage == "staging"', then: admin } }, { other: { then: end } }] }
              - admin: { set: { found: '${ . | del(.echo) }' } }

            """.replacing("POLICY", with: policy).replacing("ADDRESS", with: service.address))
        let console = place.console()
        #expect(await console.run("run", place.file) == 0, "\(console.standardError)")
        #expect(
            try Value(json: console.standardOutput) == [
                "found": [
                    "user": "admin", "stage": "staging",
                    "marks": .string(policy.hasPrefix("oauth2") ? "‹‹›x‹››" : "‹x›"),
                ]
            ])
        let validate = place.console()
        #expect(await validate.run("validate", place.file) == 0)
        #expect((validate.standardOutput + validate.standardError).contains("can read this credential"))
        try place.expectNothing(of: ["granted-token"])
    }

    @Test(.timeLimit(.minutes(60)))
    func `a secret that is a common word changes no answer`() async throws {
        let service = try LoopbackService { _ in ["stage": "staging", "note": "no staging today", "staging": 1] }
        let place = try WorkflowPlace(
            """
              - ask: { call: http, with: { method: get, endpoint: ADDRESS } }
              - decide: { switch: [{ a: { when: '.stage == "staging" and .staging == 1', then: note } }, { b: { then: end } }] }
              - note: { set: { words: '${ .note | split(" ") | length }', all: '${ . }' } }

            """.replacing("ADDRESS", with: service.address), head: "use: { secrets: [key] }")
        let console = place.console(["GRAPHFLOW_SECRET_KEY": "staging"])
        #expect(await console.run("run", place.file) == 0, "\(console.standardError)")
        #expect(
            try Value(json: console.standardOutput) == [
                "words": 3,
                "all": ["stage": "‹secrets.key›", "note": "no ‹secrets.key› today", "‹secrets.key›": 1],
            ])
    }

    @Test(.timeLimit(.minutes(60)), arguments: 0..<12)
    func `texts with marks and whole drawings are text in a run, on resumption and in show`(seed: Int) async throws {
        var random = SeededNumbers(seed: UInt64(seed))
        let pieces = [
            "‹", "›", "‹secrets.key›", "‹secrets.key·00000000000000000000000000000000›", "‹upload.id›", "‹‹›", " a",
        ]
        let text = (0..<5).map { _ in pieces.randomElement(using: &random) ?? "‹" }.joined()
        let isOpen = Locked(false)
        let service = try LoopbackService { request in
            guard request.url.path != "/hold" || isOpen.withLock({ $0 }) else { return nil }
            return (try? Value(json: request.body ?? Data("{}".utf8))) ?? .null
        }
        let place = try WorkflowPlace(
            """
              - send: { call: http, with: { method: put, endpoint: ADDRESS/send, body: '${ { text: .text, key: $secrets.key } }' }, export: { as: . } }
              - hold: { call: http, with: { method: get, endpoint: ADDRESS/hold } }
              - again: { call: http, with: { method: put, endpoint: ADDRESS/again, body: '${ $context + { name: { ($context.text): 1 } } }' } }

            """.replacing("ADDRESS", with: service.address), head: "use: { secrets: [key] }")
        let environment = ["GRAPHFLOW_SECRET_KEY": "s3cr3t-k3y"]
        let process = try place.process(["run", place.file, "-p", "text=\(text)"], environment)
        try await process.waits(for: service.arrival(of: 2))
        process.send(SIGTERM)
        #expect(try await process.result().status == 143)
        isOpen.withLock { $0 = true }
        let run = try #require(try place.runs.first)
        let console = place.console(environment)
        #expect(await console.run("resume", run) == 0, "\(console.standardError)")
        let sent: Object = ["text": .string(text), "key": "s3cr3t-k3y"]
        #expect(try Value(json: try #require(service.asked.first?.body)) == .object(sent))
        var again = sent
        again["name"] = .object([text: 1])
        #expect(try Value(json: try #require(service.asked.last?.body)) == .object(again))
        let drawn = String(text.flatMap { $0 == "‹" || $0 == "›" ? "‹\($0)›" : "\($0)" })
        let expected: Value = ["text": .string(drawn), "key": "‹secrets.key›", "name": .object([drawn: 1])]
        #expect(try Value(json: console.standardOutput) == expected)
        let json = place.console()
        #expect(await json.run("show", run, "--json") == 0)
        #expect(try Value(json: json.standardOutput)["input"]?["text"] == .string(drawn))
        let show = place.console()
        #expect(await show.run("show", run, "--events") == 0)
        let last = try Value(json: String(try #require(show.standardOutput.split(separator: "\n").last)))
        #expect(last["data"]?["output"] == expected)
    }
}

/// A secret's text in the encodings that must not be seen.
struct SecretTraces {
    let ways: [String]

    init(of text: String) {
        let bytes = Array(text.utf8)
        let cores = (0..<3).map { shift -> String in
            let encoded = Data(repeatElement(0, count: shift) + bytes).base64EncodedString()
            return String(encoded.prefix((shift + bytes.count) * 8 / 6).dropFirst((shift * 8 + 5) / 6))
        }
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let percent = text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
        let lower = percent.replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() }
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let html = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
        let json = String(Value.string(text).json().dropFirst().dropLast())
        // The sealed journal is base64: five letters stand in it by chance, once in some hundred runs.
        var ways =
            [text, percent, lower, percent.replacing("%20", with: "+"), html, json, hex, hex.uppercased()]
            + cores.filter { $0.count > 5 }
        if text.contains("‹") { ways.removeAll { $0 == text || $0 == html || $0 == json } }
        self.ways = ways
    }
}

/// The same numbers for the same seed.
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}
