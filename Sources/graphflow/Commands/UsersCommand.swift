/// `graphflow users`: finds people by the beginning of their name.
struct UsersCommand: Command {
    static let name = "users"
    static let onlyReads = true
    static let summary = "Find people in the organisation by the beginning of a name or address."
    static let examples = ["users meg"]
    static let discussion = """
        Prints name, user principal name, mail and telephone numbers, separated by tabs. Numbers are included if the
        sign-in has the permission User.Read.All.
        """

    @Operand(
        "PREFIX", "the beginning of a name", hint: "graphflow users ade, or in quotes: graphflow users 'ade vance'")
    private var prefix: String
    @Flag("all", "Print all matches, not only the first 100.") private var isAll
    @Flag("json", "Print JSON.") private var wantsJSON
    private let sandbox = SandboxOption()
    private let arguments = SignInArguments()

    private static let properties = ["displayName", "userPrincipalName", "mail", "businessPhones", "mobilePhone"]

    func validate() throws(UsageError) {
        guard prefix.contains(where: { !$0.isWhitespace }) else {
            throw UsageError("'graphflow users' needs the beginning of a name", hint: "graphflow users ade")
        }
    }

    func run(on console: Console) async throws -> ExitStatus {
        let graph = try arguments.access(console, in: sandbox).graph
        let users = try await graph.users(
            .startsWith(prefix), select: Self.properties, top: nil, unknownTop: nil, all: isAll,
            permissions: GraphClient.permissions(of: "GET", path: "users")
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
            console.print(Data((columns.map { PlainText.line($0, limit: 300) }.joined(separator: "\t") + "\n").utf8))
        }
        if users.isEmpty { console.complain("No name or address begins with that.") }
        return .success
    }
}
