import Foundation

/// A request that a dry run would have sent.
public struct PlannedRequest: Sendable {
    /// What was found out about a file that the request would write.
    public enum Existing: Sendable, Hashable {
        /// There is such a file already, of that size and last changed at that time, as the service says it.
        case file(size: Int?, changedAt: String?)
        /// There is none.
        case nothing
        /// It could not be found out, for that reason.
        case unknown(String)
    }

    /// The request as it would go over the wire; show it ``HTTPRequest/redacted``.
    ///
    /// It has no body where that is a range of a file: many of them would not fit into memory.
    public let request: HTTPRequest
    /// What it is for.
    public let operation: HTTPOperation
    /// The body as far as it is known, also where it was not kept; nil where there is none.
    public let body: PlannedBody?
    /// The status of the answer, where the plan sent the request because it only reads; nil where it was not sent.
    public internal(set) var status: Int?
    /// What the plan asked about the file that the request would write; nil where it did not ask.
    public internal(set) var existing: Existing?

    /// Keeps a request.
    init(_ request: HTTPRequest, for operation: HTTPOperation) {
        body = PlannedBody(request)
        address = request.url.redacted.absoluteString.showingSymbols
        self.operation = operation
        var kept = request
        if request.headers["Content-Range"] != nil { kept.body = nil }
        self.request = kept
    }

    /// The address with its symbols as they are read, and not as they are encoded, and without secrets.
    public let address: String

    /// The body as people read it; nil where there is none.
    public var bodyDescription: String? { body?.description }

    /// Who answers it: a part of Microsoft Graph by its name, or a host.
    public var service: String { (operation.service ?? request.url.host() ?? request.url.path()).showingSymbols }

    /// Whether it must happen once, so that nobody may know whether it happened.
    public var isOnce: Bool { operation.effect == .once }
}

extension String {
    /// The address with its symbols, such as `‹upload.id›`, as they are read and not as they are encoded.
    package var showingSymbols: String {
        var parts = split(separator: "%E2%80%B9", omittingEmptySubsequences: false)[...]
        guard var text = parts.popFirst().map(String.init), !parts.isEmpty else { return self }
        for part in parts {
            if let end = part.firstRange(of: "%E2%80%BA") {
                let name = part[..<end.lowerBound]
                text += "‹\(name.removingPercentEncoding ?? String(name))›\(part[end.upperBound...])"
            } else {
                text += "%E2%80%B9\(part)"
            }
        }
        return text
    }
}
