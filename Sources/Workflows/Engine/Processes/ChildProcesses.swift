package final class ChildProcesses: Sendable {
    private struct State {
        var running: [ObjectIdentifier: ChildProcess] = [:]
        /// Awaited and ending processes: an interrupted run ends a moment before its processes are notified.
        var ending: Set<ObjectIdentifier> = []
        var endingContainers: [ObjectIdentifier: String] = [:]
        var waitingForContainers: [(name: String, resolver: Resolver<Void>)] = []
        /// The number of awaited processes that are starting and not yet in `ending`.
        var beginning = 0
        /// The number of ended processes whose waiters are not yet notified.
        var delivering = 0
        /// Whether processes are killed without patience.
        var isKilled = false
        /// Why no program is started; nil if programs are.
        var refusal: String?
        var hasLookedForContainers = false
        var waiting: [Resolver<Void>] = []
        var waitingForAll: [Resolver<Void>] = []

        /// Whether only processes that no task waits for are left.
        var isQuiet: Bool { ending.isEmpty && beginning == 0 && delivering == 0 }

        /// Takes the resolvers to notify; empty unless it is quiet.
        mutating func takeWaiting() -> [Resolver<Void>] {
            guard isQuiet else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }

    private let state = Locked(State())

    init() {}

    /// Starts no program from now on.
    package func refuse(because reason: String) { state.withLock { $0.refusal = reason } }

    package var isQuiet: Bool { state.withLock { $0.isQuiet } }

    /// Runs a program to its end; rejected if it cannot be started.
    ///
    /// Cancelling the promise ends the program and its processes; ``allEnded`` is fulfilled afterwards.
    func run(_ program: ChildProgram, clock: any PromiseClock) -> Promise<ProcessEnd> {
        Promise { resolver in
            let process = try self.start(program, clock: clock, isAwaited: true) { end in
                // A process that was killed because this program ends has no result; its run must not record one.
                if end.signal == nil || !self.state.withLock({ $0.isKilled }) { resolver.fulfill(end) }
            }
            resolver.onCancel { self.end(process) }
        }
    }

    func start(
        _ program: ChildProgram, clock: any PromiseClock, isAwaited: Bool = false,
        _ ended: @escaping @Sendable (ProcessEnd) -> Void = { _ in }
    ) throws(SystemError) -> ChildProcess {
        if let refusal = state.withLock({ $0.refusal }) { throw SystemError(refusal) }
        if isAwaited {
            let isTooLate = state.withLock { state in
                if !state.isKilled { state.beginning += 1 }
                return state.isKilled
            }
            guard !isTooLate else { throw SystemError(code: ECANCELED) }
        }
        defer { if isAwaited { note { $0.beginning -= 1 } } }
        // Held until the process is registered: it may have ended before.
        let noted = Promise<Void>.pending()
        defer { noted.resolver.fulfill() }
        let process = try ChildProcess(program, clock: clock) { process, end in
            noted.promise.then(on: nil) {
                program.container?.take(care: end, by: self, clock) ?? .value(())
            }.finally(on: nil) {
                self.forget(process)
                ended(end)
                self.note { $0.delivering -= 1 }
            }
        }
        let isKilled = state.withLock { state in
            state.running[ObjectIdentifier(process)] = process
            if isAwaited { state.ending.insert(ObjectIdentifier(process)) }
            return state.isKilled && isAwaited
        }
        if isKilled { process.kill() }
        return process
    }

    /// Subtracts a start, or the end of a process, from what is pending.
    private func note(_ end: @Sendable (inout State) -> Void) {
        let waiting = state.withLock { state in
            end(&state)
            return state.takeWaiting()
        }
        for resolver in waiting { resolver.fulfill() }
    }

    func end(_ process: ChildProcess) {
        let isRunning = state.withLock { state in
            guard state.running[ObjectIdentifier(process)] != nil else { return false }
            state.ending.insert(ObjectIdentifier(process))
            state.endingContainers[ObjectIdentifier(process)] = process.container
            return true
        }
        if isRunning { process.end() }
    }

    /// Is fulfilled when only processes that no task waits for are left.
    package var allEnded: Promise<Void> {
        Promise { resolver in
            let isDone = state.withLock { state in
                if !state.isQuiet { state.waiting.append(resolver) }
                return state.isQuiet
            }
            if isDone { resolver.fulfill() }
        }
    }

    var noneLeft: Promise<Void> {
        Promise { resolver in
            let isDone = state.withLock { state in
                if !state.running.isEmpty { state.waitingForAll.append(resolver) }
                return state.running.isEmpty
            }
            if isDone { resolver.fulfill() }
        }
    }

    /// Kills the processes that are awaited or being ended; nothing starts afterwards.
    package func kill() {
        let processes = state.withLock { state in
            state.isKilled = true
            return state.ending.compactMap { state.running[$0] }
        }
        for process in processes { process.kill() }
        // A process that is starting is killed by its starter if this program still runs.
        while state.withLock({ $0.beginning > 0 }) { SystemThread.sleep(seconds: 0.001) }
    }

    /// Is fulfilled when the container's name is free; nil if it is; a retry after a timeout may reuse it.
    func containerEnded(_ name: String) -> Promise<Void>? {
        guard state.withLock({ $0.endingContainers.values.contains(name) }) else { return nil }
        return Promise { resolver in
            let isEnding = state.withLock { state in
                let isEnding = state.endingContainers.values.contains(name)
                if isEnding { state.waitingForContainers.append((name, resolver)) }
                return isEnding
            }
            if !isEnding { resolver.fulfill() }
        }
    }

    /// Whether this is the first call: containers that earlier runs left are looked for once.
    func takeLookForContainers() -> Bool {
        state.withLock { state in
            defer { state.hasLookedForContainers = true }
            return !state.hasLookedForContainers
        }
    }

    var identifiers: [pid_t] { state.withLock { $0.running.values.map(\.identifier).sorted() } }

    private func forget(_ process: ChildProcess) {
        let waiting = state.withLock { state in
            state.running[ObjectIdentifier(process)] = nil
            state.delivering += 1
            state.ending.remove(ObjectIdentifier(process))
            var waiting = state.takeWaiting()
            if let name = state.endingContainers.removeValue(forKey: ObjectIdentifier(process)) {
                waiting += state.waitingForContainers.filter { $0.name == name }.map(\.resolver)
                state.waitingForContainers.removeAll { $0.name == name }
            }
            if state.running.isEmpty {
                waiting += state.waitingForAll
                state.waitingForAll = []
            }
            return waiting
        }
        for resolver in waiting { resolver.fulfill() }
    }
}
