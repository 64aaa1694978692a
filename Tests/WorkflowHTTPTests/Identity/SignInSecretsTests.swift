import Foundation
import Promises
import TestSupport
import Testing

@testable import GraphSandbox
@testable import MicrosoftGraph
@testable import WorkflowHTTP
@testable import Workflows

/// Searches everything that a run of each flow leaves for the secrets of that run.
struct SignInSecretsTests {
    private enum Flow: String, CaseIterable {
        case deviceCode, browser, clientSecret, certificate, tokenFile, managedIdentity, azureCLI, declined
        case refusedRefresh

        /// Whether it needs no person.
        var isOfProgram: Bool { [.clientSecret, .certificate, .tokenFile, .managedIdentity, .azureCLI].contains(self) }
    }

    private static let hasOpenSSL =
        ExternalProgram.find("openssl", ProcessInfo.processInfo.environment) != nil

    @Test(arguments: Flow.allCases)
    private func `secrets are in the token cache and nowhere else`(flow: Flow) async throws {
        let folder = try SignInFolder()
        defer { folder.remove() }
        // Files of the user or of other programs do not count.
        let given = try SignInFolder()
        defer { given.remove() }
        guard flow != .certificate || Self.hasOpenSSL else { return }
        let written = Told<String>()
        let spy = SecretSpy()
        try await SignInSandbox.run(.overSocket, tenant: flow.isOfProgram ? "contoso.com" : "common") {
            sandbox async throws in
            let world = spy.watching(sandbox)
            let cache = TokenCache.file(folder.cacheFile) { written.tell($0) }
            let say: @Sendable (SignInPrompt) -> Void = { prompt in
                written.tell(prompt.text)
                if case .enterCode(let code, _, _) = prompt {
                    if flow == .declined {
                        try? world.sandbox.decline(userCode: code)
                    } else {
                        try? world.sandbox.approve(userCode: code)
                    }
                }
            }
            let credential: any GrantingCredential
            switch flow {
            case .browser:
                world.sandbox.signInRules.person = .approving("megan@contoso.com")
                credential = world.browserCredential(cache: cache, prompt: say)
            case .clientSecret:
                credential = ClientSecretCredential(
                    clientID: Sandbox.applicationID, secret: Secret("client-secret-of-the-test"), on: world.platform)
            case .certificate:
                credential = ClientCertificateCredential(
                    clientID: Sandbox.applicationID, certificateFile: try await Self.certificate(in: given.url),
                    on: IdentityPlatform(
                        authority: world.platform.authority, transport: spy, now: world.platform.now))
            case .tokenFile:
                let file = given.url.appendingPathComponent("token")
                let statement = ["{}", "{\"sub\":\"workload\"}", "signature"]
                    .map { Data($0.utf8).base64EncodedString().replacing("=", with: "") }.joined(separator: ".")
                try Data(statement.utf8).write(to: file)
                credential = WorkloadIdentityCredential(
                    clientID: Sandbox.applicationID, tokenFile: file, on: world.platform)
            case .managedIdentity:
                credential = ManagedIdentityCredential(
                    clientID: nil,
                    environment: [
                        "IDENTITY_ENDPOINT": "\(world.platform.authority.host.absoluteString)/msi/token",
                        "IDENTITY_HEADER": "sandbox",
                    ], on: world.platform, transport: spy)
            case .azureCLI:
                let token = "a-token-of-the-azure-cli"
                spy.note([token])
                credential = AzureCLICredential(
                    environment: try Self.azureCLI(giving: token, in: given.url),
                    on: IdentityPlatform(authority: world.platform.authority, now: world.platform.now))
            case .deviceCode, .declined, .refusedRefresh:
                credential = DeviceCodeCredential(
                    clientID: Sandbox.applicationID, cache: cache, on: world.platform, prompt: say)
            }
            await record(credential.grant(for: TokenNeed(["User.Read"])), written)
            let graph = GraphClient(
                credential: credential, baseURL: world.base, transport: world.transport, clock: world.clock,
                onEvent: { written.tell(String(reflecting: $0)) })
            let log = EventLog()
            let runner = Runner(
                graph: graph, clock: world.clock,
                recorders: [log.recorder, .jsonLines { written.tell(String(decoding: $0, as: UTF8.self)) }])
            let workflow = try Workflow(tasks: "- who: { call: me }")
            await record(runner.run(workflow, input: [:]), written)
            for event in log.events { written.tell(String(reflecting: event)) }
            world.clock.advance(by: .seconds(4_000))
            if flow == .refusedRefresh {
                try world.sandbox.revokeSignIns(of: "megan@contoso.com")
                let silent = SignedInCredential(cache: cache, on: world.platform)
                await record(silent.grant(for: TokenNeed(["User.Read"])), written)
            }
            await record(runner.run(workflow, input: [:]), written)
            written.tell(String(reflecting: credential))
            written.tell(String(reflecting: cache))
            for exchange in world.sandbox.signInRequests { written.tell("\(exchange.value)") }
        }
        let secrets = spy.secrets
        #expect(secrets.count >= (flow == .declined || flow.isOfProgram ? 1 : 4))
        let text = written.all.joined(separator: "\n")
        for secret in secrets { #expect(!text.contains(secret), "a secret is in what was written") }
        let files = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.lastPathComponent != folder.cacheFile.lastPathComponent,
                let content = try? String(contentsOf: file, encoding: .utf8)
            else { continue }
            for secret in secrets { #expect(!content.contains(secret), "a secret is in \(file.path)") }
        }
        guard flow == .deviceCode || flow == .browser else { return }
        let kept = try String(contentsOf: folder.cacheFile, encoding: .utf8)
        #expect(spy.last.map { kept.contains($0) } == true)
    }

    private static func certificate(in folder: URL) async throws -> URL {
        let environment = ProcessInfo.processInfo.environment
        let openssl = try #require(ExternalProgram.find("openssl", environment))
        let (key, certificate) = (folder.appendingPathComponent("key"), folder.appendingPathComponent("certificate"))
        _ = try await ExternalProgram(file: openssl, environment: environment).run(
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key.path, "-out", certificate.path, "-days",
                "1", "-subj", "/CN=graphflow test",
            ], patience: .seconds(900), clock: .patient
        ).value
        let both = folder.appendingPathComponent("both.pem")
        try (try Data(contentsOf: certificate) + Data(contentsOf: key)).write(to: both)
        return both
    }

    /// A program that prints a token like the Azure CLI, and an environment in which it is found.
    private static func azureCLI(giving token: String, in folder: URL) throws -> [String: String] {
        let file = folder.appendingPathComponent("az")
        let answer = #"{"accessToken": "\#(token)", "expires_on": 1790003600, "tokenType": "Bearer"}"#
        try Data("#!/bin/sh\necho '\(answer)'\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        return ["PATH": "\(folder.path):/usr/bin:/bin"]
    }

    private func record<Value: Sendable>(_ promise: Promise<Value>, _ written: Told<String>) async {
        do {
            let value = try await promise.value
            written.tell(String(reflecting: value))
        } catch {
            written.tell(String(reflecting: error))
            written.tell("\(error)")
            written.tell(error.localizedDescription)
            if let error = GraphError(error) { written.tell("\(error.problem)") }
        }
    }
}

/// A transport to the sandbox that records every secret.
private final class SecretSpy: HTTPTransport {
    private static let names: Set<String> = [
        "access_token", "refresh_token", "id_token", "device_code", "client_secret", "client_assertion", "code",
        "code_verifier",
    ]

    private let state = Locked<(secrets: Set<String>, last: String?)>(([], nil))
    private let transport = NetworkTransport(clock: .patient)

    var secrets: Set<String> { state.withLock { $0.secrets } }
    /// The latest access token.
    var last: String? { state.withLock { $0.last } }

    func watching(_ world: SignInSandbox) -> SignInSandbox {
        SignInSandbox(
            sandbox: world.sandbox, clock: world.clock,
            platform: IdentityPlatform(
                authority: world.platform.authority, transport: self, clock: world.platform.clock,
                now: world.platform.now),
            base: world.base, transport: self)
    }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let form = Form.parse(String(decoding: request.body ?? Data(), as: UTF8.self))
        note(form.filter { Self.names.contains($0.key) }.map(\.value))
        return transport.send(request, for: operation).map(on: nil) { [self] response in
            let members = (try? Value(json: response.body))?.object ?? [:]
            note(members.filter { Self.names.contains($0.key) && $0.key != "code" }.compactMap(\.value.string))
            if let token = members["access_token"]?.string { state.withLock { $0.last = token } }
            return response
        }
    }

    func note(_ found: [String]) {
        state.withLock { $0.secrets.formUnion(found.filter { $0.count > 8 }) }
    }
}
