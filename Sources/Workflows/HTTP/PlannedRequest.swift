/// A request that a dry run would have sent.
public struct PlannedRequest: Sendable {
    /// The request as it would go over the wire; show it ``HTTPRequest/redacted``.
    ///
    /// It has no body where that is a range of a file: many of them would not fit into memory.
    public let request: HTTPRequest
    /// What it is for.
    public let operation: HTTPOperation
    /// The body as people read it, also where it was not kept; nil where there is none.
    public let bodyDescription: String?

    /// Keeps a request.
    init(_ request: HTTPRequest, for operation: HTTPOperation) {
        bodyDescription = request.bodyDescription
        self.operation = operation
        var kept = request
        if request.headers["Content-Range"] != nil { kept.body = nil }
        self.request = kept
    }
}
