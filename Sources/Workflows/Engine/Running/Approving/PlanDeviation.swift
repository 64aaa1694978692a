import Foundation

/// The error of a run that was about to send a request that is not in its approved plan; it was not sent.
public struct PlanDeviation: Error, Sendable, ProblemConvertible {
    /// The type of the error in the workflow.
    public static let type = "urn:graphflow:error:plan-deviation"

    /// The request's method and URL, without secrets.
    public let request: String
    /// The nearest request of the plan; nil if there is none.
    public let planned: String?

    init(_ request: HTTPRequest, of operation: HTTPOperation, instead planned: PlannedRequest?) {
        self.request = PlainText.line("\(request.method) \(request.redacted.url.absoluteString)")
        self.planned = planned.map { PlainText.line("\($0.request.method) \($0.address)") }
    }

    /// The error in the workflow.
    public var problem: Object {
        let place = planned.map { $0 == request ? "the plan has it with other content" : "the plan has \($0)" }
        return [
            "type": .string(Self.type), "status": 409, "title": "Not as planned",
            "detail": .string(
                "The request was not sent, because it is not in the approved plan: \(request); "
                    + (place ?? "the plan has no request for this task")),
        ]
    }
}

/// The error of a run that differs from its approved plan; nothing was sent.
public struct PlanMismatch: Error, Sendable {
    /// The differences, one per line.
    public let differences: [String]

    /// Creates an error from differences.
    public init(_ differences: [String]) { self.differences = differences }
}
