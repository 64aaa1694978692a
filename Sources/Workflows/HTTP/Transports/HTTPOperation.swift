/// The purpose of a request: what a transport may need to know in addition to the bytes.
public struct HTTPOperation: Sendable {
    /// The name of the function or sign-in step that sends the request, such as `upload`.
    public var name: String
    /// The place in a workflow that causes the request; nil for a chain composed in Swift.
    public var task: JSONPointer?
    /// The path of the loop iterations around that place; a plan writes `*` for a number known only at run time.
    package var occurrence = ""
    /// When a planned call sends the request; nil for always.
    package var condition: PlannedCondition?
    /// The request's effect on the outside world.
    public var effect: Idempotency
    /// The least-privileged delegated permissions that the request needs, for display in a plan.
    public var scopes: [String]
    /// The least-privileged application permissions that the request needs.
    public var applicationScopes: [String] = []
    package var hasUnknownNeeds = false
    /// The maximum number of attempts, including the first, if it may be repeated.
    public var attempts = 1
    /// The longest total wait between attempts, unless the service asks for more.
    public var longestWait = Duration.zero
    /// The name of the part of the service that handles the request; nil for the host.
    public var service: String?
    /// What it does to people and things; empty if it only reads, or is a part of another request's effect.
    public var consequences: [Effect] = []
    /// Where a plan can look up the object that the request would replace, change or delete, if possible.
    package var replaced: URL?
    /// Where a plan can read what people call the ids that the request names, by the ids.
    package var named: [(id: String, address: URL)] = []
    /// The total time limit for a response.
    public var timeout: Duration
    /// The largest response body in bytes; nil for the transport's limit.
    public var maximumResponseSize: Int?
    package var plainHosts = PlainHosts.none
    /// Whether it only reads although it has a body, so that a plan with reads sends it.
    package var isQuery = false
    /// Sees the response while it arrives: its head, and its body so far.
    package var onArrival: (@Sendable (HTTPResponse) -> Void)?
    /// Where a larger body may be stored; nil if it is a failure.
    package var storage: Storage?
    /// An example response for a dry run, with tokens for its unknowns.
    public var example: HTTPResponse

    /// Creates an operation.
    public init(
        name: String, task: JSONPointer? = nil, effect: Idempotency, scopes: [String] = [],
        timeout: Duration = .seconds(100), maximumResponseSize: Int? = nil, example: HTTPResponse
    ) {
        self.name = name
        self.task = task
        self.effect = effect
        self.scopes = scopes
        self.timeout = timeout
        self.maximumResponseSize = maximumResponseSize
        self.example = example
    }

    /// Where a response's body is stored if it is too large for memory.
    package struct Storage: Sendable {
        package static let usualLimit = 10_000_000_000

        /// The largest body in bytes.
        package var limit: Int
        /// Nil for the folder of temporary files.
        package var folder: String?
        /// Whether a successful response with this head may be stored in a file.
        package var accepts: @Sendable (HTTPResponse) -> Bool

        package init(
            upTo limit: Int = Self.usualLimit, in folder: String? = nil,
            accepts: @escaping @Sendable (HTTPResponse) -> Bool = { _ in true }
        ) {
            self.limit = limit
            self.folder = folder
            self.accepts = accepts
        }
    }

    /// The storage for a response with this head; nil if its body must be in memory.
    ///
    /// A compressed body must be in memory: a few bytes could fill a disk.
    func storage(for head: HTTPResponse) -> Storage? {
        guard let storage, (200..<300).contains(head.status), head.headers["Content-Encoding"] == nil else {
            return nil
        }
        return storage.accepts(head) ? storage : nil
    }
}
