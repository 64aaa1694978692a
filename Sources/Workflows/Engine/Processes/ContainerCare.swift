/// The cleanup of a container after the program that runs it has ended.
struct ContainerCare: Sendable {
    let engine: ContainerEngine
    /// The value of its label ``ContainerArguments/Label/container``.
    let id: String
    let name: String
    let cleanup: Workflow.Process.Container.Cleanup
    /// The time between its end and its eventual removal.
    let after: Duration?

    private var label: String { "\(ContainerArguments.Label.container)=\(id)" }

    /// The exit code of both programs for their own failures.
    private static let ownFailure = 125

    /// Ends the container if its program ended first, and removes it when that is due.
    ///
    /// The container is no child of this process: a signal for the program may not reach it.
    func take(care end: ProcessEnd, by processes: ChildProcesses, _ clock: any PromiseClock) -> Promise<Void> {
        if cleanup == .eventually, let after {
            _ = clock.schedule(after: after) {
                engine.tidy(label, by: processes, clock) { $0.isRunning ? .kept : .removed }.cauterize()
            }
        }
        let isLeft = end.wasEnded || end.signal != nil || end.flooded != nil
        guard isLeft || (end.code == Self.ownFailure && cleanup == .always) else { return .value(()) }
        return engine.tidy(label, by: processes, clock) { _ in cleanup == .always ? .removed : .ended }
    }
}
