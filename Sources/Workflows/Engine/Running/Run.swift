import Foundation
import Promises

/// One execution of a workflow.
final class Run: Sendable {
    let workflow: Workflow
    let runner: Runner
    let id: String
    let startedAt: Date
    let blobs: BlobStore
    let files: WorkflowFiles
    /// What the run shares with those inside of it.
    let chronicle: Chronicle
    let secrets: SecretVault
    let authorizations = Locked(RunAuthorizations())
    /// What was read from elsewhere, also by the runs around this one: all of them lie in one folder.
    let resources: ResourceStore
    /// The schemas that were read from the network, by where the workflow names them.
    let schemas = Locked<[JSONPointer: JSONSchema]>([:])
    /// The workflows that lie beside this one.
    let library: WorkflowLibrary
    /// Which run this one is inside of; nil for one that was started by itself.
    let parent: Event.Parent?
    /// How many runs this one is inside of.
    let depth: Int
    /// The programs that were started and that nobody waits for.
    let unattended = Locked<[ChildProcess]>([])
    private let inner = Locked(InnerRuns())
    /// Whether the run goes on from what a journal says.
    let isResumed: Bool
    /// Whether anybody is told what happens, or will be when the run is resumed.
    private var isTold: Bool { isResumed || chronicle.isKept || !runner.recorders.isEmpty }
    private let history: Locked<History>

    /// What happened so far, and which of it the recorders do not know yet.
    private struct History {
        var state: RunState
        var untold: [Event] = []
        var isTelling = false
    }

    /// Runs inside of this one.
    private struct InnerRuns {
        var all: [(run: Run, task: JSONPointer)] = []
        /// Those that no task waits for, with their ends, whatever these are.
        var left: [(run: Run, end: Promise<Void>, cancel: @Sendable () -> Void)] = []
    }

    init(
        _ workflow: Workflow, by runner: Runner, library: WorkflowLibrary, as identity: RunIdentity? = nil,
        log: RunLog? = nil, resuming recollection: Recollection? = nil, assuming assumption: Runner.Assumption? = nil
    ) {
        self.workflow = workflow
        self.runner = runner
        self.library = library
        parent = nil
        depth = 0
        id = identity?.id ?? runner.makeID()
        let state = recollection?.states[id]
        isResumed = state != nil
        startedAt = state?.startedAt ?? identity?.startedAt ?? runner.now()
        history = Locked(History(state: state ?? RunState()))
        chronicle = Chronicle(log, recollection, assuming: assumption)
        blobs = log?.blobs ?? BlobStore()
        files = WorkflowFiles(folder: workflow.folder)
        resources = ResourceStore()
        secrets = SecretVault(
            for: workflow, from: runner.secrets, isPlanning: runner.isPlanning, key: identity?.key)
    }

    /// A run that a task of another one performs.
    /// - Parameter id: The id of the run that is resumed; nil for one that begins.
    init(_ workflow: Workflow, by runner: Runner, inside outer: Run, at task: TaskExecution, resuming id: String? = nil)
    {
        self.workflow = workflow
        self.runner = runner
        library = outer.library
        parent = Event.Parent(run: outer.id, task: task.task, occurrence: task.occurrence)
        depth = outer.depth + 1
        self.id = id ?? runner.makeID()
        let state = id.flatMap { outer.chronicle.recollection?.states[$0] }
        isResumed = state != nil
        startedAt = state?.startedAt ?? runner.now()
        history = Locked(History(state: state ?? RunState()))
        chronicle = outer.chronicle
        blobs = outer.blobs
        files = WorkflowFiles(folder: workflow.folder)
        resources = outer.resources
        secrets = SecretVault(
            for: workflow, from: runner.secrets, isPlanning: runner.isPlanning, inside: outer.secrets, as: id)
    }

    /// Where the run stands.
    var state: RunState { history.withLock { $0.state } }

    /// Whether nothing is done and everything only planned.
    var isPlanning: Bool { runner.isPlanning }

    /// What the tasks so far left for later ones.
    var context: Value { history.withLock { $0.state.context } }

    /// Goes on with another context, as a plan does that follows one way after the other.
    func note(_ context: Value) { history.withLock { $0.state.context = context } }

    /// What a journal says of a performance of a task; nil where the run is not resumed, or its turn had not come.
    func memory(of task: TaskExecution) -> RunState.Frame? {
        isResumed ? history.withLock { $0.state.frame(of: task) } : nil
    }

    /// Performs the workflow from its input to its output, or what is left of it.
    func perform(_ input: Value) -> Promise<Value> {
        let input = state.start?.input ?? input
        let scope = Scope(run: self, workflowInput: input, reader: EventReader(from: firstEvent))
        let begin = { @Sendable () throws -> Promise<Value> in
            let transformed: Value
            if let start = self.state.start {
                transformed = start.data
                scope.reader.read(self.state.frame(of: .run)?.positions ?? [])
                self.resumeLeftRuns()
            } else {
                // One on the network nobody could ask before the run.
                if self.workflow.input.schema?.resource != nil {
                    try self.check(input, against: self.workflow.input.schema, as: "the input")
                }
                transformed = try self.transform(self.workflow.input.from, input, scope)
                self.record(.workflowStarted(input: input, context: transformed), at: self.startedAt)
            }
            self.connect()
            return try self.within(
                self.workflow.timeout, of: .run, since: self.isResumed ? self.startedAt : nil, scope: scope,
                input: transformed
            ) {
                self.perform(self.workflow.tasks, input: transformed, scope: scope).map { self.planned($0.value) }
                    .ensureThat { self.endOfLeftRuns }
                    .onCancel { self.endUnattended() }
            }
        }
        let work = firstly { () throws -> Promise<Value> in
            guard let reading = try read(workflow.ownSchemas, of: .root, input: input, scope: scope) else {
                return try begin()
            }
            return reading.then(begin)
        }.map { output -> Value in
            let transformed = try self.transform(self.workflow.output.as, output, scope)
            try self.check(transformed, against: self.workflow.output.schema, as: "the workflow's output")
            return self.secrets.conceal(transformed)
        }
        return work.get { self.record(.workflowCompleted(output: $0)) }
            .recover { error -> Promise<Value> in
                let error = self.secrets.conceal(WorkflowError(error, at: .root))
                self.record(.workflowFaulted(error))
                throw error
            }.onCancel { self.interrupt() }
            .ensure { self.disconnect() }
    }

    /// Tells that the run ends before it is complete.
    private func interrupt() {
        // What is written down can be gone on from.
        guard parent != nil || !chronicle.isKept else { return finishSuspension() }
        recordInterruption(inside: .run)
        record(.workflowCancelled)
    }

    /// Tells of every task at work inside another one that it is cancelled, from the innermost outwards.
    /// - Parameters:
    ///   - place: The task, or the run for all of them.
    ///   - includingItself: Whether that task is cancelled as well.
    func recordInterruption(inside place: TaskExecution, includingItself: Bool = false) {
        for task in state.active(inside: place).reversed() where includingItself || task != place {
            record(.taskCancelled(task.task), task.occurrence)
        }
    }

    /// Tells the journal, the state and every recorder what happened.
    ///
    /// Recorders get one event at a time, in order, on whatever thread: an event that comes while another one is being
    /// told, as when a run is cancelled from elsewhere, is told by the same thread after it. Behind the end of a run
    /// nothing more is told.
    /// - Parameters:
    ///   - kind: What happened.
    ///   - occurrence: Which performance of its task it is about; see ``Event/occurrence``.
    ///   - time: When it happened; nil for now.
    func record(_ kind: Event.Kind, _ occurrence: String = "", at time: Date? = nil) {
        guard isTold || !kind.isForOthersOnly else { return }
        let time = time ?? runner.now()
        let kind = secrets.isEmpty ? kind : kind.hidingSecrets(secrets)
        let isLast = if case .workflowSuspended = kind { true } else { false }
        let following = chronicle.inOrder(isLast: isLast) { write -> (isFirst: Bool, waiting: [Resolver<Void>])? in
            try history.withLock { history in
                guard !history.state.hasEnded else { return nil }
                let event = Event(
                    number: history.state.number + 1, run: id, workflow: workflow.metadata, time: time, kind: kind,
                    parent: parent, occurrence: occurrence)
                let waiting = try write(event)
                history.state.apply(event)
                guard !runner.recorders.isEmpty else { return (false, waiting) }
                history.untold.append(event)
                defer { history.isTelling = true }
                return (!history.isTelling, waiting)
            }
        }
        for resolver in following?.waiting ?? [] { resolver.fulfill(()) }
        guard following?.isFirst ?? false else { return }
        while let event = nextUntold() {
            for recorder in runner.recorders { recorder.record(event) }
        }
    }

    private func nextUntold() -> Event? {
        history.withLock { history in
            guard !history.untold.isEmpty else {
                history.isTelling = false
                return nil
            }
            return history.untold.removeFirst()
        }
    }

    /// Whether a task has begun and not ended.
    func isActive(_ task: TaskExecution) -> Bool { history.withLock { $0.state.isActive(task) } }

    /// The calls at work inside a task that have an effect that must happen once.
    func unsettledCalls(in task: TaskExecution) -> [TaskExecution] {
        history.withLock { $0.state.unsettled(inside: task) }
    }

    /// The runs at work inside a task.
    func runs(inside task: JSONPointer) -> [Run] {
        inner.withLock { $0.all.filter { $0.task.tokens.starts(with: task.tokens) }.map(\.run) }
    }

    /// Notes a run that a task performs.
    func note(_ run: Run, at task: JSONPointer) { inner.withLock { $0.all.append((run, task)) } }

    /// Notes that a run has ended.
    func forget(_ run: Run) {
        inner.withLock { inner in
            inner.all.removeAll { $0.run === run }
            inner.left.removeAll { $0.run === run }
        }
    }

    /// Leaves a run to itself until the end of this one.
    func leave(_ promise: Promise<Value>, _ run: Run, at task: JSONPointer) {
        note(run, at: task)
        let (end, resolver) = Promise<Void>.pending()
        inner.withLock { $0.left.append((run, end, { promise.cancel() })) }
        // What went wrong in it its own events have told.
        promise.done { _ in }.catch(policy: .allErrors) { _ in }.finally {
            self.forget(run)
            resolver.fulfill()
        }
    }

    /// Is fulfilled when the runs have ended that no task waits for.
    private var endOfLeftRuns: Promise<Void> {
        when(fulfilled: inner.withLock { $0.left.map(\.end) }).map { _ in }
    }

    /// Ends what no task waits for.
    private func endUnattended() {
        for process in unattended.withLock({ $0 }) { runner.processes.end(process) }
        for cancel in inner.withLock({ $0.left.map(\.cancel) }) { cancel() }
    }
}
