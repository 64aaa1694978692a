import Foundation

/// A request that a dry run would have sent.
public struct PlannedRequest: Sendable {
    /// What is known about a file that the request would write.
    public enum Existing: Sendable, Hashable {
        /// The file already exists, with this size and modification date according to the service.
        case file(size: Int?, changedAt: String?)
        /// The file does not exist.
        case nothing
        /// It is unknown, for this reason.
        case unknown(String)
    }

    /// The request as it would be sent; use ``HTTPRequest/redacted`` for display.
    ///
    /// A range of a file is sent without its body: many of them would not fit into memory.
    public let request: HTTPRequest
    /// The purpose of the request.
    public let operation: HTTPOperation
    /// The body as far as it is known, even if it was not kept; nil if there is none.
    public let body: PlannedBody?
    /// The response's status, if the plan sent the request because it only reads; nil if it was not sent.
    public internal(set) var status: Int?
    /// What the plan found out about the file that the request would write; nil if it did not ask.
    public internal(set) var existing: Existing?

    /// Creates a planned request.
    init(_ request: HTTPRequest, for operation: HTTPOperation) {
        body = PlannedBody(request)
        address = request.url.redacted.absoluteString.showingSymbols
        self.operation = operation
        var kept = request
        if request.headers["Content-Range"] != nil { kept.body = nil }
        self.request = kept
    }

    /// The URL with readable unknowns, not percent-encoded, and with credentials redacted.
    public let address: String

    /// The body for display; nil if there is none.
    public var bodyDescription: String? { body?.description }

    /// The service that handles it: a part of Microsoft Graph by its name, or a host.
    public var service: String { (operation.service ?? request.url.host() ?? request.url.path()).showingSymbols }

    /// Whether it must not happen twice, so that after a failure its outcome may be unknown.
    public var isOnce: Bool { operation.effect == .once }
}

extension String {
    /// The URL with readable unknowns, such as `‹upload.id›`, not percent-encoded.
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
