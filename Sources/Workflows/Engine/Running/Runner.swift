public import Foundation
public import Promises

/// Runs workflows: every task becomes a link of one promise chain.
public struct Runner: Sendable {
    /// The Microsoft Graph that functions call, with its credential and transport.
    public var graph: GraphClient
    /// The functions that workflows can call.
    public var catalog: Catalog
    /// Where the secrets are that workflows name in `use.secrets`.
    public var secrets = SecretStore.none
    /// What measures waits, timeouts and delays.
    public var clock: any PromiseClock
    /// Who is notified of what happens.
    public var recorders: [Recorder]
    /// What day and time it is, for events and for `$workflow.startedAt`.
    public var now: @Sendable () -> Date
    /// What names each run; each name must be new.
    public var makeID: @Sendable () -> String
    /// What draws the random part of a retry's wait, from 0 up to 1.
    public var random: @Sendable () -> Double

    /// Where events come from outside; nil where the only ones are those that a run emits itself.
    public var events: EventBus?
    /// The environment that programs get the harmless part of: where to find programs, the language, the time zone.
    public var environment: [String: String]

    /// Where runs are kept, each with a journal from which it can be resumed; nil for runs that are not kept.
    public var journals: RunsFolder?
    /// Whether Microsoft Graph is inside this program, so that it ends with it: what is kept of a run says so.
    public var isSandboxed = false
    /// What interrupts runs that are kept in order; nil where nobody does.
    public var suspension: Suspension?

    /// What takes note of everything that would be done, where this runs dry.
    var planner: Planner?
    /// The programs that runs have started.
    package let processes = ChildProcesses()

    /// Whether this runs dry: nothing is waited for, and no timeout ends.
    var isPlanning: Bool { planner != nil }

    /// Creates a runner over a Graph client.
    /// - Parameters:
    ///   - graph: What functions send their requests with.
    ///   - catalog: The functions that workflows can call.
    ///   - clock: What measures waits, timeouts and delays.
    ///   - recorders: Who is notified of what happens.
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

    /// Runs a workflow.
    ///
    /// Nothing runs where the workflow or its input is invalid: the promise is then rejected with ``InvalidWorkflow``.
    /// Cancelling the promise ends the run.
    /// - Parameters:
    ///   - workflow: What to run.
    ///   - input: The workflow's input.
    /// - Returns: The workflow's output; rejected with ``WorkflowError`` where an error was raised that nothing caught.
    public func run(_ workflow: Workflow, input: Value = [:]) -> Promise<Value> {
        if let journals, !isPlanning { return run(workflow, input: input, keptIn: journals) }
        let library = WorkflowLibrary(folder: workflow.folder)
        let diagnostics = workflow.validate(with: catalog, library) + workflow.validate(input: input)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            return Promise(error: InvalidWorkflow(diagnostics: diagnostics))
        }
        return perform(Run(workflow, by: self, library: library), input)
    }
}
