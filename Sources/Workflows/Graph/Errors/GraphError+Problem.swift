extension GraphError: ProblemConvertible {
    /// The error as a workflow sees it, with Graph's `code` and the request's ids if they are known.
    public var problem: Object {
        var problem: Object = [
            "type": .string(problemType.uri), "status": .integer(problemStatus), "title": .string(title),
            "detail": .string(([message] + hintLines).joined(separator: " ")),
        ]
        problem["code"] = serviceCode.map(Value.string)
        problem["requestId"] = requestID.map(Value.string)
        problem["clientRequestId"] = clientRequestID.map(Value.string)
        problem["date"] = date.map(Value.string)
        problem["answerDate"] = answerDate.map(Value.string)
        return problem
    }

    private var problemType: ProblemType {
        switch code {
        case .invalidInput: .validation
        case .signInRequired, .unauthorized: .authentication
        case .forbidden: .authorization
        case .timedOut: .timeout
        case .cancelled: .runtime
        case .unknownOutcome: .unknownOutcome
        default: .communication
        }
    }

    private var problemStatus: Int {
        if let status, status >= 400 { return status }
        return switch code {
        case .invalidInput: 400
        case .signInRequired: 401
        case .timedOut: 408
        case .badAnswer: 502
        case .network: 503
        case .unknownOutcome: 504
        default: 500
        }
    }

    private var title: String {
        switch code {
        case .invalidInput: "Invalid input"
        case .signInRequired: "Sign-in required"
        case .unauthorized: "Token refused"
        case .forbidden: isPolicy ? "Not allowed" : "Permission missing"
        case .notFound: "Not found"
        case .conflict: "Conflict"
        case .preconditionFailed: "Changed in the meantime"
        case .invalidRequest: "Request not accepted"
        case .locked: "Locked"
        case .tooLarge: "Too large"
        case .throttled: "Too many requests"
        case .quotaExceeded: "No room left"
        case .network: "No answer"
        case .timedOut: "No answer in time"
        case .cancelled: "Cancelled"
        case .badAnswer: "Unusable answer"
        case .unknownOutcome: "Outcome unknown"
        default: "Service error"
        }
    }
}
