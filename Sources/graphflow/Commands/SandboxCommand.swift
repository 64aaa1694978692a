/// `graphflow sandbox`: serves an in-memory Microsoft Graph.
struct SandboxCommand: Command {
    static let name = "sandbox"
    static let summary = "Serve an in-memory Microsoft Graph and its sign-in, on this machine only."
    static let examples = ["sandbox", "sandbox --profile throttled --port 8080"]
    static let discussion = """
        Programs use it with GRAPHFLOW_GRAPH_URL=http://127.0.0.1:PORT/v1.0 and any GRAPHFLOW_ACCESS_TOKEN. The page at
        http://127.0.0.1:PORT/ shows the mails, files, people and requests, and adds faults by a click; scripts read
        /sandbox/outbox, /sandbox/drive, /sandbox/requests and /sandbox/throttling as JSON.

        With AZURE_AUTHORITY_HOST=http://127.0.0.1:PORT, programs sign in here, on a page that asks for no password. A
        script can act for the user: POST /sandbox/sign-in/devices/CODE with {"decision": "approve"} approves a sign-in,
        PATCH /sandbox/sign-in changes the settings, and GET shows them.
        """

    @Option("port", "N", "The port; 0, the default, takes a free port.", as: .port) private var port = 0
    @Option(
        "profile", "PROFILE",
        "How the sandbox behaves:\n"
            + Sandbox.Profile.allCases.map { "\($0.rawValue): \($0.summary)" }.joined(separator: "\n"),
        as: .sandboxProfile)
    private var profile = Sandbox.Profile.default
    @Option(
        each: "fault", "'METHOD PATH STATUS …'",
        "Answer the next matching requests with that status, or drop, truncate, malformed, reset, silence,\n"
            + "a defect of changes such as replay, or a sign-in error such as AADSTS50076:\n" + Sandbox.Fault.syntax,
        as: Conversion(fault))
    private var faults: [Sandbox.Fault]
    private let organisation = OrganisationOptions()
    @Option(
        "sign-in", "WHO",
        "Who decides about a sign-in: ask (the page, or a script; the default),\n"
            + "decline, or the account that approves everything, such as megan@contoso.com.", as: Conversion(person))
    private var person: Sandbox.SignInRules.Person?
    @Option(
        each: "app", "ID=REDIRECT",
        "Register a web application: its id, a GUID, and the address that receives its codes.\n"
            + "It can use any secret at the token address.", as: Conversion(application))
    private var applications: [(id: String, address: String)]
    @Flag(
        "tls",
        "Serve https, for clients that refuse http. The new certificate is written to a file,\n"
            + "and the clients must trust it.")
    private var speaksTLS
    @Flag("require-sign-in", "Accept only tokens that were issued here.") private var demandsIssuedTokens

    private func sandbox() throws(UsageError) -> Sandbox {
        var rules = Sandbox.SignInRules()
        rules.demandsIssuedTokens = demandsIssuedTokens
        if let person { rules.person = person }
        for application in applications {
            do throws(Sandbox.SignInError) { try rules.register(application.id, at: application.address) } catch {
                throw UsageError("\($applications.syntax.dashed): \(error)")
            }
        }
        return Sandbox(
            profile: profile, settings: organisation.settings, faults: faults, signIn: rules,
            notifier: LoopbackTransport())
    }

    func run(on console: Console) async throws -> ExitStatus {
        let identity: TLSIdentity?
        do throws(SystemError) { identity = speaksTLS ? try TLSIdentity() : nil } catch {
            console.complain("error: https cannot be served: \(error)")
            return .faulted
        }
        let sandbox = try sandbox()
        let server = SandboxServer(sandbox, identity: identity)
        let taken: Int
        do {
            taken = try server.start(port: Int(port))
        } catch {
            console.complain("error: port \(port) cannot be opened: \(error)")
            return .faulted
        }
        let address = "\(identity == nil ? "http" : "https")://127.0.0.1:\(taken)"
        let certificate = GraphflowHome.folder(console.environment).appendingPathComponent("sandbox-\(taken).pem")
        defer { if identity != nil { try? FileManager.default.removeItem(at: certificate) } }
        if let identity {
            do throws(SystemError) {
                try PrivateFolder(path: certificate.deletingLastPathComponent().path).makeWithParents()
                try PrivateFile(path: certificate.path).write(Data(identity.certificate.utf8))
            } catch {
                console.complain("error: the certificate cannot be written to '\(certificate.path)': \(error)")
                server.stop()
                return .faulted
            }
        }
        console.print("\(address)/v1.0")
        console.complain(
            """
            The sandbox is listening; stop it with Ctrl-C. In another terminal:
              export GRAPHFLOW_GRAPH_URL=\(address)/v1.0 GRAPHFLOW_ACCESS_TOKEN=sandbox
              graphflow run workflows/share-profile-photo.yaml
            Its contents are at \(address)/ in a browser, and at /sandbox/outbox and the like as JSON.
            Sign-in is at AZURE_AUTHORITY_HOST=\(address).
            """)
        if identity != nil {
            let path = certificate.path
            console.complain(
                """
                No client trusts its certificate yet. In the client's shell (it then trusts no other certificate):
                  export SSL_CERT_FILE=\(path) REQUESTS_CA_BUNDLE=\(path)
                For Node.js: NODE_EXTRA_CA_CERTS=\(path). The file is removed when the sandbox ends.
                """)
        }
        await Interruption.first(on: console)
        server.stop()
        return .success
    }

    private static func fault(_ text: String, _ name: String) throws -> Sandbox.Fault {
        do throws(Sandbox.Fault.SyntaxError) { return try Sandbox.Fault(parsing: text) } catch {
            throw UsageError("the fault '\(text)' is not understood: \(error)")
        }
    }

    private static func person(_ text: String, _ name: String) throws -> Sandbox.SignInRules.Person {
        do throws(Sandbox.SignInError) { return try .init(parsing: text) } catch {
            throw UsageError("\(name): \(error)", hint: "give 'ask', 'decline' or an account")
        }
    }

    private static func application(_ text: String, _ name: String) throws -> (id: String, address: String) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw UsageError("\(name): '\(text)' has no address", hint: "give ID=https://…, or ID=http://localhost/…")
        }
        return (parts[0], parts[1])
    }
}
