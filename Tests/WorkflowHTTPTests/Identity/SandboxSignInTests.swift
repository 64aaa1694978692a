import Foundation
import Promises
import TestSupport
import Testing

@testable import GraphSandbox
@testable import MicrosoftGraph
@testable import WorkflowHTTP

/// Every sign-in flow against the sandbox's identity platform, in process and over its socket.
struct SandboxSignInTests {
    private let told = Told<SignInPrompt>()

    @Test(arguments: SandboxWay.allCases)
    func `a device code signs in, later runs are silent, and a revoked sign-in says what to do`(way: SandboxWay)
        async throws
    {
        try await SignInSandbox.run(way) { world async throws in
            let credential = DeviceCodeCredential(clientID: Sandbox.applicationID, on: world.platform) { prompt in
                told.tell(prompt)
                if case .enterCode(let code, _, _) = prompt { try? world.sandbox.approve(userCode: code) }
            }
            let graph = world.graph(credential)
            #expect(try await graph.me().value.email == "megan@contoso.com")
            world.clock.advance(by: .seconds(4_000))
            #expect(try await graph.me().value.email == "megan@contoso.com")
            #expect(world.grants == ["device_code", "refresh_token"])
            #expect(told.all.count == 1)
            try world.sandbox.revokeSignIns(of: "megan@contoso.com")
            world.sandbox.signInRules.person = .declining
            let error = await credentialError(of: credential.grant(for: TokenNeed(["Mail.Send"])))
            #expect(error?.code == .declined)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a code that nobody enters ends`(way: SandboxWay) async throws {
        try await SignInSandbox.run(way) { world async throws in
            let credential = DeviceCodeCredential(clientID: Sandbox.applicationID, on: world.platform) { _ in }
            #expect(await credentialError(of: credential.signIn(for: ["User.Read"]))?.code == .expired)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a browser signs in with a code for one use`(way: SandboxWay) async throws {
        try await SignInSandbox.run(way) { world async throws in
            world.sandbox.signInRules.person = .approving("adelev@contoso.com")
            let credential = world.browserCredential { told.tell($0) }
            #expect(try await world.graph(credential).me().value.email == "adelev@contoso.com")
            #expect(world.grants == ["authorization_code"])
            #expect(told.all.count == 1)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `whoever declines in the browser has no token`(way: SandboxWay) async throws {
        try await SignInSandbox.run(way) { world async throws in
            world.sandbox.signInRules.person = .declining
            let error = await credentialError(of: world.browserCredential { _ in }.signIn(for: ["User.Read"]))
            #expect(error?.code == .declined)
            #expect(error?.serviceMessage?.contains("AADSTS65004") == true)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a claims challenge is met silently, once`(way: SandboxWay) async throws {
        try await SignInSandbox.run(way) { world async throws in
            world.sandbox.signInRules.person = .approving("megan@contoso.com")
            let credential = world.browserCredential { told.tell($0) }
            let graph = world.graph(credential)
            _ = try await graph.me().value
            world.sandbox.claimsChallenge = ["access_token": ["nbf": ["essential": true, "value": "1790000000"]]]
            #expect(try await graph.me().value.email == "megan@contoso.com")
            #expect(world.grants == ["authorization_code", "refresh_token"])
            #expect(told.all.count == 1)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a program that a policy stops is told what the policy demands`(way: SandboxWay) async throws {
        try await SignInSandbox.run(way, tenant: "contoso.com") { world async throws in
            let secret = ClientSecretCredential(
                clientID: Sandbox.applicationID, secret: Secret("app-secret"), on: world.platform)
            // One that no token can meet, because each is issued with what was asked for.
            let fault = try Sandbox.Fault(parsing: "* /v1.0/users insufficient_claims x9")
            world.sandbox.withState { $0.faults.append(fault) }
            let error = await #expect(throws: GraphError.self) { _ = try await world.graph(secret).users().value }
            #expect(error?.code == .unauthorized)
            #expect(error?.hint?.contains("the authentication context c1. A program without a user") == true)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a client secret, a token file and a managed identity are taken`(way: SandboxWay) async throws {
        try await SignInSandbox.run(way, tenant: "contoso.com") { world async throws in
            let secret = ClientSecretCredential(
                clientID: Sandbox.applicationID, secret: Secret("app-secret"), on: world.platform)
            #expect(try await secret.grant(for: TokenNeed([])).value.isApplication)
            let wrong = ClientSecretCredential(
                clientID: Sandbox.applicationID, secret: Secret("invalid"), on: world.platform)
            let error = await credentialError(of: wrong.grant(for: TokenNeed([])))
            #expect(error?.serviceMessage?.contains("AADSTS7000215") == true)
            guard way == .overSocket else { return }
            let environment = [
                "IDENTITY_ENDPOINT": "\(world.platform.authority.host.absoluteString)/msi/token",
                "IDENTITY_HEADER": "sandbox",
            ]
            // Its requests to the machine's own service have deadlines in real time.
            let platform = IdentityPlatform(authority: world.platform.authority, now: world.platform.now)
            let identity = ManagedIdentityCredential(environment: environment, on: platform)
            #expect(try await identity.grant(for: TokenNeed([])).value.isApplication)
        }
    }

    @Test(
        .enabled(if: ExternalProgram.find("openssl", ProcessInfo.processInfo.environment) != nil, "there is no openssl")
    )
    func `a certificate is taken over the socket`() async throws {
        let folder = try SignInFolder()
        defer { folder.remove() }
        let file = folder.url.appendingPathComponent("both.pem")
        let openssl = try #require(ExternalProgram.find("openssl", ProcessInfo.processInfo.environment))
        let made = try await ExternalProgram(file: openssl, environment: ProcessInfo.processInfo.environment).run(
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", file.path, "-out", "/dev/stdout", "-days",
                "1",
                "-subj", "/CN=graphflow test",
            ], patience: .seconds(900), clock: .patient
        ).value
        let key = try String(contentsOf: file, encoding: .utf8)
        try Data((made.output.revealed + key).utf8).write(to: file)
        try await SignInSandbox.run(.overSocket, tenant: "contoso.com", clock: .patient) {
            world async throws in
            let credential = ClientCertificateCredential(
                clientID: Sandbox.applicationID, certificateFile: file, on: world.platform)
            #expect(try await credential.grant(for: TokenNeed([])).value.isApplication)
        }
    }

    @Test func `a network that goes away while a code waits does not end the sign-in`() async throws {
        try await SignInSandbox.run(.overSocket) { world async throws in
            let credential = DeviceCodeCredential(clientID: Sandbox.applicationID, on: world.platform) { prompt in
                guard case .enterCode(let code, _, _) = prompt else { return }
                try? world.sandbox.approve(userCode: code)
                for fault in ["POST /common/oauth2/v2.0/token drop", "POST /common/oauth2/v2.0/token 503"] {
                    if let fault = try? Sandbox.Fault(parsing: fault) { world.sandbox.play(fault) }
                }
            }
            #expect(try await credential.signIn(for: ["User.Read"]).value.username == "megan@contoso.com")
        }
    }
}
