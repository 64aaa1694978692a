import Foundation
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import GraphSandbox
@testable import WorkflowHTTP

struct ApplicationCredentialTests {
    private let folder: SignInFolder

    init() throws { folder = try SignInFolder() }

    private static let answer = ScriptedTransport.Reply.json(
        #"{"token_type":"Bearer","expires_in":"3599","access_token":"app-1"}"#)
    private static let again = ScriptedTransport.Reply.json(
        #"{"token_type":"Bearer","expires_in":3599,"access_token":"app-2"}"#)

    private func write(_ text: String, as name: String, mode: Int = 0o600) throws -> URL {
        let file = folder.url.appendingPathComponent(name)
        _ = FileManager.default.createFile(
            atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        return file
    }

    @Test func `a client secret asks for everything, once, and again before the token ends`() async throws {
        let fixture = IdentityFixture(Self.answer, Self.again)
        let credential = ClientSecretCredential(
            clientID: IdentityFixture.application, secret: Secret("s&c=r+t"),
            on: try fixture.platform(tenant: "contoso.com"))
        let grants = try await when(fulfilled: (0..<5).map { _ in credential.grant(for: TokenNeed(["Mail.Send"])) })
            .value
        for grant in grants { #expect(grant.token.secret.revealed == "app-1") }
        #expect(fixture.transport.requests.count == 1)
        let form = fixture.forms[0]
        #expect(form["scope"] == "https://graph.microsoft.com/.default")
        #expect(form["grant_type"] == "client_credentials")
        #expect(form["client_secret"] == "s&c=r+t")
        #expect(fixture.transport.requests[0].url.path() == "/contoso.com/oauth2/v2.0/token")
        fixture.clock.advance(by: .seconds(3_400))
        #expect(try await credential.grant(for: TokenNeed([])).value.token.secret.revealed == "app-2")
    }

    @Test func `a program needs one tenant`() async throws {
        let credential = ClientSecretCredential(
            clientID: IdentityFixture.application, secret: Secret("s"), on: try IdentityFixture().platform())
        #expect(
            await credentialError(of: credential.grant(for: TokenNeed([])))?.message.contains("AZURE_TENANT_ID") == true
        )
    }

    @Test func `a wrong secret is said without the secret`() async throws {
        let fixture = IdentityFixture(TokenAnswers.refusal("invalid_client", 7_000_215, "Invalid secret.", status: 401))
        let credential = ClientSecretCredential(
            clientID: IdentityFixture.application, secret: Secret("hunter2"), on: try fixture.platform(tenant: "t"))
        let error = await credentialError(of: credential.grant(for: TokenNeed([])))
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("secret is wrong") == true)
        #expect(error.map { "\($0)" }?.contains("hunter2") == false)
    }

    @Test(arguments: [
        (65001, "Consent is missing"), (700_082, "refresh token has expired"), (70043, "refresh token has expired"),
        (50034, "refused the application's request"), (50013, "refused the application's request"),
    ])
    func `a refused grant is no wrong secret`(number: Int, words: String) async throws {
        let fixture = IdentityFixture(TokenAnswers.refusal("invalid_grant", number))
        let credential = ClientSecretCredential(
            clientID: IdentityFixture.application, secret: Secret("hunter2"), on: try fixture.platform(tenant: "t"))
        let error = await credentialError(of: credential.grant(for: TokenNeed([])))
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("client secret") == false)
        #expect(error?.serviceMessage?.hasPrefix("AADSTS\(number)") == true)
    }

    @Test func `a token file is read again for each new token`() async throws {
        let file = try write("first-assertion\n", as: "token")
        let fixture = IdentityFixture(Self.answer, Self.again)
        let credential = WorkloadIdentityCredential(
            clientID: IdentityFixture.application, tokenFile: file, on: try fixture.platform(tenant: "t"))
        _ = try await credential.grant(for: TokenNeed([])).value
        _ = try write("second-assertion", as: "token")
        fixture.clock.advance(by: .seconds(3_599))
        _ = try await credential.grant(for: TokenNeed([])).value
        #expect(fixture.forms.map { $0["client_assertion"] } == ["first-assertion", "second-assertion"])
        #expect(fixture.forms[0]["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        #expect(fixture.forms[0]["client_secret"] == nil)
    }

    private static var environment: [String: String] {
        ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    }

    private func openssl(_ arguments: [String]) async throws -> ExternalProgram.Outcome {
        let file = try #require(ExternalProgram.find("openssl", Self.environment))
        return try await ExternalProgram(file: file, environment: Self.environment).run(
            arguments, patience: .seconds(900), clock: .patient
        ).value
    }

    @Test(
        .enabled(if: ExternalProgram.find("openssl", environment) != nil, "there is no openssl"),
        arguments: [false, true])
    func `a certificate signs a statement that openssl verifies`(isArchive: Bool) async throws {
        let (key, certificate) = (
            folder.url.appendingPathComponent("k").path, folder.url.appendingPathComponent("c").path
        )
        let made = try await openssl([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "1", "-subj",
            "/CN=graphflow test",
        ])
        #expect(made.status == 0, "\(made.error)")
        var file = folder.url.appendingPathComponent("both.pem")
        if isArchive {
            file = folder.url.appendingPathComponent("both.pfx")
            let packed = try await openssl([
                "pkcs12", "-export", "-inkey", key, "-in", certificate, "-out", file.path, "-passout", "pass:word",
            ])
            #expect(packed.status == 0, "\(packed.error)")
        } else {
            let both =
                try String(contentsOfFile: certificate, encoding: .utf8) + String(contentsOfFile: key, encoding: .utf8)
            _ = try write(both, as: "both.pem")
        }
        let fixture = IdentityFixture(Self.answer)
        let credential = ClientCertificateCredential(
            clientID: IdentityFixture.application, certificateFile: file, password: isArchive ? Secret("word") : nil,
            on: IdentityPlatform(
                authority: try Authority.common.with(tenant: "contoso.com"), transport: fixture.transport,
                now: { IdentityFixture.start }))
        _ = try await credential.grant(for: TokenNeed([])).value

        let assertion = try #require(fixture.forms[0]["client_assertion"])
        let parts = assertion.split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        let head = try Value(json: try #require(Base64URL.decode(parts[0])))
        let pem = try String(contentsOfFile: certificate, encoding: .utf8).split(separator: "\n")
        let der = try #require(Data(base64Encoded: pem.dropFirst().dropLast().joined()))
        #expect(head["alg"] == "PS256")
        #expect(head["x5t#S256"] == .string(Base64URL.encode(SHA256.hash(of: der))))
        let claims = try Value(json: try #require(Base64URL.decode(parts[1])))
        #expect(claims["aud"] == "https://login.microsoftonline.com/contoso.com/oauth2/v2.0/token")
        #expect(claims["iss"] == .string(IdentityFixture.application))
        #expect(claims["sub"] == claims["iss"])
        #expect(claims["nbf"] == 1_790_000_000)
        #expect(claims["exp"] == 1_790_000_600)
        let signature = folder.url.appendingPathComponent("signature").path
        try (try #require(Base64URL.decode(parts[2]))).write(to: URL(fileURLWithPath: signature))
        let signed = try write("\(parts[0]).\(parts[1])", as: "signed").path
        let publicKey = folder.url.appendingPathComponent("public").path
        _ = try await openssl(["x509", "-in", certificate, "-pubkey", "-noout", "-out", publicKey])
        let verified = try await openssl([
            "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32", "-verify", publicKey,
            "-signature", signature, signed,
        ])
        #expect(verified.output.revealed.contains("Verified OK"), "\(verified.error)")
    }

    @Test func `an assertion that a wrong clock dated is dated by the service's clock`() async throws {
        let date = SandboxClock.httpDate(IdentityFixture.start.addingTimeInterval(3_600))
        let fixture = IdentityFixture(
            TokenAnswers.refusal("invalid_client", 700_024, "Not within its time range.", headers: ["Date": date]),
            Self.answer)
        let times = Told<Date>()
        let tokens = ApplicationTokens(
            try fixture.platform(tenant: "t"), clientID: "c", source: "the test"
        ) { _, now in
            times.tell(now)
            return .value(.assertion(Secret("a")))
        }
        #expect(try await tokens.grant(for: TokenNeed([])).value.token.secret.revealed == "app-1")
        #expect(times.all == [IdentityFixture.start, IdentityFixture.start.addingTimeInterval(3_600)])
    }

    @Test(arguments: [true, false])
    func `a managed identity asks the machine itself`(isAppService: Bool) async throws {
        let transport = ScriptedTransport(
            .json(#"{"access_token":"msi","expires_on":"1790086400","token_type":"Bearer"}"#))
        let environment =
            isAppService
            ? ["IDENTITY_ENDPOINT": "http://127.0.0.1:41000/msi/token", "IDENTITY_HEADER": "header-secret"] : [:]
        let credential = ManagedIdentityCredential(
            clientID: "identity", environment: environment, on: try IdentityFixture().platform(), transport: transport)
        let grant = try await credential.grant(for: TokenNeed([])).value
        #expect(grant.expiresAt == Date(timeIntervalSince1970: 1_790_086_400))
        let request = try #require(transport.requests.first)
        let query = Form.parse(request.url.query(percentEncoded: true) ?? "")
        #expect(query["resource"] == "https://graph.microsoft.com")
        #expect(query["client_id"] == "identity")
        if isAppService {
            #expect(request.url.absoluteString.hasPrefix("http://127.0.0.1:41000/msi/token?api-version=2019-08-01"))
            #expect(request.headers["X-IDENTITY-HEADER"] == "header-secret")
        } else {
            #expect(
                request.url.absoluteString.hasPrefix(
                    "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01"))
            #expect(request.headers["Metadata"] == "true")
        }
    }

    @Test(arguments: ["http://graph.example/token", "https://127.0.0.1/token", "http://169.255.0.1/token", "x"])
    func `the identity's header goes to the machine itself only`(address: String) async throws {
        let transport = ScriptedTransport()
        let credential = ManagedIdentityCredential(
            clientID: nil, environment: ["IDENTITY_ENDPOINT": address, "IDENTITY_HEADER": "h"],
            on: try IdentityFixture().platform(), transport: transport)
        #expect(await credentialError(of: credential.grant(for: TokenNeed([])))?.code == .misconfigured)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [(404, 2), (408, 2), (410, 2), (429, 2), (500, 2), (503, 2), (400, 1), (403, 1)])
    func `a metadata service that is being updated is asked again, and one that refuses is not`(
        status: Int, requests: Int
    ) async throws {
        let transport = ScriptedTransport(.status(status), .json(#"{"access_token":"msi","expires_in":3600}"#))
        let credential = ManagedIdentityCredential(
            clientID: nil, environment: [:], on: try IdentityFixture().platform(), transport: transport)
        let grant = try? await credential.grant(for: TokenNeed([])).value
        #expect(grant?.token.secret.revealed == (requests == 2 ? "msi" : nil))
        #expect(transport.requests.count == requests)
    }

    @Test func `where no metadata service is, that is said at once`() async throws {
        let transport = ScriptedTransport(
            .failure(HTTPFailure(phase: .notSent, reason: .cannotConnect, detail: "no route")))
        let credential = ManagedIdentityCredential(
            clientID: nil, environment: [:], on: try IdentityFixture().platform(), transport: transport)
        #expect(await credentialError(of: credential.grant(for: TokenNeed([])))?.code == .notConfigured)
        #expect(transport.requests.count == 1)
    }

    @Test func `the Azure CLI is asked for a token of Graph`() async throws {
        _ = try write(
            """
            #!/bin/sh
            echo "$@" > "$OUT"
            echo '{"accessToken":"from-az","expires_on":1790003600,"tenant":"t-1","tokenType":"Bearer"}'
            """, as: "az", mode: 0o700)
        let out = folder.url.appendingPathComponent("arguments")
        let environment = ["PATH": "\(folder.url.path):/usr/bin:/bin", "OUT": out.path]
        let credential = AzureCLICredential(environment: environment, on: try azurePlatform())
        let grant = try await credential.grant(for: TokenNeed([])).value
        #expect(grant.token.secret.revealed == "from-az")
        #expect(grant.tenant == "t-1")
        let arguments = try String(contentsOf: out, encoding: .utf8)
        #expect(arguments == "account get-access-token --resource-type ms-graph --output json\n")
    }

    @Test func `an Azure CLI that nobody signed in to, or that is not there, is said`() async throws {
        let platform = try azurePlatform()
        let none = AzureCLICredential(environment: ["PATH": folder.url.path], on: platform)
        #expect(await credentialError(of: none.grant(for: TokenNeed([])))?.code == .notConfigured)
        _ = try write("#!/bin/sh\necho \"ERROR: Please run 'az login'\" >&2\nexit 1\n", as: "az", mode: 0o700)
        let signedOut = AzureCLICredential(environment: ["PATH": "\(folder.url.path):/bin"], on: platform)
        let error = await credentialError(of: signedOut.grant(for: TokenNeed([])))
        #expect(error?.code == .notConfigured)
        #expect(error?.message.contains("az login") == true)
    }

    /// The program takes real time, which a clock that skips would cut off.
    private func azurePlatform() throws -> IdentityPlatform { IdentityPlatform(now: { IdentityFixture.start }) }
}
