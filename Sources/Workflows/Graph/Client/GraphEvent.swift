/// Something that happens between a request and its answer: retries, waits, progress.
public struct GraphEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The request is sent again after a delay, as which attempt (from 2) and why.
        case retrying(attempt: Int, reason: String, delay: Duration)
        /// The request waits for that long before it is sent, because its service wants to be asked less.
        case held(delay: Duration, reason: String)
        /// So many bytes of a file have arrived.
        case uploaded(bytes: Int, total: Int)
        /// A message lies in the drafts under that id, which stays the same when it is sent; sending it comes next.
        case drafted(id: String, internetMessageID: String?)
        /// A request is about to be sent that must have its effect once, and of which nothing could be looked up.
        case committing
    }

    /// The name of the function that sent the request, such as `upload`.
    public var operation: String
    /// Where in a workflow the request comes from; nil for a chain composed in Swift.
    public var task: JSONPointer?
    /// What happened.
    public var kind: Kind

    package init(operation: String, task: JSONPointer?, kind: Kind) {
        self.operation = operation
        self.task = task
        self.kind = kind
    }
}
