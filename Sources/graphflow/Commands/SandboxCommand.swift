import Essentials
import Promises
import Workflows

/// `graphflow sandbox`: serves an in-memory Microsoft Graph, for trials and tests.
struct SandboxCommand: Command {
    static let name = "sandbox"
    static let summary = "Serve an in-memory Microsoft Graph and its sign-in, on this machine only."
    static let operands = ""
    static let examples = ["sandbox", "sandbox --profile throttled --port 8080"]
    static let discussion = """
        Programs use it with GRAPHFLOW_GRAPH_URL=http://127.0.0.1:PORT/v1.0 and any GRAPHFLOW_ACCESS_TOKEN. The page at
        http://127.0.0.1:PORT/ shows the mails, files, people and requests, and adds faults by a click; scripts read
        /sandbox/outbox, /sandbox/drive, /sandbox/requests and /sandbox/throttling as JSON.

        With AZURE_AUTHORITY_HOST=http://127.0.0.1:PORT they sign in here, on a page that asks for no password. A script
        can act for the user: POST /sandbox/sign-in/devices/CODE with {"decision": "approve"} approves a sign-in, PATCH
        /sandbox/sign-in changes the settings, and GET shows them.
        """
    static let options = [
        Option(name: "port", argument: .required("N"), help: "The port; 0, the default, takes a free one."),
        Option(
            name: "profile", argument: .required("PROFILE"),
            help: "How it behaves:\n"
                + Sandbox.Profile.allCases.map { "\($0.rawValue): \($0.summary)" }.joined(separator: "\n")),
        Option(
            name: "fault", argument: .required("'METHOD PATH STATUS …'"), isRepeatable: true,
            help: "Answer the next matching requests with that status, or drop, truncate, malformed, reset, silence,\n"
                + "or a sign-in error such as AADSTS50076:\n" + Sandbox.Fault.syntax),
        Option(
            name: "limit", argument: .required("SERVICE=UNITS/SECONDS"), isRepeatable: true,
            help: "Answer 429 after so many units in that time; SERVICE is directory, files or mailbox."),
        Option(name: "users", argument: .required("N"), help: "The number of users (default: 8)."),
        Option(
            name: "latency", argument: .required("MS"),
            help: "Delay every answer by so many milliseconds, and refuse a fifth concurrent request at a mailbox."),
        Option(
            name: "sent-items-delay", argument: .required("SECONDS"),
            help: "Show mail in Sent Items only after this delay."),
        Option(name: "uneven-pages", help: "Return some pages of users that are shorter than requested, or empty."),
        Option(name: "no-anonymous-links", help: "Refuse anonymous links, as administrators can."),
        Option(
            name: "sign-in", argument: .required("WHO"),
            help: "Who decides about a sign-in: ask (the page, or a script; the default),\n"
                + "decline, or the account that approves everything, such as megan@contoso.com."),
        Option(
            name: "app", argument: .required("ID=REDIRECT"), isRepeatable: true,
            help: "Register a web application by a GUID, with an address to which codes for it are sent;\n"
                + "at the token address it proves itself by any secret."),
        Option(
            name: "tls",
            help:
                "Serve https, with a certificate that is made for this and written to a file, to be trusted by clients\n"
                + "which refuse http."),
        Option(name: "require-sign-in", help: "Accept only tokens that were issued here."),
    ]

    private let port: Int
    private let sandbox: Sandbox
    private let speaksTLS: Bool

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        try arguments.demandNoOperands()
        let text = arguments.value("port") ?? "0"
        guard let port = Int(text), (0...65_535).contains(port) else {
            throw UsageError("'\(text)' is not a port", hint: "give a number from 0 to 65535")
        }
        self.port = port
        let faults = try arguments.all("fault").map { text throws(UsageError) in
            do throws(Sandbox.Fault.SyntaxError) {
                return try Sandbox.Fault(parsing: text)
            } catch {
                throw UsageError("the fault '\(text)' is not understood: \(error)")
            }
        }
        var rules = Sandbox.SignInRules()
        rules.demandsIssuedTokens = arguments.has("require-sign-in")
        do throws(Sandbox.SignInError) {
            rules.person = try .init(parsing: arguments.value("sign-in") ?? "ask")
        } catch {
            throw UsageError("--sign-in: \(error)", hint: "give 'ask', 'decline' or an account")
        }
        for text in arguments.all("app") {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw UsageError("--app: '\(text)' has no address", hint: "give ID=https://…, or ID=http://localhost/…")
            }
            do throws(Sandbox.SignInError) { try rules.register(parts[0], at: parts[1]) } catch {
                throw UsageError("--app: \(error)")
            }
        }
        speaksTLS = arguments.has("tls")
        sandbox = Sandbox(
            profile: try SandboxOption.profile(named: arguments.value("profile") ?? ""),
            settings: try Sandbox.Settings(arguments), faults: faults, signIn: rules)
    }

    func run(on console: Console) async throws -> ExitStatus {
        let identity: TLSIdentity?
        do throws(SystemError) { identity = speaksTLS ? try TLSIdentity() : nil } catch {
            console.complain("error: https cannot be served: \(error)")
            return .faulted
        }
        let server = SandboxServer(sandbox, identity: identity)
        let taken: Int
        do {
            taken = try server.start(port: port)
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
            What it holds is at \(address)/ in a browser, and at /sandbox/outbox and the like as JSON.
            Sign-in is at AZURE_AUTHORITY_HOST=\(address).
            """)
        if identity != nil {
            let path = certificate.path
            console.complain(
                """
                Its certificate is trusted by nobody yet. In the shell of the client, which then trusts nothing else:
                  export SSL_CERT_FILE=\(path) REQUESTS_CA_BUNDLE=\(path)
                For Node.js: NODE_EXTRA_CA_CERTS=\(path). The file goes when the sandbox ends.
                """)
        }
        await Interruption.first(on: console)
        server.stop()
        return .success
    }
}
