import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// `graphflow resume` of runs with secrets or with signed requests.
@Suite struct ResumedSecretsTests {
    private static let secret = "hunter2+Passw0rd/äö"

    /// Runs a workflow until it requests '/hold', and interrupts it there.
    private func interrupted(
        _ place: WorkflowPlace, at service: LoopbackService, after count: Int, _ environment: [String: String]
    ) async throws -> String {
        let process = try place.process(["run", place.file], environment)
        try await process.waits(for: service.arrival(of: count))
        #expect(service.paths.last == "/hold")
        process.send(SIGTERM)
        let result = try await process.result()
        #expect(result.status == 143, "\(result.error)")
        let run = try #require(try place.runs.first)
        #expect(result.error.contains("graphflow resume \(run)"))
        #expect(!(result.output + result.error).contains(environment.values.first ?? ""))
        return run
    }

    /// A service that returns what it was sent, and does not answer '/hold' until it is open.
    private func echo(_ isOpen: Locked<Bool>) throws -> LoopbackService {
        try LoopbackService { request in
            guard request.url.path != "/hold" || isOpen.withLock({ $0 }) else { return nil }
            return (try? Value(json: request.body ?? Data("{}".utf8))) ?? .null
        }
    }

    private func place(at service: LoopbackService) throws -> WorkflowPlace {
        try WorkflowPlace(
            """
              - send:
                  call: http
                  with:
                    method: put
                    endpoint: \(service.address)/send
                    headers: { X-Key: '${ $secrets.key }' }
                    body: { key: '${ $secrets.key }', text: 'Key ${ $secrets.key }' }
                  export: { as: '${ { key: .key } }' }
              - hold: { call: http, with: { method: get, endpoint: '\(service.address)/hold' } }
              - again:
                  call: http
                  with:
                    method: put
                    endpoint: \(service.address)/again
                    headers: { X-Key: '${ $context.key }' }
                    body: { key: '${ $secrets.key }', kept: '${ $context.key }' }

            """, head: "use: { secrets: [key] }")
    }

    @Test(.timeLimit(.minutes(60)), arguments: [true, false])
    func `a secret is nowhere on disk, and a resumed run gets it anew`(isInFile: Bool) async throws {
        let isOpen = Locked(false)
        let service = try echo(isOpen)
        let place = try place(at: service)
        let run = try await interrupted(place, at: service, after: 2, ["GRAPHFLOW_SECRET_KEY": Self.secret])
        let sent: Value = ["key": .string(Self.secret), "text": .string("Key \(Self.secret)")]
        #expect(try Value(json: try #require(service.asked.first?.body)) == sent)
        try place.expectNothing(of: [Self.secret, "hunter2"])
        isOpen.withLock { $0 = true }
        let (console, options) =
            isInFile
            ? (place.console(), ["--secrets", try place.secrets("key: \(Self.secret)")])
            : (place.console(["GRAPHFLOW_SECRET_KEY": Self.secret]), [])
        #expect(await console.run(["resume", run] + options) == 0, "\(console.standardError)")
        #expect(service.paths == ["/send", "/hold", "/hold", "/again"])
        let again: Value = ["key": .string(Self.secret), "kept": .string(Self.secret)]
        #expect(try Value(json: try #require(service.asked.last?.body)) == again)
        #expect(console.standardOutput.contains("‹secrets.key›"))
        #expect(!(console.standardOutput + console.standardError).contains("hunter2"))
        try place.expectNothing(of: [Self.secret, "hunter2"])
    }

    @Test(.timeLimit(.minutes(60)))
    func `a run is not resumed with a secret that was changed meanwhile, which is named`() async throws {
        let isOpen = Locked(false)
        let service = try echo(isOpen)
        let place = try place(at: service)
        let run = try await interrupted(place, at: service, after: 2, ["GRAPHFLOW_SECRET_KEY": Self.secret])
        isOpen.withLock { $0 = true }
        let journal = try place.journal(run)
        let console = place.console(["GRAPHFLOW_SECRET_KEY": "rotated-meanwhile"])
        #expect(await console.run("resume", run) == 3)
        #expect(console.standardError.contains("the secret 'key' is not the one with which the run began"))
        #expect(service.paths == ["/send", "/hold"])
        #expect(try place.journal(run) == journal)
    }

    @Test(.timeLimit(.minutes(60)))
    func `a run is not resumed without its secrets, and what to do is said`() async throws {
        let isOpen = Locked(false)
        let service = try echo(isOpen)
        let place = try place(at: service)
        let run = try await interrupted(place, at: service, after: 2, ["GRAPHFLOW_SECRET_KEY": Self.secret])
        isOpen.withLock { $0 = true }
        let journal = try place.journal(run)
        let console = place.console()
        #expect(await console.run("resume", run) == 3)
        #expect(console.standardOutput.isEmpty)
        #expect(console.standardError.contains("needs the secret 'key'"))
        #expect(console.standardError.contains("set GRAPHFLOW_SECRET_KEY in the environment"))
        #expect(console.standardError.contains("graphflow resume \(run) --secrets FILE"))
        #expect(service.paths == ["/send", "/hold"])
        #expect(try place.journal(run) == journal)
    }

    @Test(.timeLimit(.minutes(60)))
    func `secrets of an inner run and credentials of the file are the same after a resumption`() async throws {
        let isOpen = Locked(false)
        let service = try echo(isOpen)
        let policy = "authentication: { basic: { username: admin, password: admin } }"
        let place = try WorkflowPlace(
            """
              - ask:
                  call: http
                  with: { method: get, endpoint: { uri: ADDRESS/ask, \(policy) } }
                  output: { as: '$authorization.parameter' }
                  export: { as: '{ credential: . }' }
              - inner: { run: { workflow: { namespace: tests, name: inner, version: 1.0.0, input: { given: '${ . }' } } } }
              - again: { call: http, with: { method: put, endpoint: ADDRESS/again, body: '${ { inner: ., own: $context } }' } }

            """.replacing("ADDRESS", with: service.address))
        try Data(
            """
            document: { dsl: 1.0.3, namespace: tests, name: inner, version: 1.0.0 }
            use: { secrets: [key] }
            do:
              - make: { set: { made: '${ $secrets.key | @base64 }', given: '${ .given }' } }
              - hold: { call: http, with: { method: get, endpoint: ADDRESS/hold }, output: { as: '${ $input }' } }
            """.replacing("ADDRESS", with: service.address).utf8
        ).write(to: place.folder.appendingPathComponent("inner.yaml"))
        let environment = ["GRAPHFLOW_SECRET_KEY": Self.secret]
        let run = try await interrupted(place, at: service, after: 2, environment)
        #expect(service.asked.first?.headers["Authorization"] == "Basic YWRtaW46YWRtaW4=")
        let lines = try place.journal(run).joined()
        for text in ["YWRtaW46YWRtaW4", Data(Self.secret.utf8).base64EncodedString()] { #expect(!lines.contains(text)) }
        isOpen.withLock { $0 = true }
        let missing = place.console()
        #expect(await missing.run("resume", run) == 3)
        #expect(missing.standardError.contains("needs the secret 'key'"))
        let console = place.console(environment)
        #expect(await console.run("resume", run) == 0, "\(console.standardError)")
        let made = Value.string(Data(Self.secret.utf8).base64EncodedString())
        #expect(
            try Value(json: try #require(service.asked.last?.body)) == [
                "inner": ["made": made, "given": "YWRtaW46YWRtaW4="], "own": ["credential": "YWRtaW46YWRtaW4="],
            ])
        try place.expectNothing(of: [Self.secret])
    }

    @Test(.timeLimit(.minutes(60)))
    func `a resumed run asks for a token of its own, and none is on disk`() async throws {
        let isOpen = Locked(false)
        let tokens = Locked(0)
        let service = try LoopbackService { request in
            switch request.url.path {
            case "/tenant/oauth2/token":
                let number = tokens.withLock { count in
                    count += 1
                    return count
                }
                return [
                    "access_token": .string("granted-token-\(number)"), "token_type": "Bearer", "expires_in": 3600,
                ]
            case "/hold" where !isOpen.withLock { $0 }: return nil
            // Like a service for tests, it returns what it was sent.
            default: return ["sent": .string(request.headers["Authorization"] ?? "nothing")]
            }
        }
        let signed = ["first", "hold", "last"].map { name in
            "  - \(name): { call: http, with: { method: get, endpoint: "
                + "{ uri: '\(service.address)/\(name)', authentication: { use: api } } }, "
                + "export: { as: '${ { sent: (($context.sent // []) + [.sent]) } }' } }\n"
        }
        let place = try WorkflowPlace(
            signed.joined(),
            head: """
                use:
                  secrets: [client]
                  authentications:
                    api:
                      oauth2:
                        authority: \(service.address)/tenant
                        grant: client_credentials
                        client: { id: reports, secret: '${ $secrets.client }' }
                """)
        let environment = ["GRAPHFLOW_SECRET_CLIENT": Self.secret]
        let run = try await interrupted(place, at: service, after: 3, environment)
        #expect(service.paths == ["/tenant/oauth2/token", "/first", "/hold"])
        #expect(
            service.asked.dropFirst().map { $0.headers["Authorization"] }
                == Array(repeating: "Bearer granted-token-1", count: 2))
        try place.expectNothing(of: ["granted-token-1", Self.secret])
        isOpen.withLock { $0 = true }
        let console = place.console(environment)
        #expect(await console.run("resume", run) == 0, "\(console.standardError)")
        #expect(service.paths.dropFirst(3) == ["/tenant/oauth2/token", "/hold", "/last"])
        #expect(
            service.asked.suffix(2).map { $0.headers["Authorization"] }
                == Array(repeating: "Bearer granted-token-2", count: 2))
        #expect(!(console.standardOutput + console.standardError).contains("granted-token"))
        try place.expectNothing(of: ["granted-token-1", "granted-token-2", Self.secret])
    }

    @Test(.timeLimit(.minutes(60)))
    func `an output that is written from the journal again has no secrets`() async throws {
        let service = try echo(Locked(true))
        let place = try WorkflowPlace(
            """
              - a:
                  call: http
                  with: { method: put, endpoint: '\(service.address)/a', body: { echo: '${ $secrets.key }' } }
                  output: { as: '${ .secret = $secrets.key | .encoded = ($secrets.key | @base64) | .[.echo] = 1 }' }

            """, head: "use: { secrets: [key] }")
        #expect(await place.console(["GRAPHFLOW_SECRET_KEY": Self.secret]).run("run", place.file) == 0)
        let run = try #require(try place.runs.first)
        let file = URL(fileURLWithPath: "\(place.home)/runs/\(run)/output.json")
        let written = try Data(contentsOf: file)
        #expect(try Value(json: written)["echo"] == "‹secrets.key›")
        try FileManager.default.removeItem(at: file)
        // Also where somebody gives the secret, who only reads.
        let console = place.console(["GRAPHFLOW_SECRET_KEY": Self.secret])
        #expect(await console.run("runs") == 0)
        #expect(try Data(contentsOf: file) == written)
        try place.expectNothing(of: [Self.secret, "hunter2"])
    }
}
