public import Promises
public import Workflows

extension Runner {
    /// A runner that needs no network: the default catalog and more functions, a sandbox, and a clock that skips.
    /// - Parameters:
    ///   - sandbox: The Microsoft Graph that functions reach.
    ///   - clock: The clock that measures waits.
    ///   - recorders: The recorders to notify.
    ///   - register: Adds functions to the catalog.
    public static func testing(
        sandbox: Sandbox = Sandbox(), clock: any PromiseClock = SkippingClock(), recorders: [Recorder] = [],
        register: (inout Catalog) -> Void = { _ in }
    ) -> Runner {
        var catalog = Catalog.default
        register(&catalog)
        let graph = GraphClient(
            credential: .fixed(AccessToken(sandbox.accessToken)), baseURL: Sandbox.baseURL,
            transport: sandbox.transport, clock: clock)
        var runner = Runner(graph: graph, catalog: catalog, clock: clock, recorders: recorders)
        runner.random = { 0.5 }
        runner.environment["GRAPHFLOW_CONTAINER"] = ContainerStandIn.program
        return runner
    }
}
