internal import GraphModel

/// `graphflow explain`: says what a request to Microsoft Graph is, before anybody writes a file for it.
struct ExplainCommand: Command {
    static let name = "explain"
    static let onlyReads = true
    static let summary = "Say what a request to Microsoft Graph is, what it needs and what it does."
    static let examples = [
        "explain GET /users", "explain POST '/groups/{id}/members/$ref'",
        "explain PATCH /me/mailboxSettings --body '{\"timeZone\": \"UTC\"}' --format json",
    ]
    static let discussion = """
        PATH follows the version; {id} stands for any key. What is said comes from the metadata of Microsoft Graph v1.0
        and from the permissions that Microsoft publishes, both of which are in the program: nothing is sent.
        """

    @Operand(
        "METHOD", "a method", hint: "graphflow explain GET /users",
        offering: .names(["GET", "POST", "PATCH", "PUT", "DELETE"])) private var method: String
    @Operand("PATH", "a path", hint: "graphflow explain GET /users", offering: .graphPaths) private var path: String
    @Option("body", "JSON", "The body that is sent.") private var body: String?
    @Option("format", "FORMAT", "The format: text, json.", as: .choice("format")) private var format: Format?

    enum Format: String, CaseIterable { case text, json }

    func validate() throws(UsageError) {
        guard ["GET", "POST", "PATCH", "PUT", "DELETE"].contains(method.uppercased()) else {
            throw UsageError(
                "'\(PlainText.line(method, limit: 40))' is no method of Microsoft Graph",
                hint: "it takes GET, POST, PATCH, PUT and DELETE")
        }
    }

    func run(on console: Console) async throws -> ExitStatus {
        let value: Value?
        do {
            value = try body.map { try Value(json: Data($0.utf8)) }
        } catch {
            throw UsageError("--body is not JSON: \(PlainText.sentence(String(describing: error)))")
        }
        guard let target = GraphTarget(path) else {
            console.complain("error: \(PlainText.line(path, limit: 200)) is no address of Microsoft Graph")
            return .faulted
        }
        guard !target.path.lowercased().hasPrefix("beta/") else {
            console.complain("error: beta is not in the model, which is that of Microsoft Graph v1.0")
            return .faulted
        }
        let findings = GraphFindings(method, target, value)
        for finding in findings.all {
            let kind = findings.operation == nil ? "error" : "warning"
            console.complain("\(kind): \(finding.message)\(finding.hint.map { "\n  \($0)" } ?? "")")
        }
        guard let operation = findings.operation else {
            if findings.all.isEmpty {
                console.complain(
                    "error: what \(PlainText.line(path, limit: 200)) is depends on a part that is not known")
            }
            return .faulted
        }
        let explained = GraphExplanation(of: operation, at: target.text, sending: value)
        console.print(format == .json ? explained.value.json() : explained.text)
        return .success
    }
}
