/// What a function works with, in addition to its input.
public struct FunctionContext: Sendable {
    /// Microsoft Graph.
    public var graph: GraphClient
    /// The bytes of the run.
    public var blobs: BlobStore
    /// The files next to the workflow.
    public var files: WorkflowFiles
    /// How calls that name an authentication authenticate; functions of Microsoft Graph have their own.
    public var authorization: HTTPAuthorization
    /// How requests for documents of OpenAPI and other resources authenticate.
    public var resourceAuthorization = HTTPAuthorization.none
    var resources = ResourceStore()
    /// The hosts that calls may reach without encryption.
    package var plainHosts = PlainHosts.none
    /// The time limit of a single request; nil if the workflow has its own timeouts.
    var patience: Duration? = .seconds(300)

    /// The maximum size of an answer in bytes; nil for the usual limits.
    package var largestAnswer: Int?

    /// Finds the call's mail again in the sender's mailbox; nil if nothing looks for it.
    var mailKey: Mail.Key?
    /// The ID by which Graph recognises a repeated event; nil if nothing identifies the call.
    var transactionID: String?
    /// The draft that the call created before the run was interrupted; it is not created again.
    var draft: Mail.Draft?
    /// What the task says that the call does; nil if it says nothing.
    var declaredEffect: Workflow.Call.DeclaredEffect?
    /// The programs that the call can talk to; nil outside a run.
    var programs: FunctionPrograms?

    /// Creates a context.
    public init(
        graph: GraphClient, blobs: BlobStore = BlobStore(), files: WorkflowFiles = WorkflowFiles(folder: nil),
        authorization: HTTPAuthorization = .none
    ) {
        self.graph = graph
        self.blobs = blobs
        self.files = files
        self.authorization = authorization
    }

    /// The bytes of unknown text, of a file or in base64, which only a run has; nil if they are known.
    func unknownContent(_ value: Value) -> Blob? {
        guard let plan = graph.plan else { return nil }
        let bytes: Blob
        if let text = value.string, let unknown = plan.unknowns.unknown(of: text), unknown.shape != .text {
            // Only a run knows whether it is text or an object, which may name a file.
            if unknown.shape == .any { files.noteAll() }
            bytes = .unknown(
                unknown, in: plan, example: UnknownTokens.example(Data(), token: text), isAnswer: false)
        } else if let path = value["file"]?.string, UnknownTokens.isIn(path) {
            files.noteAll()
            bytes = plan.unknownFile(path)
        } else if let text = value["base64"]?.string, UnknownTokens.isIn(text) {
            bytes = plan.unknownBytes(text.filter { !$0.isWhitespace })
        } else {
            return nil
        }
        return value["contentType"]?.string.map(bytes.with(contentType:)) ?? bytes
    }
}

extension PlanningTransport {
    /// The bytes of an unknown base64 text, which only a run has.
    func unknownBytes(_ text: String) -> Blob {
        let parts = unknowns.marked(text)
        let name = parts.unknown?.name ?? "bytes"
        return blob(Unknown(name, from: .computed(Derivation("@base64d", input: parts))))
    }

    func unknownFile(_ path: String) -> Blob {
        let path = unknowns.marked(path)
        let name = "file \(Drawing.name(path.drawn().string ?? ""))"
        let type = Unknown("\(name).contentType", .text, from: .computed(Derivation(Derivation.fileType, input: path)))
        return blob(Unknown(name, from: .computed(Derivation(Derivation.fileContents, input: path))))
            .with(contentType: unknowns.token(for: type))
    }

    private func blob(_ unknown: Unknown) -> Blob {
        .unknown(
            unknown, in: self, example: UnknownTokens.example(Data(), token: unknowns.token(for: unknown)),
            isAnswer: false)
    }
}

extension Derivation {
    /// Replaces an expression in a plan: the bytes of the file at the input's path.
    package static let fileContents = "the contents of the file"
    /// Replaces an expression in a plan: the media type of the file at the input's path.
    package static let fileType = "the type of the file"
    /// Replaces an expression in a plan: the media type that a request's body has by default.
    package static let bodyType = "the type of the body"
    /// Replaces an expression in a plan: the input's time, as clocks in the input's zone show it.
    static let calendarTime = "the time in the zone"
    /// The replacements for expressions that only a run can evaluate.
    package static let ofRun: Set = [fileContents, fileType, bodyType, contentType, contentSize, calendarTime]
}

extension JSONSchema.Violation {
    /// Whether the invalid value contains tokens of unknowns: then only a run can violate the schema.
    func isAboutToken(in data: Value) -> Bool { data[instance]?.holdsToken ?? false }
}

extension Value {
    fileprivate var holdsToken: Bool {
        switch self {
        case .string(let text): UnknownTokens.isIn(text)
        case .array(let elements): elements.contains(where: \.holdsToken)
        case .object(let members): members.contains { $0.value.holdsToken }
        case .null, .bool, .integer, .double, .marked: false
        }
    }
}
