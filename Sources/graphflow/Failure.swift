import Foundation
import Workflows

/// Any error as the program reports it: the one place that turns errors into text and exit statuses.
struct Failure {
    /// The status that the program ends with.
    let status: ExitStatus
    private let diagnostics: [Diagnostic]
    private let headline: String?
    private let details: [String]

    init(_ error: any Error) {
        switch error {
        case let error as InvalidWorkflow:
            (status, diagnostics, headline, details) = (.invalid, error.diagnostics, nil, [])
        case let error as ReadingError:
            (status, diagnostics, headline, details) = (.invalid, error.diagnostics, nil, [])
        case let error as UsageError:
            (status, diagnostics, headline, details) = (.usage, [], error.message, error.hint.map { [$0] } ?? [])
        case let error as MissingSecrets:
            (status, diagnostics, headline, details) = (.signInRequired, [], error.headline, error.details)
        case let error as PlanMismatch:
            (status, diagnostics) = (.invalid, [])
            headline = "the run would not do what was approved, and nothing was done:"
            details = error.differences.map { PlainText.line($0, limit: 2_000) }
        case let error as EvaluationFailure:
            (status, diagnostics, headline, details) = (.faulted, [], error.message, [])
        case let error as CredentialError:
            status = Self.status(of: GraphError(error)?.code ?? .signInRequired)
            diagnostics = []
            headline = PlainText.line(error.message, limit: 8_000)
            details = Self.details(of: error)
        case let error as RunFailure:
            status = Self.status(of: error.error)
            diagnostics = [error.diagnostic]
            headline = nil
            details = Self.details(of: error.error)
        default:
            let graphError = GraphError(error)
            // What is refused outside a run is refused before one: an address that is wrong, for example.
            status = graphError.map { $0.code == .invalidInput ? .invalid : Self.status(of: $0.code) } ?? .faulted
            diagnostics = []
            headline = PlainText.line(graphError?.message ?? "\(error)", limit: 2_000)
            details = graphError?.hint.map { [$0] } ?? []
        }
    }

    /// The report, for standard error.
    func text(colour: Bool) -> String {
        let mark = colour ? "\u{1B}[1;31merror:\u{1B}[0m" : "error:"
        let lines = diagnostics.map { $0.text(colour: colour) } + (headline.map { ["\(mark) \($0)"] } ?? [])
        return (lines + details.map { "  \($0)" }).joined(separator: "\n")
    }

    private static func status(of error: WorkflowError) -> ExitStatus {
        if error.is(.unknownOutcome) { return .unknownOutcome }
        guard let cause = error.cause.flatMap({ GraphError($0) }) else { return .faulted }
        return status(of: cause.code)
    }

    private static func status(of code: GraphError.Code) -> ExitStatus {
        switch code {
        case .unknownOutcome: .unknownOutcome
        case .signInRequired, .unauthorized, .forbidden: .signInRequired
        default: .faulted
        }
    }

    /// What the sign-in service said, and why each credential that was asked has no token.
    private static func details(of error: CredentialError) -> [String] {
        var lines: [String] = []
        if let message = error.serviceMessage { lines.append("the service said: \(message)") }
        if let id = error.correlationID { lines.append("correlation id: \(id)") }
        return (lines + error.reasons).map { PlainText.line($0, limit: 2_000) }
    }

    /// What a person needs to find the cause, or to ask Microsoft for it.
    private static func details(of error: WorkflowError) -> [String] {
        var lines = ["\(error.title ?? "error") (\(error.status)), \(error.type)"]
        if let instance = error.instance, !instance.isEmpty { lines.append("task: \(instance)") }
        for name in ["code", "requestId", "clientRequestId", "date", "answerDate"] {
            if let value = error.members[name]?.string { lines.append("\(name): \(value)") }
        }
        if let hint = error.cause.flatMap({ GraphError($0)?.hint }), error.detail?.contains(hint) != true {
            lines.append(hint)
        }
        // What a file or a service says is shown, and never obeyed by the terminal.
        return lines.map { PlainText.line($0, limit: 2_000) }
    }
}

/// A run that faulted, with the place in the file where it did.
struct RunFailure: Error {
    let error: WorkflowError
    let diagnostic: Diagnostic

    init(_ error: WorkflowError, of workflow: Workflow) {
        self.error = error
        let task = workflow.allTasks.first { $0.reference.description == error.instance }
        diagnostic = workflow.document.diagnostic(
            id: "fault", error.detail ?? error.title ?? error.type, at: task?.reference ?? .root, part: .key)
    }
}
