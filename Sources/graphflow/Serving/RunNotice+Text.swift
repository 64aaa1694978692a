extension RunNotice {
    /// The line on standard error.
    var text: String {
        func line(_ words: String, _ limit: Int = 1_000) -> String { PlainText.line(words, limit: limit) }
        return switch self {
        case .asked(let run, let workflow, let end):
            "the run \(run) of '\(workflow)' waits for approval until \(end.formatted(.iso8601)): graphflow approve \(run)"
        case .expired(let run, let workflow):
            "the run \(run) of '\(workflow)' is cancelled: no one approved it in time"
        case .refused(let run, let refusal):
            "warning: an approval of the run \(run) does not count: \(line(refusal.reason))"
        case .waits(let run, let why): "warning: the run \(run) waits: \(line(why))"
        case .mailFailed(let run, let why):
            "warning: the mail about the run \(run) was not sent, and is tried again: \(line(why, 500))"
        }
    }
}
