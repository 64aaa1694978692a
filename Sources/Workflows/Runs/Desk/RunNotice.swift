/// What happens to the runs of a service or of agents, for the people who look after them.
package enum RunNotice: Sendable {
    /// People were asked to approve a run's plan.
    case asked(run: String, workflow: String, until: Date)
    /// It was cancelled, because no one approved it in time.
    case expired(run: String, workflow: String)
    /// An approval of it does not count.
    case refused(run: String, why: ApprovalRefusal)
    /// Why it still waits, other than for people.
    case waits(run: String, why: String)
    /// The mail about it was not sent, and is tried again.
    case mailFailed(run: String, why: String)

    /// An agent planned a run, which waits for approval.
    case planned(run: String, workflow: String, EffectTotals)
    /// A run of an agent's plan ended with an error.
    case ended(run: String, why: any Error)
    /// A run of an agent's plan continues in another process, because this one ends.
    case handedOver(run: String)
    /// It does not, and a person has to continue it.
    case interrupted(run: String)

    /// An event that a run emitted is not kept, and so starts no other run.
    case notTaken(Inbox.Refusal)
    /// Events that were accepted before cannot be delivered.
    case waiting(any Error)
    /// So many events wait for a workflow that is not served.
    case unserved(workflow: String, count: Int)
    /// So many runs did not end in time.
    case givenUp(count: Int, after: Duration)

    /// So many interrupted runs continue.
    case continuing(count: Int)
    /// So many do not, because their sandbox has ended.
    case lost(count: Int)
    /// So many wait for an approval that this service does not look for.
    case unheld(count: Int)
    /// A run does not continue by itself.
    case stays(run: String, why: RunObstacle)
    /// A run could not be continued.
    case notContinued(run: String, why: any Error)

    /// What a service can do only after another start.
    package enum Ability: Sendable { case receiveEvents, followChanges }

    /// A changed workflow file is served from now on.
    case readAnew(file: String)
    /// The last valid version of a file is served.
    case notRead(file: String, why: any Error)
    case needsStart(file: String, to: Ability)
    case failed(any Error)
    /// The next run of a workflow cannot begin yet.
    case nextWaits(workflow: String, why: any Error)
    /// It did not begin, because an earlier one still waits for its turn.
    case skipped(workflow: String)
    /// It is not kept up to when a schedule was followed.
    case notRecorded(workflow: String, why: any Error)

    /// Of the changes of a source.
    case changes(of: String, ChangeFeed.Report)
    case subscription(ChangeHook.Report)
    /// The changes of a source, with the workflow, that another process followed before.
    case followedHere(String)
    case notFollowed(String, why: any Error)
}
