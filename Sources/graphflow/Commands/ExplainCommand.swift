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
        let parts = plainPath.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard !plainPath.lowercased().hasPrefix("/beta/") else {
            console.complain("error: beta is not in the model, which is that of Microsoft Graph v1.0")
            return .faulted
        }
        let findings = GraphFindings(
            method, String(parts.first ?? ""), GraphQuery(parts.count > 1 ? parts[1] : ""), value)
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
        let explained = GraphExplanation(operation, plainPath, value)
        console.print(format == .json ? explained.value.json() : explained.text)
        return .success
    }

    /// The path after the version, also of a whole address.
    private var plainPath: String {
        var path = Substring(path)
        for prefix in ["https://graph.microsoft.com", "/v1.0/", "v1.0/"] where path.hasPrefix(prefix) {
            path = path.dropFirst(prefix.count)
        }
        return path.hasPrefix("/") ? String(path) : "/\(path)"
    }
}

/// What is known of a request.
struct GraphExplanation {
    private let operation: GraphOperation
    private let effects: [Effect]
    private let needs: (delegated: GraphPermissions.Need, application: GraphPermissions.Need)
    private let isPlayed: Bool

    /// - Parameter path: The path after the version, with its query.
    init(_ operation: GraphOperation, _ path: String, _ body: Value?) {
        self.operation = operation
        let reads =
            [.read, .function].contains(operation.kind) || operation.kind == .content && operation.method == "GET"
        effects = reads ? [] : GraphClient.effects(of: operation.method, at: path, host: "graph.microsoft.com", body)
        let published = GraphPermissions(operation.method, operation.address)
        let refined = GraphClient.permissions(of: operation.method, path: path, body)
        func need(_ published: GraphPermissions.Need?, _ names: [String]?) -> GraphPermissions.Need {
            guard let published else { return names.map { .names($0) } ?? .unknown }
            if case .names = published, let names { return .names(names) }
            return published
        }
        needs = (
            need(published?.delegated, refined?.delegated), need(published?.application, refined?.application)
        )
        isPlayed = Sandbox.plays(operation.method, operation.address.path)
    }

    var value: Value {
        [
            "method": .string(operation.method), "path": .string(operation.address.path),
            "operation": .string(operation.kind.rawValue), "request": request,
            "response": operation.response.map { .string("\($0)") } ?? .null,
            "permissions": ["delegated": needs.delegated.value, "application": needs.application.value],
            "effects": .array(effects.map(\.value)), "sandbox": isPlayed ? "played" : "mock",
            "undo": effects.first.map { .string($0.undo.rawValue) } ?? .null,
        ]
    }

    private var request: Value {
        guard operation.kind == .action, !operation.parameters.isEmpty else {
            return operation.request.map { .string("\($0)") } ?? .null
        }
        return .object(Object(operation.parameters.map { ($0.name, .string("\($0.type)")) }))
    }

    var text: String {
        var lines = ["\(operation.method) \(PlainText.escaped(operation.address.path))"]
        func add(_ name: String, _ text: String) { lines.append("  \(name.padding(to: 14))\(text)") }
        add("operation", operation.kind.words)
        switch request {
        case .string(let type): add("sends", type)
        case .object(let parameters):
            add("sends", parameters.map { "\($0.key): \($0.value.string ?? "")" }.joined(separator: ", "))
        default: break
        }
        add(
            "answers",
            operation.response.map { "\($0)" }
                ?? (operation.address.path == "/$batch" ? "an answer to each" : "nothing"))
        add("permissions", "delegated \(needs.delegated.words), application \(needs.application.words)")
        for effect in effects { add("effect", PlainText.escaped(effect.summary)) }
        if let undo = effects.first?.undo { add("undo", undo.rawValue) }
        add("sandbox", isPlayed ? "plays it" : "needs a mock")
        operation.page.map { add("page", $0) }
        return lines.joined(separator: "\n")
    }

    /// The same for an editor.
    var markdown: String {
        let path = PlainText.line(operation.address.path, limit: 200)
        var parts = ["**\(operation.method) \(path)**: \(operation.kind.rawValue)"]
        operation.response.map { parts.append("answers `\($0)`") }
        parts.append("permissions: delegated \(needs.delegated.words); application \(needs.application.words)")
        operation.page.map { parts.append("[Microsoft's page](\($0))") }
        return parts.joined(separator: "\n\n")
    }
}

extension GraphOperation {
    /// Microsoft's page of the resource, with all its requests; nil for what has none.
    var page: String? {
        let type = address.segments.last { $0.type?.definition?.kind == .entity }?.type?.name
        return type.map {
            "https://learn.microsoft.com/graph/api/resources/\($0.lowercased().replacing(".", with: "-"))"
        }
    }
}

extension GraphOperation.Kind {
    fileprivate var words: String {
        switch self {
        case .link: "link (adds what is there already)"
        case .unlink: "unlink (removes it here, and deletes nothing)"
        default: rawValue
        }
    }
}

extension GraphPermissions.Need {
    fileprivate var value: Value {
        switch self {
        case .names(let names): .array(names.map { .string($0) })
        case .impossible: false
        case .unknown: .null
        }
    }

    fileprivate var words: String {
        switch self {
        case .names(let names): names.isEmpty ? "none" : names.joined(separator: " and ")
        case .impossible: "not possible"
        case .unknown: "not known"
        }
    }
}
