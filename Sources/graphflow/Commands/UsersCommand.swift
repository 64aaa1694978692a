import Promises
import Workflows

/// `graphflow users`: finds people in the organisation by the beginning of their name.
struct UsersCommand: Command {
    static let name = "users"
    static let summary = "Find people in the organisation by the beginning of a name or address."
    static let operands = "PREFIX"
    static let examples = ["users meg"]
    static let discussion = "Prints name, user principal name, mail and telephone numbers, with tabs between them."
    static let options =
        [
            Option(name: "all", help: "Print all matches, not only the first 100."),
            Option(name: "json", help: "Print JSON."),
        ] + [SandboxOption.option] + SignInArguments.options

    /// The properties that the original program shows.
    private static let properties = ["displayName", "userPrincipalName", "mail", "businessPhones", "mobilePhone"]

    private let arguments: SignInArguments
    private let prefix: String
    private let isAll: Bool
    private let wantsJSON: Bool
    private let profile: Sandbox.Profile?

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        guard let prefix = arguments.operands.first, arguments.operands.count == 1,
            prefix.contains(where: { !$0.isWhitespace })
        else {
            throw UsageError(
                arguments.operands.count > 1
                    ? "'graphflow users' takes one PREFIX: put quotes around it"
                    : "'graphflow users' needs the beginning of a name",
                hint: "graphflow users ade")
        }
        self.arguments = try SignInArguments(arguments)
        self.prefix = prefix
        isAll = arguments.has("all")
        wantsJSON = arguments.has("json")
        profile = try SandboxOption.profile(arguments)
    }

    func run(on console: Console) async throws -> ExitStatus {
        let graph = try arguments.access(console, in: profile).graph
        let users = try await graph.users(
            .startsWith(prefix), select: Self.properties, top: nil, all: isAll
        ).value
        if wantsJSON {
            console.print(
                .array(
                    users.map { user in
                        .object(Object((["id"] + Self.properties).map { ($0, user.value[$0] ?? .null) }))
                    }))
            return .success
        }
        for user in users {
            let phones = (user.value["businessPhones"]?.array ?? []).compactMap(\.string)
            let columns = [
                user.displayName, user.value["userPrincipalName"]?.string ?? "", user.value["mail"]?.string ?? "",
                (phones + [user.value["mobilePhone"]?.string].compactMap(\.self)).joined(separator: ", "),
            ]
            console.print(painted: columns.map { PlainText.line($0, limit: 300) }.joined(separator: "\t"))
        }
        if users.isEmpty { console.complain("No name or address begins with that.") }
        return .success
    }
}
