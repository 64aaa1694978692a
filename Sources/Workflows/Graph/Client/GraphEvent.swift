/// Something that happens between a request and its answer: retries, waits, progress.
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
        /// `reason` is why, if another way was meant to be taken; nil if not.
        case committing(reason: String? = nil)
        /// An effect began, or what became of it is known.
        case effect(Effect, Effect.State)
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
