/// What happens to runs that wait, for the people who look after them.
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
}
