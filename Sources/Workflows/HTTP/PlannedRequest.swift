/// A request that a dry run would have sent.
public struct PlannedRequest: Sendable {
    /// The request as it would go over the wire; show it ``HTTPRequest/redacted``.
    public let request: HTTPRequest
    /// What it is for.
    public let operation: HTTPOperation
}
