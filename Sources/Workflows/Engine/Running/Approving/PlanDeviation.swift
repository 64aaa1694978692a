/// The error of a run that was about to do something outside its approved plan; it was not done.
public struct PlanDeviation: Error, Sendable, ProblemConvertible {
    /// The type of the error in the workflow.
    public static let type = "urn:graphflow:error:plan-deviation"

    /// The request's method and URL without secrets, or the program; nil if the difference is in data.
    public let request: String?
    /// The nearest request of the plan; nil if there is none.
    public let planned: String?
    /// What differs, in words.
    public let difference: String

    init(_ request: HTTPRequest, instead planned: PlannedRequest?) {
        let shown = PlainText.line("\(request.method) \(request.redacted.url.absoluteString)")
        self.request = shown
        self.planned = planned.map { PlainText.line("\($0.request.method) \($0.address)") }
        let instead = self.planned.map {
            $0 == shown ? "the plan has it with other content or at another time" : "the plan has \($0)"
        }
        difference =
            "The request was not sent, because it is not in the approved plan: \(shown); "
            + (instead ?? "the plan has no request for this task")
    }

    init(_ program: ChildProgram) {
        let shown = PlainText.line(program.shown.joined(separator: " "), limit: 300)
        request = shown
        planned = nil
        difference = "The program was not started, because it differs from the approved plan: \(shown)"
    }

    /// Creates an error about data.
    init(_ difference: String) {
        request = nil
        planned = nil
        self.difference =
            "Nothing more is sent or started, because the run differs from the approved plan: \(difference)"
    }

    /// The error in the workflow.
    public var problem: Object { Self.problem(difference) }

    fileprivate static func problem(_ detail: String) -> Object {
        ["type": .string(type), "status": 409, "title": "Not as planned", "detail": .string(detail)]
    }
}

/// The error of a run that differs from its approved plan; nothing was sent.
public struct PlanMismatch: Error, Sendable, ProblemConvertible {
    /// The differences, one per line.
    public let differences: [String]

    /// Creates an error from differences.
    public init(_ differences: [String]) { self.differences = differences }

    /// The error in the workflow.
    public var problem: Object { PlanDeviation.problem(differences.joined(separator: "; ")) }
}
