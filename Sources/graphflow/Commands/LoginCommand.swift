import Essentials
import Promises
import Workflows

/// `graphflow login`: signs a user in, so that later runs get their tokens silently.
struct LoginCommand: Command {
    static let name = "login"
    static let summary = "Sign in to Microsoft 365."
    static let operands = ""
    static let examples = [
        "login --tenant contoso.onmicrosoft.com --client-id 00000000-0000-0000-0000-000000000000",
        "login --for workflow.yaml",
    ]
    static let discussion = """
        Opens a browser if there is one; otherwise shows a code to enter in a browser on any device. Tokens are kept in
        GRAPHFLOW_HOME, readable by you only, and later runs use them silently. You sign in to an application that you
        have registered with Microsoft Entra: a public client with the redirect URI http://localhost.
        """
    static let options =
        [
            Option(name: "device-code", help: "Show a code to enter in a browser on any device."),
            Option(name: "browser", help: "Sign in with this machine's browser."),
            Option(
                name: "scopes", argument: .required("'SCOPE …'"), isRepeatable: true,
                help: "The permissions to ask for, such as 'User.Read Mail.Send'."),
            Option(
                name: "for", argument: .required("FILE|COMMAND"), isRepeatable: true,
                help: "Ask for the permissions that a workflow needs, or a command: 'users',\n"
                    + "'whoami', or a request such as 'get /me/messages'."),
            Option(name: "sandbox", help: "Show a sign-in without an account; nothing is kept."),
            Option(
                name: "port", argument: .required("N"),
                help: "The port that the browser returns to (default: a free one)."),
            Option(
                name: "claims-challenge", argument: .required("BASE64"),
                help: "The claims challenge from an error of the service."),
        ] + SignInArguments.options

    private enum Way { case browser, deviceCode }

    private let arguments: SignInArguments
    private let way: Way?
    private let scopes: [String]
    private let files: [String]
    private let isSandbox: Bool
    private let port: UInt16
    private let claims: String?

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        try arguments.demandNoOperands()
        self.arguments = try SignInArguments(arguments)
        switch (arguments.has("browser"), arguments.has("device-code")) {
        case (true, true): throw UsageError("'--browser' and '--device-code' cannot be used together")
        case (true, false): way = .browser
        case (false, true): way = .deviceCode
        case (false, false): way = nil
        }
        let given = arguments.all("scopes").flatMap { $0.split { $0 == " " || $0 == "," }.map(String.init) }
        scopes = (given + (self.arguments.settings?.scopes ?? [])).filter { !Self.always.contains($0.lowercased()) }
        let isDefault = scopes.contains { $0.lowercased().hasSuffix(".default") }
        guard !isDefault || scopes.count == 1 && !arguments.has("for") else {
            throw UsageError("'.default' asks for everything and cannot be combined with other permissions")
        }
        files = arguments.all("for")
        isSandbox = arguments.has("sandbox")
        let text = arguments.value("port") ?? "0"
        guard let port = UInt16(text) else {
            throw UsageError("'\(text)' is not a port", hint: "give a number from 0 to 65535")
        }
        if arguments.has("port"), way == .deviceCode {
            throw UsageError("'--port' is for the browser and cannot be used with '--device-code'")
        }
        self.port = port
        claims = arguments.value("claims-challenge")
        if let claims, ClaimsChallenge(claims) == nil {
            throw UsageError("the value of '--claims-challenge' is not a JSON object in base64")
        }
    }

    /// Scopes that are always requested, and that are not permissions.
    private static let always: Set<String> = ["openid", "profile", "offline_access", "email"]

    func run(on console: Console) async throws -> ExitStatus {
        let scopes = try wantedScopes()
        guard isSandbox else {
            let platform = try arguments.platform(console.environment)
            let cache = SignInArguments.cache(console)
            let client = try clientID(console, cache, platform)
            return try await signIn(scopes, client: client, platform, cache, on: console)
        }
        let server = SandboxServer(Sandbox())
        let port = try server.start()
        defer { server.stop() }
        console.complain("This is the sandbox: sign in with any account there; nothing is kept.")
        let platform = IdentityPlatform(authority: try Authority(host: "http://127.0.0.1:\(port)"))
        return try await signIn(
            scopes, client: arguments.clientID ?? Sandbox.applicationID, platform, .inMemory(), on: console)
    }

    private func wantedScopes() throws -> [String] {
        var wanted = scopes
        for file in files {
            if let permissions = try Self.permissions(ofCommand: file) {
                wanted += permissions
                continue
            }
            let (workflow, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
            guard let workflow else { throw InvalidWorkflow(diagnostics: findings) }
            wanted += workflow.neededScopes()
        }
        // The least permission, so that there is a name to show.
        guard !wanted.isEmpty else { return ["User.Read"] }
        var seen: Set<String> = []
        return wanted.filter { seen.insert($0.lowercased()).inserted }
    }

    /// The permissions that another command needs; nil for a workflow.
    private static func permissions(ofCommand text: String) throws(UsageError) -> [String]? {
        let words = text.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("whoami", 1): return Permissions.me.delegated
        case ("users", 1): return Permissions.users.delegated
        case ("get", 2), ("post", 2), ("patch", 2), ("put", 2), ("delete", 2):
            guard let known = GraphClient.permissions(of: words[0].uppercased(), path: words[1]) else {
                throw UsageError(
                    "which permission '\(text)' needs is not known",
                    hint: "Microsoft's reference of the request names it: give '--scopes'")
            }
            return known.delegated
        default: return nil
        }
    }

    private func clientID(_ console: Console, _ cache: TokenCache, _ platform: IdentityPlatform) throws -> String {
        let variable = console.environment["AZURE_CLIENT_ID"].flatMap { $0.isEmpty ? nil : $0 }
        if let known = arguments.clientID ?? variable ?? cache.lastClientID(of: platform.authority) { return known }
        throw UsageError(
            "there is no application to sign in to",
            hint:
                "give '--client-id ID', set AZURE_CLIENT_ID, or give '--settings FILE': the id of an application that "
                + "you register at https://entra.microsoft.com; 'graphflow login --sandbox' needs none")
    }

    private func signIn(
        _ scopes: [String], client: String, _ platform: IdentityPlatform, _ cache: TokenCache, on console: Console
    ) async throws -> ExitStatus {
        let browser = Browser.system(environment: console.environment)
        let prompt: @Sendable (SignInPrompt) -> Void = { console.complain($0.text) }
        let start = Promise<Void>.pending()
        let promise = start.promise.then(on: nil) { [way, port, claims, arguments] in
            switch way ?? (browser.isAvailable ? .browser : .deviceCode) {
            case .browser:
                BrowserCredential(
                    clientID: client, port: port, cache: cache, on: platform, browser: browser, prompt: prompt
                ).signIn(for: scopes, claimsChallenge: claims, username: arguments.username)
            case .deviceCode:
                DeviceCodeCredential(clientID: client, cache: cache, on: platform, prompt: prompt)
                    .signIn(for: scopes, claimsChallenge: claims)
            }
        }
        let interruption = Interruption(on: console) { promise.cancel() }
        defer { interruption.end() }
        start.resolver.fulfill(())
        do {
            let grant = try await promise.value
            console.secrets.add(grant.token)
            console.print("Signed in as \(PlainText.line(grant.username ?? "an unknown account", limit: 200)).")
            report(grant, scopes, on: console)
            return .success
        } catch  where error.isCancelled {
            guard let status = interruption.status else { throw error }
            console.complain("interrupted; no account was signed in")
            return status
        }
    }

    private func report(_ grant: TokenGrant, _ wanted: [String], on console: Console) {
        let granted = grant.scopes ?? []
        console.complain("Permissions: \(PlainText.line(granted.joined(separator: ", "), limit: 2_000))")
        let missing = wanted.filter { !$0.lowercased().hasSuffix(".default") && !granted.cover([$0]) }
        guard !missing.isEmpty else { return }
        console.complain("warning: requested but not granted: \(missing.joined(separator: ", "))")
    }
}
