/// The state of a run, folded from its events.
///
/// One pure function folds the events of a live run or of a journal. The state of a live run knows only the active
/// tasks. A state from a journal, for a run to resume, also remembers how tasks ended while the tasks around them are
/// still active.
public struct RunState: Sendable {
    /// The phases of a run, in the standard's words.
    public enum Phase: String, Sendable, Hashable {
        /// Nothing has happened yet.
        case pending
        /// Tasks are being performed.
        case running
        /// Suspended; it can be resumed.
        case suspended
        /// Cancelled before it was complete.
        case cancelled
        /// Ended by an uncaught error.
        case faulted
        /// All tasks are done.
        case completed
    }

    /// The phase of the run.
    public private(set) var phase = Phase.pending
    /// The context of the tasks, which expressions read as `$context`.
    public internal(set) var context: Value = [:]
    /// The active tasks, each after the tasks around it.
    ///
    /// A task that several branches perform concurrently is listed once for each of them.
    public var active: [JSONPointer] { active(inside: .run).map(\.task) }
    /// The active calls with the effect ``Idempotency/once``.
    public var unsettled: [JSONPointer] { open.map(\.task) }

    /// When the run began; nil if it has not.
    public private(set) var startedAt: Date?
    /// The run's input, and the data after the workflow's `input.from`.
    package private(set) var start: (input: Value, data: Value)?
    package private(set) var end: End?
    package private(set) var number = 0
    private(set) var lastTime: Date?
    /// The active calls that must be made once.
    private(set) var open: [TaskExecution] = []
    /// The tree of tasks that have started, including ended ones that are remembered.
    private var places: [TaskExecution: Place] = [.run: Place(parent: .run)]
    /// What is remembered of the tasks; nothing in a live run.
    private var frames: [TaskExecution: Frame] = [.run: Frame(createdAt: .distantPast)]
    private let memory: Memory
    private var remembersEnds: Bool { memory != .work }

    package enum Memory {
        /// The active tasks.
        case work
        /// What is needed to resume the run.
        case ends
        /// Every task that was ever created, to find those around another one.
        case everything
    }

    /// The place of one execution in the tree.
    private struct Place: Sendable {
        let parent: TaskExecution
        var children: Set<TaskExecution> = []
        var isActive = false
    }

    /// Whether the run has ended in any way.
    public var hasEnded: Bool {
        switch phase {
        case .pending, .running, .suspended: false
        case .cancelled, .faulted, .completed: true
        }
    }

    /// Creates the state of a run that has not begun.
    public init() { self.init(remembering: .work) }

    package init(remembering memory: Memory) { self.memory = memory }

    /// What is known of an execution; nil if it has not been created or is forgotten.
    package func frame(of execution: TaskExecution) -> Frame? { frames[execution] }

    package func isActive(_ execution: TaskExecution) -> Bool { places[execution]?.isActive ?? false }

    /// The active tasks inside another one, and that one itself, each after the tasks around it.
    package func active(inside place: TaskExecution) -> [TaskExecution] {
        descendants(of: place).filter(isActive).map { (depth: $0.task.tokens.count, order: $0.order, task: $0) }
            .sorted { ($0.depth, $0.order) < ($1.depth, $1.order) }.map(\.task)
    }

    /// The active calls in a task and inside it that must be made once.
    package func unsettled(inside place: TaskExecution) -> [TaskExecution] {
        guard !open.isEmpty else { return [] }
        let inside = Set(descendants(of: place))
        return open.filter { inside.contains($0) }
    }

    package func descendants(of place: TaskExecution) -> [TaskExecution] {
        var all = [place]
        var next = 0
        while next < all.count {
            all += places[all[next]]?.children ?? []
            next += 1
        }
        return all
    }

    /// Applies an event.
    public mutating func apply(_ event: Event) {
        number = max(number, event.number)
        lastTime = event.time
        if let execution = event.execution { apply(event, to: execution) } else { applyToRun(event) }
    }

    /// Records that an event number was used.
    package mutating func skip(to number: Int) { self.number = max(self.number, number) }

    private mutating func applyToRun(_ event: Event) {
        switch event.kind {
        case .workflowStarted(let input, let context):
            phase = .running
            startedAt = event.time
            self.context = context
            if remembersEnds { start = (input, context) }
        case .workflowCompleted(let output):
            phase = .completed
            if remembersEnds { end = .completed(output, then: .continue) }
        case .workflowFaulted(let error):
            phase = .faulted
            if remembersEnds { end = .failed(error) }
        case .workflowCancelled: phase = .cancelled
        case .workflowSuspended: phase = .suspended
        case .workflowResumed(let resumption):
            if phase == .faulted || phase == .cancelled || resumption.from != nil { reopen(at: event.time) }
            phase = .running
        default: break
        }
    }

    private mutating func apply(_ event: Event, to execution: TaskExecution) {
        switch event.kind {
        // A live run needs only the active tasks.
        case .taskCreated: if remembersEnds { create(execution, at: event.time) }
        case .taskStarted where !remembersEnds: enter(execution, isActive: true)
        case .taskStarted(_, let input):
            if frames[execution] == nil { create(execution, at: event.time) }
            places[execution]?.isActive = true
            frames[execution]?.startedAt = event.time
            frames[execution]?.input = input
        case .taskSkipped: end(execution, .skipped, event)
        case .taskCompleted(_, let output, let context, let then):
            if let context { self.context = context }
            end(execution, .completed(output, then: then), event)
        case .taskFaulted(_, let error): end(execution, .failed(error), event)
        case .taskCancelled where !remembersEnds: forget(execution)
        case .taskCancelled:
            places[execution]?.isActive = false
            frames[execution]?.isCancelled = true
        case .iterationCompleted(_, _, _, let context?, _): self.context = context
        default: break
        }
        switch event.kind {
        case .callStarted(_, .once): commit(execution)
        case .request(_, let request) where request.isCommitted: commit(execution)
        case .callEnded: open.removeAll { $0 == execution }
        default: break
        }
        guard remembersEnds else { return }
        if case .jumped(let task, let count, let data) = event.kind {
            jump(to: task, execution, Jump(count: count, data: data, occurrence: execution.occurrence))
        } else {
            if event.kind.endsRound { forgetInside(execution) }
            frames[execution]?.note(event)
        }
    }

    /// Records that no call is in progress; later calls count again.
    package mutating func settle() { open = [] }

    private mutating func commit(_ execution: TaskExecution) {
        if !open.contains(execution) { open.append(execution) }
    }

    private mutating func enter(_ execution: TaskExecution, isActive: Bool) {
        let parent = parent(of: execution)
        places[execution] = Place(parent: parent, isActive: isActive)
        places[parent]?.children.insert(execution)
    }

    private mutating func create(_ execution: TaskExecution, at time: Date) {
        enter(execution, isActive: false)
        frames[execution] = Frame(createdAt: time)
    }

    private mutating func end(_ execution: TaskExecution, _ end: End, _ event: Event) {
        guard remembersEnds else { return forget(execution) }
        if frames[execution] == nil { create(execution, at: event.time) }
        places[execution]?.isActive = false
        if case .failed = end {
            // The inner tasks count again if no task handles the error and the run is resumed.
            frames[execution]?.fail(end, number: event.number)
        } else {
            forgetInside(execution)
            frames[execution]?.finish(end, number: event.number)
        }
    }

    /// Forgets the tasks of an ended inner run, because a journal can have very many inner runs.
    package mutating func forgetTasks() {
        (places, frames) = ([.run: Place(parent: .run)], [:])
    }

    /// Undoes every failure that no task has handled, and every interruption: the innermost tasks are performed again.
    package mutating func reopen(at time: Date) {
        (phase, end) = (.running, nil)
        for execution in frames.keys {
            switch frames[execution]?.end {
            case .completed?, .skipped?: break
            case .failed?, nil:
                let isInnermost = places[execution]?.children.isEmpty ?? true
                frames[execution]?.reopen(at: time, isInnermost: isInnermost)
                places[execution]?.isActive = frames[execution]?.startedAt != nil
            }
        }
    }

    /// The calls with an unknown outcome that must be made once, in tasks that have to be performed.
    package var unsettledCalls: [(task: TaskExecution, call: Call)] {
        frames.compactMap { execution, frame -> (task: TaskExecution, call: Call)? in
            guard frame.end == nil, !frame.isCancelled, let call = frame.call, call.isUnsettled else { return nil }
            return (execution, call)
        }.sorted { $0.task.order < $1.task.order }
    }

    /// Forgets an execution, except for the events that it read.
    private mutating func forget(_ execution: TaskExecution) {
        guard execution != .run, let place = places.removeValue(forKey: execution) else { return }
        for child in place.children { forget(child) }
        places[place.parent]?.children.remove(execution)
        guard remembersEnds, let frame = frames.removeValue(forKey: execution), !execution.isBranch else { return }
        frames[place.parent]?.positions += frame.positions + frame.reads
    }

    private mutating func forgetInside(_ execution: TaskExecution) {
        guard memory != .everything else { return }
        frames[execution]?.jumps = [:]
        for child in places[execution]?.children ?? [] { forget(child) }
    }

    /// Forgets the executions of a list of tasks before a jump.
    private mutating func jump(to task: JSONPointer, _ execution: TaskExecution, _ jump: Jump) {
        let place = parent(of: execution)
        let list = task.list
        if memory != .everything {
            for child in places[place]?.children ?? [] where child.task.list == list { forget(child) }
        }
        frames[place]?.jumps[list] = jump.leading(to: task)
    }

    /// The known execution around another known one.
    package func around(_ execution: TaskExecution) -> TaskExecution? {
        execution == .run ? nil : places[execution]?.parent ?? execution.aroundItem ?? .run
    }

    private func parent(of execution: TaskExecution) -> TaskExecution {
        let tokens = execution.task.tokens
        if execution.occurrence.isEmpty, tokens.count == 3 { return .run }
        if tokens.first == "use" {
            var parts = execution.occurrence.split(separator: "/")
            let isFunction = tokens.count == 3 && tokens[1] == "functions"
            let isExtension = tokens.count == 7 && tokens[1] == "extensions"
            if isExtension, parts.last?.hasPrefix("jump:") ?? false { parts.removeLast() }
            if isFunction || isExtension, let caller = parts.popLast().flatMap(JSONPointer.init(caller:)) {
                let owner = TaskExecution(caller, parts.joined(separator: "/"))
                // An extended task is not active before and after its action, but the tasks around it are.
                return places.index(forKey: owner) != nil ? owner : parent(of: owner)
            }
        }
        // An inner task is two or three members below its task, and repetitions add up to two parts.
        for count in 3...4 where tokens.count > count {
            // Only a task of a list and a function of the workflow can be around another task.
            guard tokens[0] == "use" || tokens[tokens.count - count - 2].isIndex else { continue }
            let task = JSONPointer(Array(tokens.dropLast(count)))
            var occurrence = execution.occurrence[...]
            for _ in 0...2 {
                let candidate = TaskExecution(task, String(occurrence))
                if places.index(forKey: candidate) != nil { return candidate }
                guard !occurrence.isEmpty else { break }
                occurrence = occurrence[..<(occurrence.utf8.lastIndex(of: UInt8(ascii: "/")) ?? occurrence.startIndex)]
            }
        }
        return .run
    }
}

extension String {
    fileprivate var isIndex: Bool { utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
}
