extension RunNotice {
    /// What happens, in a line.
    package var text: String {
        func line(_ words: Any, _ limit: Int = 1_000) -> String { PlainText.line("\(words)", limit: limit) }
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
        case .planned(let run, let workflow, let totals):
            "an agent planned '\(workflow)' (\(totals.words)): graphflow approve \(run)"
        case .ended(let run, let error): "the run \(run) ended: \(line(error))"
        case .handedOver(let run): "the run \(run) continues: graphflow show \(run)"
        case .interrupted(let run): "warning: the run \(run) was interrupted: graphflow resume \(run)"
        case .notTaken(let error): "warning: an emitted event cannot start a run: \(line(error))"
        case .waiting(let error): "warning: \(line(error))"
        case .unserved(let workflow, let count):
            "warning: \(count) events are kept for up to 7 days for '\(line(workflow, 200))', which is not served"
        case .givenUp(let count, let grace):
            "warning: \(count) runs did not reach a point where they can be resumed within "
                + "\(grace.components.seconds)s; they are interrupted as if the program had been killed"
        case .continuing(let count): "interrupted runs that continue: \(count)"
        case .lost(let count): "warning: \(count) interrupted runs do not continue, because their sandbox has ended"
        case .unheld(let count): "warning: \(count) runs wait for an approval: '--require-approval' looks for it"
        case .stays(let run, let obstacle):
            "warning: the run \(run) does not continue by itself: \(line(obstacle.words(toResume: run)))"
        case .notContinued(let run, let error):
            "warning: the run \(run) does not continue \(error.isOfDisk ? "yet" : "by itself"): \(line(error, 500))"
        case .readAnew(let file): "\(file): read anew"
        case .notRead(let file, _), .needsStart(let file, _): "warning: \(file): the last valid version is kept"
        case .failed(let error): line(error)
        case .nextWaits(let workflow, let error):
            "warning: the next run of '\(workflow)' waits: \(line(error, 500))"
        case .skipped(let workflow):
            "warning: a run of '\(workflow)' is skipped, because an earlier one still waits for its turn"
        case .notRecorded(let workflow, let error):
            "warning: the run of '\(workflow)' cannot be recorded: \(error)"
        case .changes(let resource, let report): Self.text("changes of \(line(resource, 200))", report)
        case .subscription(.subscribed(let resource, let end)):
            "changes of \(line(resource, 200)): subscribed until \(end.iso8601)"
        case .subscription(.failed(let resource, let error, let pause)):
            "warning: changes of \(line(resource, 200)): no subscription, tried again in \(pause.text); they are read "
                + "at their interval: \(line(error, 500))"
        case .followedHere(let source): "the changes of \(source) are followed from here now"
        case .notFollowed(let source, let error):
            "warning: the changes of \(source) are not followed, which is tried again: \(line(error, 500))"
        }
    }

    private static func text(_ what: String, _ report: ChangeFeed.Report) -> String {
        switch report {
        case .first(let count): "\(what): followed from now on; there are \(count) items"
        case .changes(let count): "\(what): \(count)"
        case .compared(let count):
            "\(what): the cursor had expired; all items were read and compared, \(count) had changed"
        case .waiting(let time, let error):
            "warning: \(what): asked again in \(time.text): \(PlainText.line("\(error)", limit: 500))"
        case .recovered: "\(what): read again"
        case .stopped(let reason):
            "warning: \(what) are no longer followed: \(PlainText.line(reason, limit: 500)); SIGHUP or a new start "
                + "follows them again"
        }
    }
}

extension Duration {
    /// The duration for people: `12 ms`, `1.4 s`, `2 min 5 s`, `3 h 20 min`, `2 d 5 h`.
    package var text: String {
        if seconds < 1 { return "\(Int((seconds * 1_000).rounded())) ms" }
        if seconds < 60 { return "\((seconds * 10).rounded() / 10) s" }
        if seconds < 3_600 { return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s" }
        if seconds < 86_400 { return "\(Int(seconds) / 3_600) h \(Int(seconds) / 60 % 60) min" }
        return "\(Int(seconds) / 86_400) d \(Int(seconds) / 3_600 % 24) h"
    }
}

extension Error {
    /// Whether a file of a run could not be written, which may become possible.
    package var isOfDisk: Bool { (self as? JournalError)?.code == .failed }
}
