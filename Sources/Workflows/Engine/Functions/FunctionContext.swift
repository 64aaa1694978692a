/// What a function works with besides its input.
public struct FunctionContext: Sendable {
    /// Microsoft Graph.
    public var graph: GraphClient
    /// The bytes of the run.
    public var blobs: BlobStore
    /// The files beside the workflow.
    public var files: WorkflowFiles
    /// How calls that name an authentication authenticate; functions of Microsoft Graph have their own.
    public var authorization: HTTPAuthorization
    /// How requests for documents of OpenAPI and other resources authenticate.
    public var resourceAuthorization = HTTPAuthorization.none
    /// The resources that the run has read.
    var resources = ResourceStore()
    /// How long a single request may take; nil if the workflow has its own timeouts.
    var patience: Duration? = .seconds(300)

    /// Whether the call is only planned, so that its input can hold unknowns.
    var isPlanning: Bool { graph.plan != nil }
    /// The draft that the call had created when the run was interrupted; it is not created again.
    var draft: Mail.Draft?

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
}
