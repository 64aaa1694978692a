/// An event between a request and its answer: a retry, a wait, progress.
public struct GraphEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The request is sent again after a delay; `attempt` counts from 2.
        case retrying(attempt: Int, reason: String, delay: Duration)
        /// The request waits before it is sent, because its service asks for fewer requests.
        case held(delay: Duration, reason: String)
        /// This many bytes of a file have been uploaded.
        case uploaded(bytes: Int, total: Int)
        /// A message was saved as a draft and is sent next; its id stays the same.
        case drafted(id: String, internetMessageID: String?)
        /// A request is about to be sent that must not happen twice and whose outcome cannot be looked up.
        ///
        /// `reason` says why the usual way was not taken; nil if it was.
        case committing(reason: String? = nil)
        /// An effect began, or its outcome became known.
        case effect(Effect, Effect.State)
    }

    /// The name of the function that sent the request, such as `upload`.
    public var operation: String
    /// The place in a workflow that causes the request; nil for a chain composed in Swift.
    public var task: JSONPointer?
    /// What happened.
    public var kind: Kind

    package init(operation: String, task: JSONPointer?, kind: Kind) {
        self.operation = operation
        self.task = task
        self.kind = kind
    }
}
