/// `graphflow login`: signs a user in; later runs get their tokens silently.
struct LoginCommand: Command {
    static let name = "login"
    static let summary = "Sign in to Microsoft 365."
    static let examples = [
        "login --tenant contoso.onmicrosoft.com --client-id 00000000-0000-0000-0000-000000000000",
        "login --for workflow.yaml",
    ]
    static let discussion = """
        Opens a browser if there is one; otherwise shows a code to enter in a browser on any device. Tokens are kept in
        GRAPHFLOW_HOME, where only you can read them, and later runs use them silently. You sign in to an application
        that you have registered with Microsoft Entra: a public client with the redirect URI http://localhost.
        """

    @Flag("device-code", "Show a code to enter in a browser on any device.") private var wantsCode
    @Flag("browser", "Sign in with this machine's browser.") private var wantsBrowser
    @Option(each: "scopes", "'SCOPE …'", "The permissions to ask for, such as 'User.Read Mail.Send'.")
    private var givenScopes: [String]
    @Option(
        each: "for", "FILE|COMMAND",
        "Ask for the permissions that a workflow needs, or a command: 'users',\n"
            + "'whoami', or a request such as 'get /me/messages'.")
    private var files: [String]
    @Flag("check", "Do not sign in, but say what a sign-in lacks; then the status is 3.") private var isCheck
    @Flag("sandbox", "Try a sign-in without an account; nothing is kept.") private var isSandbox
    @Option("port", "N", "The port that the browser returns to (default: a free one).", as: .port)
    private var port: UInt16?
    @Option(
        "claims-challenge", "BASE64", "The claims challenge from the service's error.",
        as: Conversion({ ClaimsChallenge($0) == nil ? nil : $0 }) { _, name in
            UsageError("the value of '\(name)' is not a JSON object in base64")
        })
    private var claims: String?
    private let arguments = SignInArguments()

    func validate() throws(UsageError) {
        try exclude($wantsBrowser, $wantsCode)
        for option in [$wantsBrowser, $wantsCode, $isSandbox] { try exclude($isCheck, option) }
        guard !scopes.contains(where: \.isDefaultScope) || scopes.count == 1 && files.isEmpty else {
            throw UsageError("'.default' asks for everything and cannot be combined with other permissions")
        }
        if port != nil, wantsCode {
            throw UsageError("'--port' is for the browser and cannot be used with '--device-code'")
        }
    }

    private var scopes: [String] {
        let given = givenScopes.flatMap { $0.split { $0 == " " || $0 == "," }.map(String.init) }
        return (given + (arguments.settings?.scopes ?? [])).filter { !Self.always.contains($0.lowercased()) }
    }

    /// Scopes that are always requested and are not permissions.
    private static let always: Set<String> = ["openid", "profile", "offline_access", "email"]

    func run(on console: Console) async throws -> ExitStatus {
        guard !isCheck else { return try await check(on: console) }
        let scopes = try wantedPermissions().delegated
        guard isSandbox else {
            let platform = try arguments.platform(console)
            let cache = SignInArguments.cache(console)
            let client = try clientID(console, cache, platform)
            return try await signIn(scopes, client: client, platform, cache, on: console)
        }
        let server = SandboxServer(Sandbox())
        let port = try server.start()
        defer { server.stop() }
        console.complain("This is the sandbox: sign in with any account there; nothing is kept.")
        let platform = IdentityPlatform(
            authority: try Authority(host: "http://127.0.0.1:\(port)"), transport: console.network)
        return try await signIn(
            scopes, client: arguments.clientID ?? Sandbox.applicationID, platform, .inMemory(), on: console)
    }

    private func check(on console: Console) async throws -> ExitStatus {
        func isSet(_ name: String) -> Bool { !(console.environment[name] ?? "").isEmpty }
        let cache = SignInArguments.cache(console)
        let platform = try arguments.platform(console)
        let variable = isSet("AZURE_CLIENT_ID") ? console.environment["AZURE_CLIENT_ID"] : nil
        let check = SignInCheck(
            platform: platform, client: arguments.clientID ?? variable ?? cache.lastClientID(of: platform.authority),
            wanted: try wantedPermissions(), access: { try arguments.access(console) },
            isUnattended: SignInArguments.isApplication(console.environment) || isSet("GRAPHFLOW_ACCESS_TOKEN")
                || isSet("IDENTITY_ENDPOINT"), files: files)
        let findings = await check.findings()
        for finding in findings { console.print(finding.line) }
        return findings.allSatisfy(\.isGood) ? .success : .signInRequired
    }

    private func wantedPermissions() throws -> Permissions {
        var wanted = Permissions(delegated: scopes)
        for file in files {
            if let permissions = try Self.permissions(ofCommand: file) {
                wanted.delegated += permissions.delegated
                wanted.application += permissions.application
                continue
            }
            let (workflow, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
            guard let workflow else { throw InvalidWorkflow(diagnostics: findings) }
            let needed = workflow.neededPermissions()
            wanted.delegated += needed.delegated
            wanted.application += needed.application
        }
        // The least permission that gives a name to show.
        if wanted.delegated.isEmpty { wanted.delegated = ["User.Read"] }
        var seen: Set<String> = []
        wanted.delegated = wanted.delegated.filter { seen.insert($0.lowercased()).inserted }
        return wanted
    }

    /// The permissions that another command needs; nil if the text names a workflow.
    private static func permissions(ofCommand text: String) throws(UsageError) -> Permissions? {
        let words = text.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("whoami", 1): return GraphClient.permissions(of: "GET", path: "me")
        case ("users", 1): return GraphClient.permissions(of: "GET", path: "users")
        case ("get", 2), ("post", 2), ("patch", 2), ("put", 2), ("delete", 2):
            guard let known = GraphClient.permissions(of: words[0].uppercased(), path: words[1]) else {
                throw UsageError(
                    "the permission that '\(text)' needs is not known",
                    hint: "Microsoft's reference for the request names it: give '--scopes'")
            }
            return known
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
        let promise = start.promise.then(on: nil) { [port, claims, arguments, wantsBrowser, wantsCode] in
            switch wantsBrowser || !wantsCode && browser.isAvailable {
            case true:
                BrowserCredential(
                    clientID: client, port: port ?? 0, cache: cache, on: platform, browser: browser, prompt: prompt
                ).signIn(for: scopes, claimsChallenge: claims, username: arguments.username)
            case false:
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
        let missing = wanted.filter { !$0.isDefaultScope && !granted.cover([$0]) }
        guard !missing.isEmpty else { return }
        console.complain("warning: requested but not granted: \(missing.joined(separator: ", "))")
    }
}

extension String {
    /// Whether the scope asks for all permissions of the application.
    fileprivate var isDefaultScope: Bool { lowercased().hasSuffix(".default") }
}
