/// One execution of a workflow.
final class Run: Sendable {
    let workflow: Workflow
    let runner: Runner
    let world: any World
    let id: String
    /// The id of the outermost run around it, or its own.
    let outermost: String
    let startedAt: Date
    let blobs: BlobStore
    /// What it replaces and changes, shared with its inner runs; nil if nothing is kept.
    let before: BeforeImages?
    let files: WorkflowFiles
    /// The journal, shared with its inner runs.
    let journal: RunJournal
    let secrets: SecretVault
    let evaluator: Evaluator
    /// The keys of the mails, shared with the inner runs; nil if nothing looks for them.
    let mailKeys: MailKeys?
    let authorizations = Locked(RunAuthorizations())
    /// The external resources, shared with the outer runs: all their workflows are in one folder.
    let resources: ResourceStore
    /// The schemas that were read from the network, by their places in the workflow.
    let schemas = Locked<[JSONPointer: JSONSchema]>([:])
    /// The workflows in the same folder.
    let library: WorkflowLibrary
    /// The place in the outer run; nil for an outermost run.
    let parent: Event.Parent?
    let depth: Int
    /// The workflows of this run and of the outer ones, each as `namespace/name`.
    private let lineage: Set<String>
    /// The path of the repetitions around an inner run, with the tasks that run it; empty for an outermost run.
    private let path: String
    /// The programs that no task waits for.
    let unattended = Locked<[ChildProcess]>([])
    let innerRuns: InnerRuns
    /// What people call the things whose ids it reads, shared with the inner runs.
    let names: KnownNames
    /// Ends the computations of the run and its inner runs.
    let interrupt: Interrupt
    private let source: Event.Source
    let isResumed: Bool
    private let history: RunHistory
    /// Where its handlers run; nil if that is where it was begun.
    private let place = Locked<Place?>(nil)
    /// Is told once when the run has begun.
    let onBegun = Locked<(@Sendable () -> Void)?>(nil)
    /// Whether events are needed that the run itself does not need.
    private var isRecorded: Bool { isResumed || journal.isKept || history.notifications.needBeginnings }

    init(
        _ workflow: Workflow, by runner: Runner, library: WorkflowLibrary, as identity: RunIdentity? = nil,
        log: RunLog? = nil, resuming replay: JournalReplay? = nil, knowing known: KnownSecrets? = nil,
        assuming assumption: Runner.Assumption? = nil
    ) {
        self.workflow = workflow
        self.runner = runner
        world = runner.world
        self.library = library
        parent = nil
        depth = 0
        lineage = [Self.name(of: workflow)]
        path = ""
        id = identity?.id ?? runner.makeID()
        outermost = id
        let state = replay?.states[id]
        isResumed = state != nil
        startedAt = state?.startedAt ?? identity?.startedAt ?? runner.now()
        source = Event.Source(id, workflow.metadata, nil)
        history = RunHistory(state ?? RunState(), Notifications(to: runner.recorders))
        journal = RunJournal(log, replay, assuming: assumption)
        blobs = log?.blobs ?? BlobStore()
        before = log?.before ?? runner.before
        files = runner.files(of: workflow)
        resources = ResourceStore()
        mailKeys = MailKeys(runner.mailIdentity, of: workflow, since: startedAt, isResumed: isResumed)
        innerRuns = InnerRuns()
        names = world.names ?? KnownNames()
        interrupt = Interrupt(inside: runner.interrupt)
        secrets = SecretVault(
            for: workflow, by: runner,
            sharing: known ?? KnownSecrets(runner.secrets, sealedBy: identity?.sealing ?? SealSource()))
        evaluator = Evaluator(workflow, id: id, startedAt: startedAt, secrets, history, by: runner)
    }

    /// Creates the run that a task of another run performs, or resumes the one with the `id`.
    ///
    /// `interrupt` ends the computations of a task that waits for the run.
    init(
        _ workflow: Workflow, by runner: Runner, inside outer: Run, at task: TaskExecution,
        until interrupt: Interrupt?, resuming id: String? = nil
    ) {
        self.workflow = workflow
        self.runner = runner
        world = runner.world
        // A function from the network has no folder, and sees nothing that was read from this one.
        let isBeside = workflow.folder != nil || outer.workflow.folder == nil
        library = isBeside ? outer.library : WorkflowLibrary(of: workflow)
        parent = Event.Parent(run: outer.id, task: task.task, occurrence: task.occurrence)
        depth = outer.depth + 1
        lineage = outer.lineage.union([Self.name(of: workflow)])
        path =
            outer.path(to: task.occurrence).isEmpty
            ? Self.relation(to: task.task) : outer.path(to: task.occurrence) + "/" + Self.relation(to: task.task)
        self.id = id ?? runner.makeID()
        outermost = outer.outermost
        let state = id.flatMap { outer.journal.replay?.states[$0] }
        isResumed = state != nil
        startedAt = state?.startedAt ?? runner.now()
        source = Event.Source(self.id, workflow.metadata, parent)
        history = RunHistory(state ?? RunState(), outer.history.notifications)
        journal = outer.journal
        blobs = outer.blobs
        before = outer.before
        files = runner.files(of: workflow)
        resources = isBeside ? outer.resources : ResourceStore()
        mailKeys = outer.mailKeys
        innerRuns = InnerRuns(inside: outer.innerRuns)
        names = outer.names
        self.interrupt = Interrupt(inside: interrupt ?? outer.interrupt)
        secrets = SecretVault(for: workflow, by: runner, sharing: outer.secrets.known)
        evaluator = Evaluator(workflow, id: self.id, startedAt: startedAt, secrets, history, by: runner)
    }

    /// The part of a path for a task that runs another workflow.
    static func relation(to task: JSONPointer) -> String {
        "run:" + task.description.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// The path of all repetitions around a place of this run, in the outer runs as well.
    func path(to occurrence: String) -> String {
        path.isEmpty || occurrence.isEmpty ? path + occurrence : path + "/" + occurrence
    }

    /// Whether running the workflow inside this run would be a recursion.
    func isInside(_ workflow: Workflow) -> Bool { lineage.contains(Self.name(of: workflow)) }

    private static func name(of workflow: Workflow) -> String {
        workflow.metadata.namespace + "/" + workflow.metadata.name
    }

    var state: RunState { history.read { $0 } }

    var performer: any TaskPerformer { world.performer(of: self) }

    /// What the journal knows of a task; nil if the run is not resumed or the task had not been created.
    func memory(of task: TaskExecution) -> RunState.Frame? {
        isResumed ? history.read { $0.frame(of: task) } : nil
    }

    /// Performs the run at its own place, where its handlers run alongside those of other runs.
    func performAlongside(_ input: Value) -> Promise<Value> {
        guard !runner.isSerial, !RandomOrder.isOn else { return perform(input) }
        let place = Place()
        self.place.withLock { $0 = place }
        // At once if an event may follow the caller's next line, or if no other handlers are delayed by it.
        let isAtOnce = listens || !Place.isCallers
        guard isAtOnce else { return place.perform { self.perform(input) } }
        if let begun = place.enter({ self.perform(input) }) { return begun }
        self.place.withLock { $0 = nil }
        return perform(input)
    }

    /// Calls a body where the run's handlers run.
    func whereItRuns(_ body: @escaping @Sendable () -> Void) {
        guard let place = place.withLock({ $0 }) else { return body() }
        place.perform { Guarantee.value(body()) }.cauterize()
    }

    /// Performs the workflow, or the rest of it if the run is resumed.
    func perform(_ input: Value) -> Promise<Value> {
        let input = state.start?.input ?? workflow.input.filled(input)
        let scope = Scope(
            evaluator, workflowInput: input, reader: EventReader(from: firstEvent), interrupt: interrupt)
        return firstly { () throws -> Promise<Outcome> in
            guard let reading = try read(workflow.ownSchemas, input: input, scope: scope) else {
                return try performTasks(input, scope)
            }
            return reading.then { try self.performTasks(input, scope) }
        }.map { outcome -> Value in
            let scope = scope.following(outcome)
            let transformed = try scope.transform(self.workflow.output.as, outcome.value)
            try self.check(transformed, against: self.workflow.output.schema, as: "the workflow's output", scope)
            return transformed
        }.get { self.record(.workflowCompleted(output: $0)) }
            // The run around this one gets the secrets as well.
            .map { self.parent == nil ? self.secrets.conceal($0) : $0 }
            .recover { error -> Promise<Value> in
                var error = WorkflowError(error, at: .root)
                error.context = nil
                self.record(error.cause is ComputationInterrupted ? .workflowCancelled : .workflowFaulted(error))
                throw self.parent == nil ? self.secrets.known.conceal(error) : error
            }.onCancel { self.endWork() }
            .ensure { self.disconnect() }
    }

    /// Starts or resumes the workflow, and performs its tasks until all of them and all inner runs have ended.
    private func performTasks(_ input: Value, _ scope: Scope) throws -> Promise<Outcome> {
        let transformed: Value
        var context: Value?
        if let start = state.start {
            (transformed, context) = (start.data, state.context)
            scope.reader.read(state.frame(of: .run)?.positions ?? [])
            resumeLeftRuns()
        } else {
            // A schema on the network cannot be checked before the run, and no one can correct an event.
            if workflow.input.schema?.resource != nil || runner.beginsWithAnyInput && parent == nil {
                try check(input, against: workflow.input.schema, as: "the input", scope)
            }
            transformed = try scope.transform(workflow.input.from, input)
            record(.workflowStarted(input: input, context: transformed), at: startedAt)
        }
        connect()
        onBegun.take()?()
        let scope = world.scope(scope, with: context ?? transformed)
        return try within(workflow.timeout, since: isResumed ? limitsBeginAt : nil, input: transformed, scope: scope) {
            scope in
            performer.perform(workflow.tasks, input: transformed, scope: scope)
                .map { self.performer.output($0, of: scope) }
                .ensureThat { self.innerRuns.endOfLeft }
                .onCancel { self.endUnattended() }
        }
    }

    private var limitsBeginAt: Date { max(startedAt, state.frame(of: .run)?.renewedAt ?? startedAt) }

    private func endWork() {
        // A run with a journal can be resumed.
        guard parent != nil || !journal.isKept else { return finishSuspension() }
        recordInterruption(inside: .run)
        record(.workflowCancelled)
        // Requested last: no end of a task may be recorded before.
        interrupt.request()
    }

    /// Records that every active task inside another one is cancelled, from the innermost outwards.
    func recordInterruption(inside place: TaskExecution, includingItself: Bool = false) {
        for task in state.active(inside: place).reversed() where includingItself || task != place {
            record(.taskCancelled(task.task), task.occurrence)
        }
    }

    /// Records an event: appends it to the journal, applies it to the state, notifies recorders.
    ///
    /// After the end of a run nothing more is recorded.
    func record(_ kind: Event.Kind, _ occurrence: String = "", at time: Date? = nil) {
        if isRecorded || !kind.isForOthersOnly { record(occurrence, at: time) { _ in kind } }
    }

    /// Records an event that has its own number.
    func record(_ occurrence: String, at time: Date? = nil, _ kind: (_ number: Int) -> Event.Kind) {
        guard world.keepsEvents else { return }
        let time = time ?? runner.now()
        let mustNotify = journal.append(to: history, concealing: secrets.known) { number in
            Event(number: number, of: source, time: time, kind: kind(number), occurrence: occurrence)
        }
        if mustNotify { history.notifications.send() }
    }

    /// Makes all events safe from a power failure, before an effect depends on them.
    func commit() -> Promise<Void> { journal.commit(isConcurrent: innerRuns.countOfAll > 1) }

    func isActive(_ task: TaskExecution) -> Bool { history.read { $0.isActive(task) } }

    /// The active calls inside a task whose effects must happen once.
    func unsettledCalls(in task: TaskExecution) -> [TaskExecution] { history.read { $0.unsettled(inside: task) } }

    private func endUnattended() {
        for process in unattended.withLock({ $0 }) { runner.processes.end(process) }
        innerRuns.cancelLeft()
    }
}
