/// An error that can be told as RFC 7807 has it, which is how a workflow sees errors.
public protocol ProblemConvertible: Error {
    /// The members `type`, `status`, `title` and `detail`, and what else is known.
    ///
    /// There is no `instance`: only a run knows which task failed.
    var problem: Object { get }
}

/// The types of the standard's errors, which a workflow's `catch` compares with.
package enum ProblemType: String, Sendable {
    /// Something is wrong with what a task was given.
    case validation
    /// Nobody is signed in.
    case authentication
    /// A permission is missing.
    case authorization
    /// No answer came in time.
    case timeout
    /// Talking to a service failed.
    case communication
    /// Everything else that goes wrong in a run.
    case runtime
    /// An effect that must not happen twice may have happened.
    case unknownOutcome

    /// The type as an error's `type` has it.
    package var uri: String {
        switch self {
        case .unknownOutcome: "urn:graphflow:error:unknown-outcome"
        default: "https://serverlessworkflow.io/spec/1.0.0/errors/\(rawValue)"
        }
    }
}
