import Foundation
import Promises
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// The sign-in commands against a sandbox over its socket.
@Suite struct SignInCommandsTests {
    private let home: URL

    init() throws {
        home = FileManager.default.temporaryDirectory.appendingPathComponent("home-\(UUID().uuidString)")
    }

    /// A sandbox that approves every sign-in at once, and the environment for it.
    private func withSandbox(_ body: (Sandbox, [String: String]) async throws -> Void) async throws {
        let sandbox = Sandbox()
        sandbox.signInRules.person = .approving("megan@contoso.com")
        sandbox.signInRules.demandsIssuedTokens = true
        let server = SandboxServer(sandbox)
        let origin = "http://127.0.0.1:\(try server.start())"
        defer {
            server.stop()
            try? FileManager.default.removeItem(at: home)
        }
        try await body(
            sandbox,
            [
                "AZURE_AUTHORITY_HOST": origin, "GRAPHFLOW_GRAPH_URL": "\(origin)/v1.0", "GRAPHFLOW_HOME": home.path,
                "AZURE_CLIENT_ID": Sandbox.applicationID, "PATH": "/usr/local/bin:/usr/bin:/bin",
                "BROWSER": "curl -s -L -o /dev/null",
            ])
    }

    private func run(_ arguments: [String], _ environment: [String: String]) async -> (status: Int32, TestConsole) {
        let console = TestConsole(environment: environment)
        return (await console.run(arguments), console)
    }

    private var cacheText: String {
        (try? String(contentsOf: home.appendingPathComponent("identity/token-cache.json"), encoding: .utf8)) ?? ""
    }

    @Test func `a check says what a sign-in lacks, and what to do`() async throws {
        let sample = Repository.path("workflows/share-profile-photo.yaml")
        try await withSandbox { sandbox, environment async throws in
            let before = await run(["login", "--check"], environment)
            #expect(before.status == 3)
            #expect(before.1.standardOutput.contains("✓ the application \(Sandbox.applicationID) allows"))
            #expect(before.1.standardOutput.contains("✗ "), "\(before.1.standardOutput)")
            #expect(await run(["login", "--browser"], environment).status == 0)
            let bare = await run(["login", "--check"], environment)
            #expect(bare.status == 0, "\(bare.1.standardOutput)")
            #expect(bare.1.standardOutput.contains("✓ Microsoft Graph answers as Megan Bowen"))
            let lacking = await run(["login", "--check", "--for", sample], environment)
            #expect(lacking.status == 3)
            #expect(lacking.1.standardOutput.contains("it lacks the permissions"), "\(lacking.1.standardOutput)")
            #expect(lacking.1.standardOutput.contains("graphflow login --for \(sample)"))
            #expect(lacking.1.standardOutput.contains("/adminconsent?client_id=\(Sandbox.applicationID)"))
            sandbox.signInRules.redirectURIs = ["https://app.contoso.com/back"]
            let elsewhere = await run(["login", "--check"], environment)
            #expect(elsewhere.status == 3)
            #expect(elsewhere.1.standardOutput.contains("register 'http://localhost'"), "\(elsewhere.1.standardOutput)")
            let tenant = await run(["login", "--check", "--tenant", "nowhere.example.com"], environment)
            #expect(tenant.status == 3)
            #expect(tenant.1.standardOutput.hasPrefix("✗ the tenant nowhere.example.com: There is no such tenant."))
            let none = await run(
                ["login", "--check"], environment.merging(["AZURE_AUTHORITY_HOST": "http://127.0.0.1:1"]) { $1 })
            #expect(none.status == 3 && none.1.standardOutput.contains("cannot be reached"))
            let both = await run(["login", "--check", "--device-code"], environment)
            #expect(both.status == 64)
        }
    }

    @Test func `a check of an application compares its own permissions`() async throws {
        let sample = Repository.path("workflows/share-profile-photo.yaml")
        try await withSandbox { _, environment async throws in
            let application = environment.merging(
                ["AZURE_CLIENT_SECRET": "a secret of the sandbox", "AZURE_TENANT_ID": "contoso.onmicrosoft.com"]) { $1 }
            let check = await run(["login", "--check", "--for", sample], application)
            #expect(
                check.1.standardOutput.contains("✓ there is a token for an application"), "\(check.1.standardOutput)")
            #expect(!check.1.standardOutput.contains("redirect address"))
        }
    }

    @Test func `signs in, says who, finds people, gets, runs, and signs out`() async throws {
        try await withSandbox { sandbox, environment async throws in
            let sample = Repository.path("workflows/share-profile-photo.yaml")
            let before = await run(["run", sample], environment)
            #expect(before.status == 3)
            #expect(before.1.standardError.contains("graphflow login"), "\(before.1.standardError)")

            let login = await run(
                ["login", "--browser", "--for", sample, "--scopes", "User.ReadBasic.All"], environment)
            #expect(login.status == 0, "\(login.1.standardError)")
            #expect(login.1.standardOutput == "Signed in as megan@contoso.com.\n")
            let asked = sandbox.signInRequests.first?.path.removingPercentEncoding ?? ""
            for scope in ["User.ReadBasic.All", "User.Read", "Files.ReadWrite", "Mail.Send"] {
                #expect(asked.contains("https://graph.microsoft.com/\(scope) "), "\(asked)")
            }

            let who = await run(["whoami", "--json"], environment)
            #expect(who.status == 0, "\(who.1.standardError)")
            let value = try Value(json: who.1.standardOutput)
            #expect(value["displayName"] == "Megan Bowen")
            #expect(value["email"] == "megan@contoso.com")
            #expect(value["tenant"] == .string(Sandbox.tenantID))
            #expect(value["scopes"]?.array?.contains("Mail.Send") == true)
            #expect(value["expiresAt"]?.string?.hasSuffix("Z") == true)
            let text = await run(["whoami"], environment).1.standardOutput
            #expect(text.hasPrefix("Megan Bowen\nmegan@contoso.com\n"))

            let users = await run(["users", "ade", "--json"], environment)
            #expect(
                try Value(json: users.1.standardOutput)[0]?["userPrincipalName"]?.string?.hasPrefix("adele") == true)
            #expect(await run(["users", "O'Br"], environment).status == 0)

            let got = await run(["get", "/me?$select=mail"], environment)
            #expect(try Value(json: got.1.standardOutput)["mail"] == "megan@contoso.com")
            let one = try Value(json: await run(["get", "/users?$top=2"], environment).1.standardOutput)
            let all = try Value(json: await run(["get", "/users?$top=2", "--all"], environment).1.standardOutput)
            #expect(one["value"]?.array?.count == 2)
            #expect((all["value"]?.array?.count ?? 0) > 2)
            let elsewhere = await run(["get", "https://evil.example/v1.0/me"], environment)
            #expect(elsewhere.status == 2)

            let ran = await run(["run", sample], environment)
            #expect(ran.status == 0, "\(ran.1.standardError)")
            #expect(sandbox.outbox.count == 1)

            let secrets = try secretsOfTheCache()
            #expect(secrets.count >= 3)
            let out = await run(["logout"], environment)
            #expect(out.status == 0)
            #expect(out.1.standardError.contains("Signed out: megan@contoso.com"))
            for secret in secrets { #expect(!cacheText.contains(secret)) }
            #expect(await run(["whoami"], environment).status == 3)
            for console in [before.1, login.1, who.1, users.1, got.1, ran.1, out.1] {
                for secret in secrets {
                    #expect(!(console.standardOutput + console.standardError).contains(secret))
                }
            }
        }
    }

    private func secretsOfTheCache() throws -> [String] {
        let root = try Value(json: cacheText)
        return ["AccessToken", "RefreshToken", "IdToken"].flatMap { kind in
            (root[kind]?.object ?? [:]).compactMap { $0.value["secret"]?.string }
        }
    }

    @Test func `fifty processes that need a new token at once send one refresh`() async throws {
        try await withSandbox { sandbox, environment async throws in
            sandbox.signInRules.tokenLifetime = 200
            #expect(await run(["login", "--browser"], environment).status == 0)
            sandbox.signInRules.tokenLifetime = 3_600
            let processes = try (0..<50).map { _ in try GraphflowProcess(["get", "/me"], environment: environment) }
            for process in processes {
                let result = try await process.result()
                #expect(result.status == 0, "\(result.error)")
                #expect(result.output.contains("megan@contoso.com"))
            }
            let refreshes = sandbox.signInRequests.filter {
                String(decoding: $0.body, as: UTF8.self).contains("grant_type=refresh_token")
            }
            #expect(refreshes.count == 1)
        }
    }

    @Test func `a device code is shown by the program, and the sandbox of its own keeps nothing`() async throws {
        let process = try GraphflowProcess(
            ["login", "--sandbox", "--device-code"], environment: ["GRAPHFLOW_HOME": home.path])
        let shown = try await process.errorText { $0.contains("enter the code") && $0.contains("minutes") }
        let match = try #require(
            shown.firstMatch(of: #/open (http://127\.0\.0\.1:\d+)/\S* in a browser and enter the code (\S+)/#))
        let url = try #require(URL(string: "\(match.output.1)/sandbox/sign-in/devices/\(match.output.2)"))
        let request = HTTPRequest(
            "POST", url, headers: ["Content-Type": "application/json"], body: Data(#"{"decision":"approve"}"#.utf8))
        let answer = try await NetworkTransport(clock: .patient).send(
            request, for: HTTPOperation(name: "approve", effect: .once, example: HTTPResponse(status: 204))
        ).value
        #expect(answer.status == 204)
        let result = try await process.result()
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output == "Signed in as megan@contoso.com.\n")
        #expect(!FileManager.default.fileExists(atPath: home.path))
    }

    @Test func `a program with a secret needs nobody`() async throws {
        try await withSandbox { _, environment async throws in
            var environment = environment
            environment["AZURE_TENANT_ID"] = "contoso.com"
            environment["AZURE_CLIENT_SECRET"] = "secret-of-the-test"
            let who = await run(["whoami", "--json"], environment)
            #expect(who.status == 0, "\(who.1.standardError)")
            #expect(try Value(json: who.1.standardOutput)["application"] == true)
            #expect(await run(["get", "/users/megan@contoso.com"], environment).status == 0)
            environment["AZURE_CLIENT_SECRET"] = "invalid"
            let wrong = await run(["get", "/users"], environment)
            #expect(wrong.status == 3)
            #expect(wrong.1.standardError.contains("AADSTS7000215"))
        }
    }

    @Test func `several people are told apart, and all are forgotten at once`() async throws {
        try await withSandbox { sandbox, environment async throws in
            #expect(await run(["login", "--browser"], environment).status == 0)
            sandbox.signInRules.person = .approving("adelev@contoso.com")
            #expect(await run(["login", "--browser"], environment).status == 0)
            let named = await run(["whoami", "--account", "megan@contoso.com"], environment)
            #expect(named.1.standardOutput.contains("megan@contoso.com"))
            #expect(await run(["whoami", "--account", "nobody@contoso.com"], environment).status == 3)
            #expect(await run(["logout", "--account", "nobody@contoso.com"], environment).status == 64)
            let out = await run(["logout", "--all"], environment)
            #expect(out.1.standardError.contains("megan@contoso.com"))
            #expect(out.1.standardError.contains("adelev@contoso.com"))
            #expect(await run(["whoami"], environment).status == 3)
        }
    }

    @Test(arguments: [
        #"{"AppId":"7d1c0b52-3f5e-4a4b-9a39-6c2f0e8d5b11","GraphScopes":["https://graph.microsoft.com/Mail.Send","openid"]}"#,
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>AppId</key><string>7d1c0b52-3f5e-4a4b-9a39-6c2f0e8d5b11</string>
        <key>GraphScopes</key><array><string>https://graph.microsoft.com/Mail.Send</string></array></dict></plist>
        """,
    ])
    func `a settings file names the application and its scopes`(text: String) async throws {
        try await withSandbox { sandbox, environment async throws in
            var environment = environment
            environment["AZURE_CLIENT_ID"] = nil
            let name = text.hasPrefix("{") ? "AuthSettings.json" : "AuthSettings.plist"
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)-\(name)")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(text.utf8).write(to: file)
            let login = await run(["login", "--browser", "--settings", file.path], environment)
            #expect(login.status == 0, "\(login.1.standardError)")
            #expect(cacheText.contains("Mail.Send"))
            // The application is known from now on.
            #expect(await run(["login", "--browser"], environment).status == 0)
        }
    }

    @Test(arguments: [
        ["login", "--browser", "--device-code"], ["login", "x"], ["login", "--port", "99999"],
        ["login", "--cloud", "x"],
        ["login", "--claims-challenge", "%%"], ["login", "--scopes", ".default User.Read"], ["login"], ["users"],
        ["users", " "], ["get"], ["get", "a", "b"], ["whoami", "x"], ["logout", "x"],
        ["logout", "--all", "--account", "a"],
        ["login", "--tenant", ""],
    ])
    func `a command line that is wrong is refused before anything happens`(arguments: [String]) async {
        let console = TestConsole(environment: ["GRAPHFLOW_HOME": home.path])
        #expect(await console.run(arguments) == 64, "\(console.standardError)")
        #expect(console.standardOutput.isEmpty)
    }

    @Test func `whoever is not signed in is told of the sandbox`() async {
        let (status, console) = await run(["whoami"], ["GRAPHFLOW_HOME": home.path])
        #expect(status == 3)
        #expect(console.standardError.contains("'--sandbox'"), "\(console.standardError)")
    }

    @Test func `a token of this machine does not go to Microsoft`() async {
        let (status, console) = await run(
            ["get", "/me"], ["GRAPHFLOW_HOME": home.path, "AZURE_AUTHORITY_HOST": "http://127.0.0.1:1"])
        #expect(status == 3)
        #expect(console.standardError.contains("must not go to graph.microsoft.com"), "\(console.standardError)")
    }

    @Test(arguments: [
        ("users", "User.ReadBasic.All"), ("whoami", "User.Read"), ("get /me/messages?$top=5", "Mail.Read"),
        ("post /users/1/messages", "Mail.ReadWrite.Shared"),
    ])
    func `signs in with what a command needs`(command: String, permission: String) async throws {
        try await withSandbox { sandbox, environment async throws in
            let (status, console) = await run(["login", "--browser", "--for", command], environment)
            #expect(status == 0, "\(console.standardError)")
            let asked = sandbox.signInRequests.first?.path.removingPercentEncoding ?? ""
            #expect(asked.contains("https://graph.microsoft.com/\(permission) "), "\(asked)")
        }
    }

    @Test func `a request whose permission is not known is not guessed`() async {
        let (status, console) = await run(["login", "--for", "get /nowhere"], ["GRAPHFLOW_HOME": home.path])
        #expect(status == 64)
        #expect(console.standardError.contains("--scopes"), "\(console.standardError)")
    }

    @Test func `settings that are wrong are refused at their file`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        for text in ["{}", "[", #"{"AppId":1}"#, #"{"AppId":"a","GraphScopes":[1]}"#] {
            try Data(text.utf8).write(to: file)
            let console = TestConsole(environment: ["GRAPHFLOW_HOME": home.path])
            #expect(await console.run("login", "--settings", file.path) == 2)
            #expect(console.standardError.contains("\(file.path):1:"), "\(console.standardError)")
        }
        #expect(await TestConsole().run("login", "--settings", "/nowhere.json") == 2)
    }

    @Test func `a cache that is truncated is said, set aside by the next sign-in, and nothing is lost`() async throws {
        try await withSandbox { _, environment async throws in
            #expect(await run(["login", "--browser"], environment).status == 0)
            let file = home.appendingPathComponent("identity/token-cache.json")
            let cut = Data(cacheText.utf8.prefix(200))
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 200)
            try handle.close()
            let who = await run(["whoami"], environment)
            #expect(who.status == 3)
            #expect(who.1.standardError.contains("graphflow login"))
            let login = await run(["login", "--browser"], environment)
            #expect(login.status == 0)
            #expect(login.1.standardError.contains("It was kept as"))
            let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
            let kept = try #require(names.first { $0.contains("unusable") })
            #expect(try Data(contentsOf: file.deletingLastPathComponent().appendingPathComponent(kept)) == cut)
        }
    }
}
