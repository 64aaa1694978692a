/// The HTTP method of a command that sends one request.
protocol RequestMethod: SendableMetatype {
    static var name: String { get }
    static var summary: String { get }
    static var examples: [String] { get }
    associatedtype Options: RequestOptions = SendingOptions
}

/// The options that are specific to a method.
protocol RequestOptions: OptionGroup {
    init()
    /// The body as it was given; nil for none.
    var body: String? { get }
    /// The arguments of `call: graph`.
    var arguments: Object { get }
}

/// The options of `get`.
struct ReadingOptions: RequestOptions {
    @Flag("all", "Follow all pages of a list, and print them as one.") private var isAll
    @Option(each: "select", "NAME,…", "The properties to get.") private var properties: [String]

    var body: String? { nil }

    var arguments: Object {
        var arguments = Object()
        if isAll { arguments["all"] = true }
        let names = properties.flatMap { $0.split(separator: ",").map { Value.string(String($0)) } }
        if !names.isEmpty { arguments["select"] = .array(names) }
        return arguments
    }
}

/// The options of requests with a body.
struct SendingOptions: RequestOptions {
    @Option(
        "body", "JSON|@FILE|-",
        "The body: JSON, the bytes of a file, or standard input. Files that\n"
            + "end in .json are JSON, others have the type that their bytes have.")
    var body: String?

    var arguments: Object { [:] }
}

enum GetRequest: RequestMethod {
    typealias Options = ReadingOptions
    static let name = "get"
    static let summary = "Get from Microsoft Graph, and print the answer."
    static let examples = [
        "get '/me/messages?$top=5' --query '.value[].subject'",
        "get /users --all --select displayName,mail",
    ]
}

enum PostRequest: RequestMethod {
    static let name = "post"
    static let summary = "Post to Microsoft Graph, and print the answer."
    static let examples = ["post /me/events --body @event.json --dry-run"]
}

enum PatchRequest: RequestMethod {
    static let name = "patch"
    static let summary = "Change something in Microsoft Graph, and print the answer."
    static let examples = ["patch /me/events/ID --body '{\"subject\": \"Lunch\"}'"]
}

enum PutRequest: RequestMethod {
    static let name = "put"
    static let summary = "Write something to Microsoft Graph, and print the answer."
    static let examples = ["put /me/drive/root:/me.jpg:/content --body @me.jpg"]
}

enum DeleteRequest: RequestMethod {
    static let name = "delete"
    static let summary = "Delete something in Microsoft Graph."
    static let examples = ["delete /me/events/ID"]
}

/// `graphflow get`, `post`, `patch`, `put` and `delete`: sends one authenticated request and prints the answer.
struct RequestCommand<Method: RequestMethod>: Command {
    static var name: String { Method.name }
    static var summary: String { Method.summary }
    static var examples: [String] { Method.examples }
    static var discussion: String {
        """
        PATH follows the service's address, such as '/me/messages?$top=5'; quote it, because '$' and '&' are special in
        shells. JSON is printed as JSON, everything else unchanged.\(isGet ? large : "")
        """
    }
    private static var large: String {
        " Contents of files, whose paths end with '/content' or\n"
            + "'/$value', may have 10 GB; of more than 64 MB they go through a temporary file, and are printed unchanged."
    }
    private static var isGet: Bool { Method.self == GetRequest.self }

    @Operand("PATH", "a PATH", hint: "graphflow \(Self.name) '/me/messages?$top=5'", offering: .graphPaths) private
        var path: String
    private let own = Method.Options()
    @Option(each: "header", "NAME:VALUE", "A header field.", as: Conversion(headerField))
    private var headers: [(name: String, value: String)]
    @Option("query", "JQ", "Print the result of a jq expression over the answer.", as: Conversion(expression))
    private var query: Workflows.Expression?
    @Option("output", "FILE", "Write the answer to a file.", isOutput: true) private var output: String?
    @Flag("beta", "Use version 'beta' of Graph.") private var isBeta
    @Flag("dry-run", "Show the request without sending it.") private var isPlanned
    private let sandbox = SandboxOption()
    private let answers = AnswerOption()
    private let patience = PatienceOption()
    private let arguments = SignInArguments()

    func validate() throws(UsageError) {
        let findings = Catalog.default["graph"]?.check(.object(with), files: WorkflowFiles(folder: nil)) ?? []
        guard let finding = findings.first(where: { $0.severity == .error }) else { return }
        throw UsageError(finding.message, hint: finding.hint)
    }

    /// The arguments of `call: graph`, without the body.
    private var with: Object {
        var with: Object = ["method": .string(Self.name.uppercased()), "path": .string(path)]
        for (name, value) in own.arguments { with[name] = value }
        if isBeta { with["version"] = "beta" }
        let fields = headers.reduce(into: Object()) { $0[$1.name] = .string($1.value) }
        if !fields.isEmpty { with["headers"] = .object(fields) }
        return with
    }

    func run(on console: Console) async throws -> ExitStatus {
        if !Self.isGet, !isPlanned { try ApprovalDemand.refuse("a single request cannot be approved", console) }
        var graph = try client(console)
        graph.patience = patience.patience
        let plan = isPlanned ? PlanningTransport() : nil
        if let plan {
            graph.transport = plan
            graph.credential = .fixed(AccessToken("planned"))
        }
        var context = FunctionContext(graph: graph)
        context.largestAnswer = answers.size
        var with = with
        with["body"] = try own.body.map { try Self.content($0, context) }
        for finding in KnownGraphCall(graph: .object(with))?.findings ?? [] {
            console.complain("warning: \(finding.message)\(finding.hint.map { "\n  \($0)" } ?? "")")
        }
        guard let function = Catalog.default["graph"] else { return .faulted }
        let answer: Value
        do {
            answer = try await function(.object(with), in: context).value
        } catch let error as FunctionError {
            throw GraphError(.invalidInput, message: PlainText.sentence(error.message), hint: error.hint)
        }
        if let plan {
            for request in plan.requests {
                console.print(painted: PlanTaskLines.text(of: request, hasColour: console.outputHasColour))
            }
            return .success
        }
        try write(with["all"] == nil ? answer : ["value": answer], of: context, on: console)
        return .success
    }

    private func client(_ console: Console) throws -> GraphClient {
        if let sandbox = sandbox.sandbox { return .forSandbox(sandbox) }
        return try arguments.access(console).graph.acceptingAnswers(upTo: answers.size)
    }

    /// The value of `--body`: JSON, or bytes as a blob.
    private static func content(_ text: String, _ context: FunctionContext) throws -> Value {
        if text == "-" { return try DataFile.readStandardInput() }
        guard text.hasPrefix("@") else { return try Value(json: text, name: "--body") }
        let path = String(text.dropFirst())
        if path.hasSuffix(".json") { return try DataFile.read(path) }
        return context.blobs.keep(try Blob(ByteSource(fileAt: URL(fileURLWithPath: path)), contentType: nil))
    }

    private func write(_ answer: Value, of context: FunctionContext, on console: Console) throws {
        guard query == nil, let blob = try? context.blobs.blob(answer) else { return try write(answer, on: console) }
        guard output != nil || !console.outputIsTerminal || blob.size == 0 else {
            let type = PlainText.line(blob.contentType, limit: 100)
            console.complain("The answer is \(type), \(blob.size) bytes: write it to a file with '--output'.")
            return
        }
        let write = output == nil ? console.printPieces() : try writer(console)
        var offset = 0
        while offset < blob.size {
            let end = min(blob.size, offset + (1 << 20))
            try write(try blob.source.bytes(in: offset..<end))
            offset = end
        }
        try write(Data())
    }

    private func write(_ answer: Value, on console: Console) throws {
        var answers = [answer]
        if let query {
            do throws(ExpressionError) {
                answers = try query.evaluate(answer)
            } catch {
                throw EvaluationFailure(message: error.message)
            }
        } else if answer.isNull {
            answers = []
        }
        let write = output == nil ? nil : try writer(console)
        for answer in answers {
            if let text = answer.string, query == nil {
                if let write { try write(Data(text.utf8)) } else { console.print(raw: text) }
            } else if let write {
                try write(Data("\(answer.json(pretty: true))\n".utf8))
            } else {
                console.print(answer)
            }
        }
    }

    /// Writes to the file of `--output`, or to standard output.
    private func writer(_ console: Console) throws -> (Data) throws -> Void {
        guard let output else { return console.print }
        let file = try OutputFile(output, sparing: console.files, isPublic: true)
        try file.write(Data())
        return { bytes in try file.write(bytes) }
    }

    private static func headerField(_ field: String, _ name: String) throws -> (name: String, value: String) {
        guard let colon = field.firstIndex(of: ":"), colon != field.startIndex else {
            throw UsageError("'\(name) \(field)' sets nothing", hint: "write \(name) 'If-Match: *'")
        }
        return (String(field[..<colon]), String(field[field.index(after: colon)...]).trimmed)
    }

    private static func expression(_ text: String, _ name: String) throws -> Workflows.Expression {
        do throws(ExpressionError) { return try Workflows.Expression(text) } catch {
            throw UsageError("'\(name)' is not an expression: \(error.message)")
        }
    }
}
