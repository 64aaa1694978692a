/// An error that can be represented as problem details (RFC 7807), the form in which a workflow sees errors.
public protocol ProblemConvertible: Error {
    /// The members `type`, `status`, `title` and `detail`, and any others.
    ///
    /// There is no `instance`: only a run knows which task failed.
    var problem: Object { get }
}

package enum ProblemType: String, Sendable {
    case validation
    case authentication
    case authorization
    case timeout
    case communication
    case runtime
    /// An effect that must not happen twice may have happened.
    case unknownOutcome

    package var uri: String {
        switch self {
        case .unknownOutcome: "urn:graphflow:error:unknown-outcome"
        default: "https://serverlessworkflow.io/spec/1.0.0/errors/\(rawValue)"
        }
    }
}
