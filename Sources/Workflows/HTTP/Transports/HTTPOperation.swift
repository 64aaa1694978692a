package import Essentials

/// The purpose of a request: what a transport may need to know beyond the bytes.
public struct HTTPOperation: Sendable {
    /// The name of the function or sign-in step that sends the request, such as `upload`.
    public var name: String
    /// The place in a workflow that causes the request; nil for a chain composed in Swift.
    public var task: JSONPointer?
    /// The path of the repetitions around that place, in a plan with `*` for a number that only a run finds out.
    package var occurrence = ""
    /// When a planned call sends the request; nil if it does so always.
    package var condition: PlannedCondition?
    /// The request's effect on the outside world.
    public var effect: Idempotency
    /// The least-privileged delegated permissions that the request needs, for display in a plan.
    public var scopes: [String]
    /// The least-privileged application permissions that the request needs.
    public var applicationScopes: [String] = []
    /// Whether the request needs permissions that are not known.
    package var hasUnknownNeeds = false
    /// The maximum number of attempts, including the first, if it may be repeated.
    public var attempts = 1
    /// The longest total wait between attempts, unless the service asks for more.
    public var longestWait = Duration.zero
    /// The name of the part of the service that handles the request; nil for the host.
    public var service: String?
    /// What it does to people and things; none if it only reads, or is only a part of what another request does.
    public var consequences: [Effect] = []
    /// Where a plan can look what the request would replace, change or delete; nil if there is no such address.
    package var replaced: URL?
    /// The total time limit for a response.
    public var timeout: Duration
    /// The largest response body in bytes; nil for the transport's limit.
    public var maximumResponseSize: Int?
    /// The hosts that the request may reach without encryption.
    package var plainHosts = PlainHosts.none
    /// What may be done with a larger body; nil if it is a failure.
    package var storage: Storage?
    /// An example of the response for a dry run, with tokens for its unknowns.
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
}

extension HTTPOperation {
    /// Where the body of a response goes that is too large for memory.
    package struct Storage: Sendable {
        /// The largest body in bytes, unless something else is asked for.
        package static let usualLimit = 10_000_000_000

        /// The largest body in bytes.
        package var limit: Int
        /// The folder that the file takes room in; nil for that of temporary files.
        package var folder: String?
        /// Whether a successful response with this head may be in a file.
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
    /// A compressed one must: a few bytes could fill a disk.
    func storage(for head: HTTPResponse) -> Storage? {
        guard let storage, (200..<300).contains(head.status), head.headers["Content-Encoding"] == nil else {
            return nil
        }
        return storage.accepts(head) ? storage : nil
    }
}
