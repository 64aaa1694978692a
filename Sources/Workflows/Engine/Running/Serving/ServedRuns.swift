/// Begins the runs of a service, none of them twice, even if the program ends at any moment.
///
/// The name of a run is derived from its trigger, and its folder appears with its input. The trigger is settled
/// afterwards: a service that ended in between finds the run, and does not begin it again.
package struct ServedRuns: Sendable {
    package let runner: Runner
    /// Takes the runs that may only begin when their plans are approved; nil if runs begin at once.
    package var hold: (@Sendable (_ run: String, _ workflow: Workflow) -> Void)?
    /// The suffixes of the names of the runs that existed when the service began.
    private let former: Set<Substring>

    package init(_ runner: Runner) throws(JournalError) {
        var runner = runner
        runner.beginsWithAnyInput = true
        self.runner = runner
        former = Set(try runner.journals?.names.map { $0.suffix(16) } ?? [])
    }

    package func now() -> Date { runner.now() }

    /// The suffix of the name of a run that nothing starts a second time.
    package static func randomSuffix() -> String { String(ULID().description.suffix(16)) }

    /// Begins a run, and returns its output; nil if the run began before, or waits for approval.
    ///
    /// `settle` notes that the run has begun; the note must be durable if the run is not kept.
    /// - Throws: An error if the run could not begin, and can later.
    package func begin(
        _ workflow: Workflow, input: Value, suffix: String, settle: (_ isDurable: Bool) throws -> Void
    ) throws -> Promise<Value>? {
        guard !former.contains(suffix[...]) else {
            try settle(false)
            return nil
        }
        guard let runs = runner.journals else {
            try settle(true)
            return runner.run(workflow, input: input)
        }
        let name = ULID(at: runner.now(), suffix: suffix).description
        let journal = try runner.journal(
            of: workflow, input: input, named: name, isServed: true, needsApproval: hold != nil, in: runs)
        try settle(false)
        if let hold {
            journal.close()
            hold(name, workflow)
            return nil
        }
        // The files of workflows that it runs may have changed since.
        return runner.run(workflow, journal: journal, isValidated: workflow.references.isEmpty)
    }
}
