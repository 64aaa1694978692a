/// `--event` of a run: the events that begin it.
struct StartingEvent {
    private let given: String

    init(_ given: String) { self.given = given }

    /// The workflow's input.
    func input(
        of workflow: Workflow, in sandbox: Sandbox?, _ options: RunnerSettings, _ console: Console
    ) async throws -> Value {
        guard case .on? = workflow.schedule else {
            throw UsageError("this workflow does not begin with an event", hint: "add 'schedule.on', or use '--input'")
        }
        let graph = GraphClient(credential: .environment(console.environment), environment: console.environment)
        let runner = options.runner(over: graph, console, in: sandbox)
        guard given == "latest" else {
            let values = try DataFile.readAll(String(given.dropFirst())).flatMap { $0.array ?? [$0] }
            let events: [CloudEvent]
            do { events = try values.map { try CloudEvent($0) } } catch let error as CloudEventError {
                throw UsageError("'\(given)' is no CloudEvent: \(error)")
            }
            guard let input = runner.input(of: workflow, startedBy: events) else {
                throw UsageError(
                    "the events in '\(given)' do not start this workflow", hint: "its 'schedule.on' says which do")
            }
            return input
        }
        guard !workflow.changes.isEmpty else {
            throw UsageError("'--event latest' needs a source of changes", hint: "graphflow help changes")
        }
        let service = try await GraphClient.forRunning([workflow], in: sandbox, console, planned: .read)
        for source in workflow.changes {
            guard let item = try await service.latestItem(of: source).value else { continue }
            for kind in ChangeSource.Kind.allCases where source.kinds.contains(kind) {
                guard
                    let event = ItemChange(kind, of: item, from: source)?.event(
                        "latest", of: source, for: nil, at: Date()),
                    let input = runner.input(of: workflow, startedBy: [event])
                else { continue }
                return input
            }
        }
        throw UsageError("no item of its sources starts this workflow now")
    }
}
