/// A run in its own sandbox, which changes nothing outside: waits are skipped, and no other service is asked.
struct Rehearsal: Sendable {
    /// A rehearsal with more events counts as endless.
    private static let mostEvents = 50_000
    /// How long a rehearsal may take, because others wait for its computations.
    private static let patience = Duration.seconds(20)

    let sandbox: SandboxDescription
    let settings: RunnerSettings
    let console: Console

    /// Runs the workflow.
    /// - Returns: The state, and the output or the error, with the effects.
    func perform(_ workflow: Workflow, _ input: Value) async throws -> Object {
        let (start, clock) = (Date(), TimeSkippingClock())
        let sandbox = sandbox.sandbox(now: { start + clock.now.seconds }, clock: clock)
        let graph = GraphClient(
            credential: .fixed(AccessToken(sandbox.accessToken)), baseURL: Sandbox.baseURL,
            transport: SandboxNetwork(sandbox, others: nil), clock: clock, now: { start + clock.now.seconds },
            gate: RequestGate())
        let (account, begun) = (Locked((account: EffectAccount(), events: 0)), Locked<Promise<Value>?>(nil))
        let recorder = Recorder { event in
            let isEndless = account.withLock { state in
                state.account.take(event.shown)
                state.events += 1
                return state.events > Self.mostEvents
            }
            if isEndless { begun.withLock { $0 }?.cancel() }
        }
        var runner = settings.runner(over: graph, console, in: sandbox, recorders: [recorder])
        runner.isSandboxed = true
        runner.isRehearsal = true
        runner.isSerial = true
        runner.now = { start + clock.now.seconds }
        runner.processes.refuse(because: "a rehearsal starts no programs")
        runner.approver = Approver { _, _ in
            .value(Approver.Answer(.approved, by: "rehearsal", name: "rehearsal", at: start + clock.now.seconds))
        }
        let computations = Interrupt()
        runner.interrupt = computations
        // Begun at the default place, where handlers continue during a long computation.
        let run = Promise.value(()).then { [runner] in runner.run(workflow, input: input) }
        begun.withLock { $0 = run }
        let timer = clock.start(isBusy: { false }) { run.cancel() }
        let limit = console.limits.schedule(after: Self.patience) {
            computations.request()
            run.cancel()
        }
        defer {
            timer.cancel()
            limit.cancel()
        }
        var members: Object
        do {
            members = ["state": "completed", "output": try await run.value]
        } catch let error as WorkflowError {
            members = [
                "state": error.is(.unknownOutcome) ? "unknown" : "faulted", "error": .object(error.members),
            ]
        } catch  where error.isCancelled {
            try Task.checkCancellation()
            members = [
                "state": "waiting",
                "error": ["detail": "the run waits for something that a rehearsal does not have, or does not end"],
            ]
        }
        members["effects"] = .array(
            account.withLock { $0.account }.effects(isAtWork: false).map { .object($0.value) })
        return members
    }
}
