/// The tasks in progress in a run and its inner runs, folded from their events.
///
/// The cost of an event does not depend on the number of tasks in progress.
struct RunProgress {
    /// The kind of a task, as far as its display depends on it.
    enum Kind {
        case task, loop, fork, items, listen, wait
    }

    /// A task in progress, or an inner run.
    struct Work {
        let place: RunPlace
        let name: String
        let startedAt: Date
        var kind = Kind.task
        var attempt = 1
        /// How many rounds, branches, items or events have finished.
        var done = 0
        /// The rounds of a loop, the branches of a fork or the items of a `forEach`; nil if that is not known.
        var total: Int?
        var pace: Pace
        /// Until when it waits, and for what.
        var pause: (until: Date, words: String)?
        /// The whole length of a `wait`.
        var length: Duration?
        var uploaded: (bytes: Int, total: Int)?
        /// Whether it is in a round of a long loop, whose line represents it.
        var isFolded = false
        /// The round in which it ended, in words.
        fileprivate(set) var round: String?
        fileprivate(set) var parent = 0
        fileprivate(set) var firstChild = 0
        fileprivate var lastChild = 0
        fileprivate(set) var next = 0
        fileprivate var previous = 0
        fileprivate(set) var childCount = 0
    }

    struct Pace {
        private var older: (time: Date, count: Int)
        private var newer: (time: Date, count: Int)

        init(from time: Date) { (older, newer) = ((time, 0), (time, 0)) }

        mutating func note(_ count: Int, at time: Date) {
            guard time.timeIntervalSince(newer.time) >= 5 else { return }
            (older, newer) = (newer, (time, count))
        }

        /// The number per second; nil if it is too early to tell.
        func rate(_ count: Int, at now: Date) -> Double? {
            let seconds = now.timeIntervalSince(older.time)
            guard seconds >= 1, count > older.count else { return nil }
            return Double(count - older.count) / seconds
        }
    }

    /// A loop with more rounds is shown as one line, also after its end.
    private static let mostRoundsShown = 10

    /// The tasks in progress by their indices; the first is the run itself, and others may be unused.
    private(set) var work: [Work]
    private(set) var count = 0
    /// Until when services hold requests, by the reasons.
    private(set) var holds: [String: Date] = [:]
    private var unused: [Int] = []
    private var indices: [RunPlace: Int] = [:]
    /// The lengths of waits that are written out in the files, by the workflow's name.
    private let waits: [String: [JSONPointer: Duration]]

    /// - Parameter workflow: The workflow, for the lengths of its waits.
    init(_ workflow: Workflow? = nil) {
        let place = RunPlace(run: "", execution: .run)
        work = [Work(place: place, name: "", startedAt: .distantPast, pace: Pace(from: .distantPast))]
        waits = (workflow.map { [$0] + $0.referencedWorkflows } ?? []).reduce(into: [:]) { waits, workflow in
            for task in workflow.allTasks {
                guard case .wait(.literal(let length)) = task.action else { continue }
                waits[workflow.metadata.name, default: [:]][task.reference] = length
            }
        }
    }

    private func index(of event: Event) -> Int? {
        guard let execution = event.execution else { return nil }
        return indices[RunPlace(run: event.run, execution: execution)]
    }

    /// The children of a task, the oldest first.
    func children(of index: Int) -> some Sequence<Int> {
        sequence(state: work[index].firstChild) { next in
            guard next != 0 else { return nil }
            defer { next = work[next].next }
            return next
        }
    }

    /// The round around a task, in words; nil outside loops.
    private func round(of index: Int) -> String? {
        var index = work[index].parent
        while index != 0 {
            if work[index].kind == .loop { return "round \(work[index].done + 1)/\(work[index].total ?? 0)" }
            index = work[index].parent
        }
        return nil
    }

    /// - Returns: The task as it ended or was skipped; nil if the event does not end a task.
    @discardableResult
    mutating func apply(_ event: Event) -> Work? {
        switch event.kind {
        case .workflowStarted where event.parent != nil: begin(TaskExecution.run, of: event)
        case .taskStarted(let task, _): begin(TaskExecution(task, event.occurrence), of: event)
        case .taskCompleted, .taskCancelled: return index(of: event).map { end($0, at: event.time) }
        case .taskFaulted: return index(of: event).map { end($0, at: event.time, keepingRound: true) }
        case .workflowCompleted, .workflowFaulted, .workflowCancelled:
            if let index = indices[RunPlace(run: event.run, execution: .run)] { _ = end(index, at: event.time) }
        case .taskSkipped(let task): return skip(TaskExecution(task, event.occurrence), of: event)
        case .decided(_, "in", .array(let elements)):
            change(event) { ($0.kind, $0.total) = (.loop, elements.count) }
        case .decided(_, "forEach", let arguments):
            change(event) { ($0.kind, $0.total) = (.items, arguments["in"]?.array?.count) }
        case .decided(_, "wait", let seconds):
            change(event) { $0.wait(.seconds(seconds.double ?? 0)) }
        case .iterationStarted(_, let round, _): change(event) { $0.count(round, at: event.time) }
        case .iterationCompleted(_, let round, _, _, _): change(event) { $0.count(round + 1, at: event.time) }
        case .correlationStarted: change(event) { $0.kind = .listen }
        case .taskRetried(_, let attempt, let delay, let error):
            change(event) { work in
                work.attempt = attempt
                work.pause = (event.time + delay.seconds, error.summary)
            }
        case .request(_, let request): apply(request, of: event)
        default: break
        }
        return nil
    }

    private mutating func apply(_ request: GraphEvent, of event: Event) {
        switch request.kind {
        case .retrying(let attempt, let reason, let delay):
            change(event) { work in
                work.attempt = attempt
                work.pause = (event.time + delay.seconds, reason)
            }
        case .held(let delay, let reason):
            let until = event.time + delay.seconds
            change(event) { $0.pause = (until, reason) }
            if holds.count > 8 { holds = holds.filter { $0.value > event.time } }
            holds[reason] = max(holds[reason] ?? until, until)
        case .uploaded(let bytes, let total): change(event) { $0.uploaded = (bytes, total) }
        case .drafted, .committing, .effect: break
        }
    }

    private mutating func change(_ event: Event, _ body: (inout Work) -> Void) {
        if let index = index(of: event) { body(&work[index]) }
    }

    private mutating func begin(_ execution: TaskExecution, of event: Event) {
        let place = RunPlace(run: event.run, execution: execution)
        // A resumed run can begin a task again.
        if let known = indices[place] { _ = end(known, at: event.time) }
        let isRun = execution == .run
        let parent = isRun ? index(around: event.parent) : index(around: execution, in: event.run)
        var new = newWork(at: place, inside: parent, of: event)
        if !waits.isEmpty, !isRun, let length = waits[event.workflow.name]?[execution.task] { new.wait(length) }
        let index = unused.popLast() ?? work.count
        new.previous = work[parent].lastChild
        if index == work.count { work.append(new) } else { work[index] = new }
        if new.previous == 0 { work[parent].firstChild = index } else { work[new.previous].next = index }
        work[parent].lastChild = index
        work[parent].childCount += 1
        indices[place] = index
        count += 1
    }

    private mutating func skip(_ execution: TaskExecution, of event: Event) -> Work {
        let parent = index(around: execution, in: event.run)
        let skipped = newWork(at: RunPlace(run: event.run, execution: execution), inside: parent, of: event)
        if work[parent].kind == .fork { work[parent].done += 1 }
        return skipped
    }

    private mutating func newWork(at place: RunPlace, inside parent: Int, of event: Event) -> Work {
        note(place.execution, inside: parent, at: event.time)
        var new = Work(
            place: place, name: place.execution.task.tokens.last ?? event.workflow.shownName, startedAt: event.time,
            pace: Pace(from: event.time))
        new.parent = parent
        if parent != 0 {
            let isInLongLoop =
                [.loop, .items].contains(work[parent].kind) && (work[parent].total ?? 0) > Self.mostRoundsShown
            new.isFolded = work[parent].isFolded || isInLongLoop
        }
        return new
    }

    /// Counts the beginning of a round or a branch.
    private mutating func note(_ execution: TaskExecution, inside parent: Int, at time: Date) {
        guard parent != 0 else { return }
        if work[parent].kind == .loop {
            if let round = execution.round(after: work[parent].place.execution.occurrence) {
                work[parent].count(round, at: time)
            }
        } else if execution.isBranch {
            work[parent].kind = .fork
            work[parent].total = (work[parent].total ?? 0) + 1
        }
    }

    private mutating func end(_ index: Int, at time: Date, keepingRound: Bool = false) -> Work {
        var ended = work[index]
        if keepingRound || !ended.isFolded { ended.round = round(of: index) }
        // Tasks that no task waits for continue inside the run itself.
        while work[index].firstChild != 0 { move(work[index].firstChild, to: 0) }
        unlink(index)
        indices[ended.place] = nil
        unused.append(index)
        count -= 1
        if [.fork, .items].contains(work[ended.parent].kind) {
            work[ended.parent].count(work[ended.parent].done + 1, at: time)
        }
        return ended
    }

    private mutating func unlink(_ index: Int) {
        let (parent, previous, next) = (work[index].parent, work[index].previous, work[index].next)
        if previous == 0 { work[parent].firstChild = next } else { work[previous].next = next }
        if next == 0 { work[parent].lastChild = previous } else { work[next].previous = previous }
        work[parent].childCount -= 1
    }

    private mutating func move(_ index: Int, to parent: Int) {
        unlink(index)
        let last = work[parent].lastChild
        (work[index].parent, work[index].previous, work[index].next) = (parent, last, 0)
        if last == 0 { work[parent].firstChild = index } else { work[last].next = index }
        work[parent].lastChild = index
        work[parent].childCount += 1
    }

    private func index(around parent: Event.Parent?) -> Int {
        guard let parent else { return 0 }
        let place = TaskExecution(parent.task, parent.occurrence)
        return indices[RunPlace(run: parent.run, execution: place.aroundItem ?? place)] ?? 0
    }

    /// The innermost task in progress around another one; the run itself if there is none.
    private func index(around execution: TaskExecution, in run: String) -> Int {
        execution.around { indices[RunPlace(run: run, execution: $0)] } ?? 0
    }
}

extension RunProgress.Work {
    fileprivate mutating func wait(_ length: Duration) {
        (kind, self.length) = (.wait, length)
        pause = (startedAt + length.seconds, "")
    }

    fileprivate mutating func count(_ done: Int, at time: Date) {
        guard done != self.done else { return }
        self.done = done
        pace.note(done, at: time)
    }
}

extension TaskExecution {
    /// The round of a loop in which the task is.
    /// - Parameter occurrence: The occurrence of the loop.
    fileprivate func round(after occurrence: String) -> Int? {
        var rest = self.occurrence.utf8.dropFirst(occurrence.isEmpty ? 0 : occurrence.utf8.count + 1)
        guard rest.starts(with: "for:".utf8) else { return nil }
        rest = rest.dropFirst(4)
        var number = 0
        for digit in rest {
            guard digit != UInt8(ascii: "/") else { break }
            number = number * 10 + Int(digit) - 48
        }
        return number
    }
}
