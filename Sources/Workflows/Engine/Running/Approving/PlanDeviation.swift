import Foundation

/// That a run was about to do something that the approved plan does not have; it was not done.
public struct PlanDeviation: Error, Sendable, ProblemConvertible {
    /// The type of the error as a workflow sees it.
    public static let type = "urn:graphflow:error:plan-deviation"

    /// The request's method and address, without secrets.
    public let request: String
    /// What the plan has in its place; nil for nothing.
    public let planned: String?

    init(_ request: HTTPRequest, of operation: HTTPOperation, instead planned: PlannedRequest?) {
        self.request = PlainText.line("\(request.method) \(request.redacted.url.absoluteString)")
        self.planned = planned.map { PlainText.line("\($0.request.method) \($0.address)") }
    }

    /// The error as a workflow sees it.
    public var problem: Object {
        let place = planned.map { $0 == request ? "the plan has it with other content" : "the plan has \($0)" }
        return [
            "type": .string(Self.type), "status": 409, "title": "Not as planned",
            "detail": .string(
                "It was not sent, because the approved plan does not have it: \(request); "
                    + (place ?? "the plan has no request of this task")),
        ]
    }
}
