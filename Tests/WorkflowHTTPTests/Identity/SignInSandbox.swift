import Foundation
import Promises
import TestSupport

@testable import GraphSandbox
@testable import MicrosoftGraph
@testable import WorkflowHTTP

/// A sandbox with the test's own clock, and its transports.
struct SignInSandbox {
    let sandbox: Sandbox
    let clock: SkippingClock
    let platform: IdentityPlatform
    let base: URL
    let transport: any HTTPTransport

    /// Calls the body with a sandbox that accepts only tokens that it issued.
    /// - Parameter waits: The clock of the platform's waits; nil for the one that skips.
    static func run(
        _ way: SandboxWay, tenant: String = "common", clock waits: (any PromiseClock)? = nil,
        _ body: (SignInSandbox) async throws -> Void
    ) async throws {
        let clock = SkippingClock()
        let now: @Sendable () -> Date = {
            Date(timeIntervalSince1970: 1_790_000_000 + Double(clock.now.components.seconds))
        }
        let sandbox = Sandbox(now: now, random: CountingRandom())
        sandbox.signInRules.demandsIssuedTokens = true
        let server = SandboxServer(sandbox)
        var origin = "https://login.microsoftonline.com"
        var base = Sandbox.baseURL
        var transport: any HTTPTransport = sandbox.transport
        if way == .overSocket {
            origin = "http://127.0.0.1:\(try server.start())"
            base = URL(string: "\(origin)/v1.0") ?? base
            // Deadlines of real connections pass in real time.
            transport = NetworkTransport(clock: .patient)
        }
        defer { server.stop() }
        let platform = IdentityPlatform(
            authority: try Authority(host: origin, tenant: tenant), transport: transport, clock: waits ?? clock,
            now: now)
        try await body(
            SignInSandbox(sandbox: sandbox, clock: clock, platform: platform, base: base, transport: transport))
    }

    func graph(_ credential: any Credential) -> GraphClient {
        GraphClient(credential: credential, baseURL: base, transport: transport, clock: clock)
    }

    /// A credential whose browser signs in at the sandbox by itself.
    func browserCredential(
        cache: TokenCache = .inMemory(), prompt: @escaping @Sendable (SignInPrompt) -> Void
    ) -> BrowserCredential {
        // The browser's time limit is real time: this clock would end it at once.
        let platform = IdentityPlatform(
            authority: platform.authority, transport: transport, clock: ManualClock(), now: platform.now)
        return BrowserCredential(
            clientID: Sandbox.applicationID, cache: cache, on: platform, browser: browser, prompt: prompt)
    }

    /// A browser that signs in at the sandbox by itself.
    var browser: Browser {
        Browser { [transport] url in
            visit(url, over: transport)
            return true
        }
    }

    private func visit(_ url: URL, over transport: any HTTPTransport) {
        let operation = HTTPOperation(name: "browser", effect: .once, example: HTTPResponse(status: 200))
        transport.send(HTTPRequest("GET", url), for: operation).then(on: nil) { answer -> Promise<HTTPResponse> in
            guard let next = answer.headers["Location"].flatMap({ URL(string: $0) }) else { return .value(answer) }
            return NetworkTransport(clock: .patient).send(HTTPRequest("GET", next), for: operation)
        }.pipe { _ in }
    }

    /// The grants that the token endpoint accepted, in order.
    var grants: [String] {
        sandbox.signInRequests.filter { $0.path.contains("/token") && $0.status == 200 }.compactMap { exchange in
            Form.parse(String(decoding: exchange.body, as: UTF8.self))["grant_type"].map {
                $0.split(separator: ":").last.map(String.init) ?? $0
            }
        }
    }
}
