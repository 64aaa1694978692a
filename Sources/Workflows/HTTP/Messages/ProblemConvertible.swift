/// An error that can be represented as problem details (RFC 7807), the form in which a workflow sees errors.
public protocol ProblemConvertible: Error {
    /// The members `type`, `status`, `title` and `detail`, and any others.
    ///
    /// There is no `instance`: only a run knows which task failed.
    var problem: Object { get }
}

/// The types of the standard's errors, which a workflow's `catch` compares.
package enum ProblemType: String, Sendable {
    /// A task's configuration is wrong.
    case validation
    /// No account is signed in.
    case authentication
    /// A permission is missing.
    case authorization
    /// No response was received in time.
    case timeout
    /// Communication with a service failed.
    case communication
    /// Any other error in a run.
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
