extension Runner {
    /// Creates the journal of a run that this runner will perform.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - input: The workflow's input.
    ///   - runs: The folder of runs.
    public func journal(
        of workflow: Workflow, input: Value = [:], in runs: RunsFolder
    ) throws(JournalError) -> Journal {
        try journal(of: workflow, input: input, named: makeID(), isServed: false, in: runs)
    }

    /// Creates the journal of a run with a name; `isServed` if a service begins the run.
    package func journal(
        of workflow: Workflow, input: Value, named name: String, isServed: Bool, needsApproval: Bool = false,
        in runs: RunsFolder
    ) throws(JournalError) -> Journal {
        let text = workflow.document.text
        var header = Journal.Header(
            run: name, workflow: workflow.metadata, file: workflow.file?.path(percentEncoded: false),
            digest: Journal.Header.digest(of: text), input: input, startedAt: now(),
            graphURL: (try? graph.baseURL)?.absoluteString, isSandboxed: isSandboxed)
        header.isServed = isServed
        header.needsApproval = needsApproval
        header.isOfAgent = isOfAgent
        header.access = access
        let known = secrets(of: workflow, sealedBy: SealSource(file: runs.keyFile))
        let sealed: Journal.Header
        let plan: Blob?
        try known.prepare()
        do {
            plan = try keptPlan?.blob(of: name, known)
            header.plan = plan?.hash
            header.approvals = approvals?.values ?? []
            sealed = try known.seal(header)
        } catch {
            throw JournalError(.failed, "the input or the plan of the run \(header.run) cannot be kept: \(error)")
        }
        return try Journal.begin(sealed, text: text, keeping: plan.map { [$0] } ?? [], in: runs)
    }

    /// The secrets that a workflow names.
    func secrets(of workflow: Workflow, sealedBy source: SealSource) -> KnownSecrets {
        let known = KnownSecrets(secrets, sealedBy: source)
        _ = world.secrets(of: workflow, from: secrets, known)
        return known
    }

    /// The input in a journal's first line, with the secrets in it.
    package func input(of journal: Journal) throws -> Value {
        try KnownSecrets(secrets, sealedBy: journal.sealing).input(of: journal.header)
    }

    /// Runs a workflow and records its events; the run can be resumed.
    ///
    /// Cancelling the promise suspends the run.
    /// - Parameters:
    ///   - workflow: The workflow to run.
    ///   - journal: A new journal, which contains the workflow's input.
    /// - Returns: The workflow's output; rejected like ``run(_:input:)``, with ``RunSuspended`` if ``suspension``
    ///   interrupted the run, and with ``JournalError`` if the journal cannot be written.
    public func run(_ workflow: Workflow, journal: Journal) -> Promise<Value> {
        run(workflow, journal: journal, isValidated: false)
    }

    /// Runs a workflow and records its events; a validated workflow must not run other ones.
    func run(_ workflow: Workflow, journal: Journal, isValidated: Bool) -> Promise<Value> {
        let library = WorkflowLibrary(of: workflow)
        let input: Value
        do {
            input = try self.input(of: journal)
        } catch {
            return Promise(error: error)
        }
        let diagnostics =
            isValidated
            ? []
            : workflow.validate(with: catalog, library) + problems(of: input, for: workflow)
                + obstacles(to: workflow, library)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            return Promise(error: InvalidWorkflow(diagnostics: diagnostics))
        }
        let run = Run(workflow, by: self, library: library, as: RunIdentity(journal), log: RunLog(journal))
        return perform(run, input)
    }

    func run(_ workflow: Workflow, input: Value, keptIn runs: RunsFolder) -> Promise<Value> {
        let library = WorkflowLibrary(of: workflow)
        let problems =
            workflow.validate(with: catalog, library) + self.problems(of: input, for: workflow)
            + obstacles(to: workflow, library)
        guard !problems.contains(where: { $0.severity == .error }) else {
            return Promise(error: InvalidWorkflow(diagnostics: problems))
        }
        return firstly { () throws -> Promise<Value> in
            let name = makeID()
            let reservation = try approvals?.reserve(for: name, in: runs)
            let journal: Journal
            do {
                journal = try self.journal(of: workflow, input: input, named: name, isServed: false, in: runs)
            } catch {
                reservation?.giveUp()
                throw error
            }
            try reservation?.complete()
            return run(workflow, journal: journal, isValidated: workflow.references.isEmpty)
        }
    }

    /// Resumes a run that was interrupted, that faulted or that was cancelled.
    ///
    /// Tasks and waits that had ended are not repeated. The task that failed is performed again, with all its retries.
    /// An interrupted effect is repeated if that is safe; otherwise it is looked up, or the user is asked.
    /// - Parameters:
    ///   - workflow: The workflow, unchanged or with accepted changes.
    ///   - journal: The run's journal.
    ///   - events: The events in it.
    ///   - changes: The accepted changes of the workflow; nil for none.
    ///   - place: The execution from which everything is performed again; nil to continue where the run ended.
    ///   - assumption: The user's answer about effects whose outcome is unknown; nil for none.
    ///   - approved: The plan that was approved for the rest of the run; nil for the run's own plan, if it has one.
    /// - Returns: The workflow's output; rejected like ``run(_:journal:)``, with ``UnsettledEffects`` if the user must
    ///   state what happened, and with ``PlanMismatch`` if the run would not be as its plan says.
    public func resume(
        _ workflow: Workflow, _ journal: Journal, from events: [Event], accepting changes: WorkflowChanges? = nil,
        beginningAt place: Event.Parent? = nil, assuming assumption: Assumption? = nil,
        as approved: ApprovedPlan? = nil
    ) -> Promise<Value> {
        let resumption = Event.Resumption(changes, from: place)
        if let refusal = Self.refusal(of: workflow, journal.header) { return Promise(error: refusal) }
        let name = journal.header.run
        let isApproved =
            approved == nil ? !journal.approvals(after: events).isEmpty : approvals?.values.isEmpty == false
        guard !journal.header.needsApproval || isApproved else {
            return Promise(
                error: ApprovalRefusal(
                    events.isEmpty
                        ? "the run \(name) may only begin when its plan is approved"
                        : "the run \(name) was not approved",
                    hint: events.isEmpty ? "graphflow approve \(name)" : nil))
        }
        let input: Value
        do {
            input = try self.input(of: journal)
        } catch {
            return Promise(error: error)
        }
        let runner: Promise<Runner>
        do {
            runner = try going(on: journal.header).keeping(
                to: approved, workflow, input: input, journal, after: events, resumption)
        } catch {
            return Promise(error: error)
        }
        return runner.then { runner in
            var (resumption, log) = (resumption, RunLog(journal))
            if approved != nil {
                resumption.plan = try runner.keep(in: journal)
                try runner.approvals?.reserve(for: name, in: nil).complete()
                resumption.approvals = runner.approvals?.values ?? []
                // Until the journal has the approvals, a process that is killed leaves them for the next one.
                let append = log.append
                log.append = { event throws in
                    let record = try append(event)
                    guard case .workflowResumed = event.event.kind else { return record }
                    try journal.flush()
                    journal.approvals.settle(ApprovalRequest.plan)
                    return record
                }
            }
            return runner.resume(
                workflow, as: RunIdentity(journal), input: input, from: events, log: log, resumption,
                assuming: assumption)
        }
    }

    /// Why runs of a workflow with this journal cannot be continued; nil if they can.
    static func refusal(of workflow: Workflow, _ header: Journal.Header) -> JournalError? {
        guard header.version < 2, workflow.usesCredentials else { return nil }
        return JournalError(
            .refused,
            "the journal of the run \(header.run) has version \(header.version), which kept secrets in another way",
            hint: "resume it with the version of graphflow that made it, or run the workflow again")
    }

    /// A runner that follows an approved plan, or else the plan of the run that it resumes.
    private func keeping(
        to approved: ApprovedPlan?, _ workflow: Workflow, input: Value, _ journal: Journal, after events: [Event],
        _ resumption: Event.Resumption
    ) throws -> Promise<Runner> {
        if let approved { return keeping(to: approved, workflow, input: input) }
        guard let hash = journal.plan(after: events) else { return .value(self) }
        guard resumption.digest == nil, resumption.from == nil else {
            throw PlanMismatch([
                "the run \(journal.header.run) keeps to an approved plan, which allows neither changes of the workflow "
                    + "nor tasks that are performed again: approve a new plan, and add '--plan FILE'"
            ])
        }
        let known = KnownSecrets(secrets, sealedBy: journal.sealing)
        let kept = try KeptPlan(hash, of: journal.header.run, in: journal.blobs, known)
        var runner = self
        // A resumed run repeats the notifications that were approved.
        if notifications.isEmpty { runner.notifications = kept.approved.notifications }
        return runner.keeping(to: kept.approved, workflow, input: input, reading: kept.reads)
    }

    /// Keeps the plan with a run that has begun; returns the plan's hash.
    private func keep(in journal: Journal) throws -> String? {
        let known = KnownSecrets(secrets, sealedBy: journal.sealing)
        guard let blob = try keptPlan?.blob(of: journal.header.run, known) else { return nil }
        journal.blobs.keep(blob)
        if let failure = journal.blobs.failure {
            throw JournalError(failure, "the plan of the run \(journal.header.run) cannot be kept")
        }
        return blob.hash
    }
}

extension Workflow {
    package var usesCredentials: Bool {
        ([self] + WorkflowLibrary(of: self).workflows(reachableFrom: self)).contains { workflow in
            !workflow.components.secrets.isEmpty || !workflow.components.authentications.isEmpty
                || !WorkflowOutline(workflow).authentications.isEmpty
        }
    }
}

/// The identity of a run, which it keeps in another process.
struct RunIdentity: Sendable {
    var id: String
    var startedAt: Date
    /// What seals the secrets in the journal.
    var sealing: SealSource
}

extension RunIdentity {
    init(_ journal: Journal) {
        self.init(id: journal.header.run, startedAt: journal.header.startedAt, sealing: journal.sealing)
    }
}

/// Writes the events of a run before anything that depends on them happens.
struct RunLog: Sendable {
    /// Appends an event, and returns its record as JSON if that was written.
    var append: @Sendable (SearchedEvent) throws -> [UInt8]?
    /// Makes all events safe from a power failure.
    var flush: @Sendable () throws -> Void
    /// The same with one flush for all that wait for it; nil to flush for each of them.
    var flushTogether: (@Sendable () -> Promise<Void>)?
    /// Whether other runs have the same journal.
    var isShared = false
    var finish: @Sendable (Value) throws -> Void
    /// Lets others continue the run, because it has ended here.
    var close: @Sendable () -> Void
    var blobs: BlobStore
    /// What the run replaces and changes; nil to keep it in memory.
    var before: BeforeImages?
    /// Where the run's questions to people wait for their answers; nil if no one can answer.
    var approvals: ApprovalRequests?
}

extension RunLog {
    /// Creates the log of a plan, which reads what a run keeps and writes nothing.
    init(reading blobs: BlobStore) {
        self.init(
            append: { _ in nil }, flush: {}, finish: { _ in }, close: {}, blobs: BlobStore(reading: blobs))
    }

    init(_ journal: Journal) {
        self.init(
            append: { searched throws in
                try journal.append(searched, searched.event.kind.canBeRepeated ? .later : .atOnce)
            },
            flush: { try journal.flush() },
            finish: { output throws in try journal.finish(output: output) }, close: { journal.close() },
            blobs: journal.blobs, before: journal.before, approvals: journal.approvals)
        flushTogether = { journal.flushed() }
    }

    init(sharing journal: Journal) {
        self.init(journal)
        // The runs of a batch share one queue: writing there would delay all of them.
        let writer = Locked(EventWriter())
        append = { searched throws in
            try journal.append(searched, searched.event.kind.canBeRepeated ? .later : .soon, by: writer)
        }
        isShared = true
        close = {}
    }
}
