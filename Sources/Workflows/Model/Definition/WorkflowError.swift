/// An error of a run as the standard describes it: the problem details of RFC 7807.
public struct WorkflowError: Error, Sendable {
    /// The members `type`, `status`, `title`, `detail` and `instance`.
    ///
    /// Errors of Graph also have `code`, `requestId` and `clientRequestId`.
    public var members: Object
    /// What caused it; nil for an error that the workflow itself raised.
    public var cause: (any Error)?
    /// Where in the run it happened; nil for an error outside an active run.
    package var place: Place?
    /// The context where it was raised; nil in a run, and before a task of a plan has it.
    package var context: Value?

    /// Creates an error from its members.
    public init(_ members: Object, cause: (any Error)? = nil) {
        self.members = members
        self.cause = cause
    }

    /// Creates an error of one of the kinds that the standard defines.
    public init(
        _ kind: Kind, status: Int? = nil, title: String? = nil, detail: String, instance: JSONPointer? = nil,
        cause: (any Error)? = nil
    ) {
        var members: Object = [
            "type": .string(kind.type), "status": .integer(status ?? kind.status),
            "title": .string(title ?? kind.title), "detail": .string(detail),
        ]
        if let instance { members["instance"] = .string(instance.description) }
        self.init(members, cause: cause)
    }

    /// The kind of error, as a URI.
    public var type: String { members["type"]?.string ?? "about:blank" }
    /// The HTTP status code.
    public var status: Int { members["status"]?.integer ?? 500 }
    /// A short summary of the kind of error.
    public var title: String? { members["title"]?.string }
    /// What happened this time.
    public var detail: String? { members["detail"]?.string }
    package var reason: String { detail ?? title ?? type }
    /// The task in which it happened, as a JSON Pointer.
    public var instance: String? { members["instance"]?.string }

    /// The kinds of errors that the standard defines, and those of graphflow.
    public enum Kind: String, Sendable, CaseIterable {
        /// The workflow or its environment is set up wrongly.
        case configuration
        /// Data does not match its schema.
        case validation
        /// An expression could not be evaluated.
        case expression
        /// No account is signed in, or the sign-in was refused.
        case authentication
        /// A permission is missing.
        case authorization
        /// Something took longer than allowed.
        case timeout
        /// A service could not be reached, or answered with an error.
        case communication
        /// Anything else.
        case runtime
        /// It is unknown whether an effect that must happen once has happened.
        case unknownOutcome = "unknown-outcome"
        /// The run was cancelled.
        case cancelled

        /// The kind as a URI.
        public var type: String {
            switch self {
            case .unknownOutcome, .cancelled: "urn:graphflow:error:\(rawValue)"
            default: Self.prefixes[0] + rawValue
            }
        }

        /// The prefixes of the standard's types so far; errors are raised with the first.
        static let prefixes = [
            "https://serverlessworkflow.io/spec/1.0.0/errors/", "https://serverlessworkflow.io/dsl/errors/types/",
            "https://open-workflow-specification.org/spec/1.0.0/errors/",
            "https://open-workflow-specification.org/dsl/errors/types/",
        ]

        /// The kind that a type names, under any of the standard's prefixes; nil for any other type.
        package init?(type: String) {
            if let kind = Self.allCases.first(where: { $0.type == type }) {
                self = kind
                return
            }
            let names = Self.prefixes.filter(type.hasPrefix).map { String(type.dropFirst($0.count)) }
            guard let kind = names.compactMap(Self.init(rawValue:)).first, kind.type.hasPrefix(Self.prefixes[0]) else {
                return nil
            }
            self = kind
        }

        var status: Int {
            switch self {
            case .configuration, .validation, .expression: 400
            case .authentication: 401
            case .authorization: 403
            case .timeout: 408
            case .communication, .runtime, .unknownOutcome: 500
            case .cancelled: 499
            }
        }

        var title: String {
            switch self {
            case .configuration: "Configuration error"
            case .validation: "Validation error"
            case .expression: "Expression error"
            case .authentication: "Not signed in"
            case .authorization: "Permission missing"
            case .timeout: "Timeout"
            case .communication: "Communication error"
            case .runtime: "Runtime error"
            case .unknownOutcome: "Unknown outcome"
            case .cancelled: "Cancelled"
            }
        }
    }

    /// Whether this is an error of that kind.
    public func `is`(_ kind: Kind) -> Bool { type == kind.type }

    /// Where in a run an error happened, for people.
    package struct Place: Sendable {
        /// The execution of the task, with the path through the runs around it.
        package var execution: TaskExecution?
        package var expression: String?
        /// The rounds of the loops around the task, from the outermost inwards, without secrets.
        package var rounds: [String] = []

        package init(execution: TaskExecution? = nil, expression: String? = nil) {
            (self.execution, self.expression) = (execution, expression)
        }
    }
}

extension WorkflowError: CustomStringConvertible {
    /// The title, status and detail in one line.
    public var description: String {
        let head = "\(title ?? type) (\(status))"
        return detail.map { "\(head): \($0)" } ?? head
    }
}
