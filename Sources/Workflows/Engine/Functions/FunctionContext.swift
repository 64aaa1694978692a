/// What a function works with besides its input.
public struct FunctionContext: Sendable {
    /// Microsoft Graph.
    public var graph: GraphClient
    /// The bytes of the run.
    public var blobs: BlobStore
    /// The files beside the workflow.
    public var files: WorkflowFiles
    /// What proves who asks where a call names an authentication; functions of Microsoft Graph have their own.
    public var authorization: HTTPAuthorization
    /// What proves who asks where a document that describes a service, or another resource, is read over HTTP.
    public var resourceAuthorization = HTTPAuthorization.none
    /// What the run read of such documents.
    var resources = ResourceStore()
    /// How long a single request may take; nil where the workflow itself says how long everything may take.
    var patience: Duration? = .seconds(300)

    /// Whether the call is only planned, so that symbols stand in its input for what is not known yet.
    var isPlanning: Bool { graph.plan != nil }
    /// The draft that the call had made when the run was interrupted, which is not to be made again.
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
