/// Something that happens between a request and its answer and that somebody may want to see.
public struct GraphEvent: Sendable, Hashable {
    /// What happens; more may be added.
    public enum Kind: Sendable, Hashable {
        /// The request is sent again after a delay, as which attempt (from 2) and why.
        case retrying(attempt: Int, reason: String, delay: Duration)
    }

    /// The name of the function that sends the request.
    public let operation: String
    /// Where in a workflow the request comes from; nil for a chain composed in Swift.
    public let task: JSONPointer?
    /// What happens.
    public let kind: Kind
}
