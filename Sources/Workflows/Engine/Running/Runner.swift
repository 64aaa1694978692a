/// Runs workflows; every task is a link of one promise chain.
public struct Runner: Sendable {
    /// The Microsoft Graph that functions call, with its credential and transport.
    public var graph: GraphClient
    /// The functions that workflows can call.
    public var catalog: Catalog
    /// The secrets that workflows name in `use.secrets`.
    public var secrets = SecretStore.none
    /// Measures waits, timeouts and delays.
    public var clock: any PromiseClock
    /// The recorders that are notified of events.
    public var recorders: [Recorder]
    /// Returns the current date, for events and for `$workflow.startedAt`.
    public var now: @Sendable () -> Date
    /// Creates a unique id for each run.
    public var makeID: @Sendable () -> String
    /// Returns a random number from 0 up to 1, for the jitter of retries.
    public var random: @Sendable () -> Double

    /// The source of events from outside; nil if runs receive only the events that they emit.
    public var events: EventBus?
    /// The environment.
    ///
    /// Programs get only its harmless variables, such as the search path and the language, and those of ``access``.
    public var environment: [String: String]
    /// What runs may use of this machine and its network, beyond the defaults.
    public var access = Access()
    /// The files that this process reads as a plan or writes; they do not count as a workflow's files.
    public var ownFiles = OwnFiles()

    /// The folder for the journals of runs, from which they can be resumed; nil for no journals.
    public var journals: RunsFolder?
    /// Whether runs call a sandbox inside this process, which ends with it; journals record this.
    public var isSandboxed = false
    /// Where runs without a journal keep what they replace and change; nil to keep nothing.
    package var before: BeforeImages?
    /// Suspends runs that have a journal; nil for none.
    public var suspension: Suspension?

    /// Whose account the runs have, and which addresses are inside, for the effects of plans and runs.
    public var perspective = EffectPerspective()

    /// The notifications that this process sends after a run has ended.
    ///
    /// They are part of plans; the run itself does not send them.
    public var notifications: [Effect] = []

    /// The approvals of the plan that the next run follows; nil for none.
    package var approvals: RunApprovals?
    /// Answers the questions that `call: approval` asks; nil if no one can be asked.
    package var approver: Approver?

    /// Whether an agent begins the runs; journals record this.
    package var isOfAgent = false
    /// Whether nothing outside of the sandbox is changed: no program is started, and no file is written.
    package var isRehearsal = false

    /// Identifies the mails of a named batch for other machines; nil if nothing looks for them.
    package var mailIdentity: MailIdentity?

    /// Whether an invalid input is an error of the run, as in the standard; otherwise the run does not begin.
    package var beginsWithAnyInput = false

    /// The maximum number of concurrent runs inside one run.
    package var mostRunsAtWork = 10_000

    /// The maximum number of runs inside a run of the same workflow, including ended ones.
    package var mostRecursiveRuns = 100_000

    /// Ends the computations of the runs, even before there is a promise to cancel; nil for none.
    package var interrupt: Interrupt?

    /// Whether runs stay at the place where they begin, so that the order of what they do can be repeated.
    package var isSerial = false

    var world: any World = LiveWorld()
    /// The plan as the run's journal keeps it; nil for none.
    var keptPlan: KeptPlan?
    package let processes = ChildProcesses()

    /// The files next to a workflow, noted by a plan and checked by the run of an approved one.
    func files(of workflow: Workflow) -> WorkflowFiles {
        var files = WorkflowFiles(folder: workflow.folder, without: ownFiles)
        files.watch = world.fileWatch
        files.isReadOnly = isRehearsal
        return files
    }

    /// Creates a runner over a Graph client.
    /// - Parameters:
    ///   - graph: The client that functions send their requests with.
    ///   - catalog: The functions that workflows can call.
    ///   - clock: Measures waits, timeouts and delays.
    ///   - recorders: Are notified of events.
    public init(
        graph: GraphClient, catalog: Catalog = .default, clock: any PromiseClock = .continuous,
        recorders: [Recorder] = []
    ) {
        self.graph = graph
        self.catalog = catalog
        self.clock = clock
        self.recorders = recorders
        now = { Date() }
        makeID = { ULID().description }
        environment = ProcessInfo.processInfo.environment
        random = { Double.random(in: 0..<1) }
    }

    /// Creates a runner that signs in to Microsoft Graph with a credential.
    public init(credential: any Credential, catalog: Catalog = .default, recorders: [Recorder] = []) {
        self.init(graph: GraphClient(credential: credential), catalog: catalog, recorders: recorders)
    }

    func problems(of input: Value, for workflow: Workflow) -> [Diagnostic] {
        beginsWithAnyInput ? [] : workflow.validate(input: input)
    }

    /// Runs a workflow.
    ///
    /// If the workflow or its input is invalid, nothing runs and the promise is rejected with ``InvalidWorkflow``.
    /// Cancelling the promise ends the run.
    /// - Parameters:
    ///   - workflow: The workflow to run.
    ///   - input: The workflow's input.
    /// - Returns: The workflow's output; rejected with ``WorkflowError`` if an error was not caught.
    public func run(_ workflow: Workflow, input: Value = [:]) -> Promise<Value> {
        if let journals { return run(workflow, input: input, keptIn: journals) }
        let library = WorkflowLibrary(of: workflow)
        let diagnostics =
            workflow.validate(with: catalog, library) + problems(of: input, for: workflow)
            + obstacles(to: workflow, library)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            return Promise(error: InvalidWorkflow(diagnostics: diagnostics))
        }
        do {
            // Without a journal, nothing else shows that the run has begun.
            try approvals?.reserve(for: makeID(), in: nil).complete()
        } catch {
            return Promise(error: error)
        }
        return perform(Run(workflow, by: self, library: library), input)
    }

    /// Runs a workflow and decodes its output.
    /// - Parameters:
    ///   - workflow: The workflow to run.
    ///   - input: The workflow's input.
    ///   - type: What the output is decoded as.
    /// - Returns: The decoded output; rejected with `DecodingError` if the output has another shape.
    public func run<Output: Decodable & Sendable>(
        _ workflow: Workflow, input: Value = [:], as type: Output.Type
    ) -> Promise<Output> {
        run(workflow, input: input).map(on: nil) { try $0.decoded(as: type) }
    }
}
