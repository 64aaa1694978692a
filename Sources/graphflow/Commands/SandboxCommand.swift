import Foundation
import Promises
import Workflows

/// `graphflow sandbox`: serves a Microsoft Graph that lives in memory, for trying and testing.
struct SandboxCommand: Command {
    static let name = "sandbox"
    static let summary = "Serve a Microsoft Graph and its sign-in from memory, on this machine only."
    static let operands = ""
    static let discussion = """
        Programs use it by GRAPHFLOW_GRAPH_URL=http://127.0.0.1:PORT/v1.0 and any GRAPHFLOW_ACCESS_TOKEN. What it accepted
        can be read as JSON: /sandbox/outbox, /sandbox/drive, /sandbox/requests, /sandbox/throttling.

        AZURE_AUTHORITY_HOST=http://127.0.0.1:PORT lets them sign in here, at a page that asks for no password. A script
        plays the person by POST /sandbox/sign-in/devices/CODE with {"decision": "approve"}, and changes how it goes by
        PATCH /sandbox/sign-in; GET shows what can be changed.
        """
    static let options = [
        Option(name: "port", argument: .required("N"), help: "The port; 0 or none takes a free one."),
        Option(
            name: "profile", argument: .required("PROFILE"),
            help: "How it behaves:\n"
                + Sandbox.Profile.allCases.map { "\($0.rawValue): \($0.summary)" }.joined(separator: "\n")),
        Option(
            name: "fault", argument: .required("'METHOD PATH STATUS …'"), isRepeatable: true,
            help: "Answer the next matching requests with that status, or drop, truncate, malformed, reset, silence,\n"
                + "or an error of the sign-in such as AADSTS50076:\n" + Sandbox.Fault.syntax),
        Option(
            name: "limit", argument: .required("SERVICE=UNITS/SECONDS"), isRepeatable: true,
            help: "Refuse with 429 beyond so many units in that time; SERVICE is directory, files or mailbox."),
        Option(name: "users", argument: .required("N"), help: "How many users there are; 8 without it."),
        Option(
            name: "latency", argument: .required("MS"),
            help: "Let every answer take so many milliseconds, and refuse a fifth request at a mailbox meanwhile."),
        Option(
            name: "sent-items-delay", argument: .required("SECONDS"),
            help: "Let Sent Items fill so much later than mail is accepted."),
        Option(name: "uneven-pages", help: "Let pages of users be shorter than asked for at times, and empty."),
        Option(name: "no-anonymous-links", help: "Refuse links that everybody could open, as administrators can."),
        Option(
            name: "sign-in", argument: .required("WHO"),
            help: "Who decides about a sign-in: ask (the page, or a script; the default),\n"
                + "decline, or the account that approves everything, such as megan@contoso.com."),
        Option(name: "require-sign-in", help: "Accept only tokens that were issued here."),
    ]

    private let port: Int
    private let sandbox: Sandbox

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        if let operand = arguments.operands.first {
            throw UsageError("'graphflow sandbox' takes no operand '\(operand)'")
        }
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
        sandbox = Sandbox(
            profile: try SandboxOption.profile(named: arguments.value("profile") ?? ""),
            settings: try Sandbox.Settings(arguments), faults: faults, signIn: rules)
    }

    func run(on console: Console) async throws -> ExitStatus {
        let server = SandboxServer(sandbox)
        let taken: Int
        do {
            taken = try server.start(port: port)
        } catch {
            console.complain("error: port \(port) cannot be opened: \(error)")
            return .faulted
        }
        console.print("http://127.0.0.1:\(taken)/v1.0")
        console.complain(
            """
            A Microsoft Graph is listening; end it with Ctrl-C. In another terminal:
              export GRAPHFLOW_GRAPH_URL=http://127.0.0.1:\(taken)/v1.0 GRAPHFLOW_ACCESS_TOKEN=sandbox
              graphflow run workflows/share-profile-photo.yaml
              curl http://127.0.0.1:\(taken)/sandbox/outbox
            Sign-in is at AZURE_AUTHORITY_HOST=http://127.0.0.1:\(taken).
            """)
        let (ended, resolver) = Promise<Void>.pending()
        let interruption = Interruption(on: console) { resolver.fulfill(()) }
        try await ended.value
        interruption.end()
        server.stop()
        return .success
    }
}
