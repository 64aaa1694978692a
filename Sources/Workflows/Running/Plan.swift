public import Promises

/// What a run would send, found by running it without a network.
public struct Plan: Sendable {
    /// The workflow that was planned.
    public var workflow: Workflow
    /// Everything that a run would do to the world, in the order in which it would.
    public var steps: [PlannedStep]
    /// What the workflow would give; what only the service knows is symbolic, as `‹upload.id›`.
    public var output: Value

    /// Every request in the order in which a run would send it.
    public var requests: [PlannedRequest] { steps.requests }
}

extension Runner {
    /// Runs a workflow dry: the same engine and the same functions, with a transport that has no socket.
    ///
    /// Needs no credential, waits for nothing, and lets no timeout end.
    /// - Returns: What would be sent; rejected as ``run(_:input:)`` is.
    public func plan(_ workflow: Workflow, input: Value = [:]) -> Promise<Plan> {
        let transport = PlanningTransport()
        var runner = self
        runner.graph.transport = transport
        // What holds back real requests must not hold back planned ones.
        runner.graph.gate = RequestGate()
        // Never sent: the transport has nowhere to send it to, and the plan shows every token as ‹token›.
        runner.graph.credential = .fixed(AccessToken("planned"))
        runner.graph.ids = { "‹new for each request›" }
        runner.clock = PlanningClock()
        runner.planner = transport
        return runner.run(workflow, input: input).map { output in
            Plan(workflow: workflow, steps: transport.steps, output: output)
        }
    }
}
