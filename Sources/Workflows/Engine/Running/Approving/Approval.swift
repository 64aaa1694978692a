/// What a run of an approved plan may send and start, and what it has.
///
/// A request must equal one of its task's in the plan, except in the plan's slots (``Slots``). Order and number must be
/// as in the plan. Answers of calls are compared if the plan has real ones. After a difference nothing with an effect
/// is sent or started.
final class Approval: Sendable {
    struct State {
        /// What was sent and started, with the number of attempts and whether one of them succeeded.
        var done: DoneSteps
        var deviation: PlanDeviation?
    }

    struct Done: Sendable {
        let place: Int
        let step: Int
        let position: PlannedPlaces.Position
        var attempts: Int
        var hasSucceeded: Bool
        /// What the request changes within its planned one.
        var fitting = Fitting()

        /// Whether the content that this range belongs to was sent completely.
        var isWhole: Bool { fitting.range.map { $0.bytes.upperBound == $0.total } ?? true }
    }

    let places: PlannedPlaces
    /// The SHA-256 of each file that the plan reads, by its path in the workflow's folder.
    let files: [String: String]
    /// Whether these are all files in the folder.
    let hasAllFiles: Bool
    let plannedAt: Date
    let state: Locked<State>

    init(_ plan: Plan) {
        places = PlannedPlaces(plan.tasks)
        state = Locked(State(done: DoneSteps(places)))
        (files, hasAllFiles, plannedAt) = (plan.files, plan.hasAllFiles, plan.plannedAt)
    }

    var deviation: PlanDeviation? { state.withLock { $0.deviation } }

    /// Records a difference; the first one counts.
    func note(_ deviation: PlanDeviation) {
        state.withLock { if $0.deviation == nil { $0.deviation = deviation } }
    }

    /// Compares the output of a task's action with the plan's, before the task's `output.as`.
    func end(_ task: TaskExecution, output: Value) {
        if let why = difference(task, output) { note(PlanDeviation(why)) }
    }

    /// How the output of a task's action differs from the plan's; nil if it does not.
    func difference(_ task: TaskExecution, _ output: Value) -> String? {
        let candidates = places.matching(task.task, task.occurrence)
        guard !candidates.isEmpty else { return "the plan does not have the task '\(task.task)'" }
        let planned = candidates.map { places.all[$0].task.rawOutput }
        let real = output.revealed
        guard planned.allSatisfy({ $0.map { !Slots.fit($0.revealed, real) } ?? false }) else { return nil }
        return planned.first?.map { Self.words("'\(task.task)'", $0, real) }
    }

    private static func words(_ task: String, _ planned: Value, _ real: Value) -> String {
        if case .array(let mine) = planned, case .array(let theirs) = real,
            let words = DifferenceWords.list(mine, theirs)
        {
            return "\(task) returned \(words)"
        }
        return "\(task) returned \(DifferenceWords.values(planned, real))"
    }

    /// The step of the plan that allows a request or program; nil if it is not in the plan, or not now.
    func allow(
        _ task: TaskExecution, attempts: Int, _ fitting: (PlannedStep) -> Fitting?
    ) -> (place: Int, step: Int)? {
        let occurrence = PlannedPlaces.parts(task.occurrence)
        return state.withLock { state in
            guard state.deviation == nil else { return nil }
            let candidates = places.matching(task.task, task.occurrence)
            for place in candidates {
                for (number, step) in places.all[place].task.steps.enumerated() {
                    guard let found = fitting(step), !isRepeated(place, candidates, occurrence, state, fitting) else {
                        continue
                    }
                    let position = PlannedPlaces.Position(
                        path: places.all[place].path + [.position(0), .position(number)], occurrence: occurrence)
                    let done = Done(
                        place: place, step: number, position: position, attempts: 1, hasSucceeded: false,
                        fitting: found)
                    if mayFollow(done, attempts: attempts, &state) { return (place, number) }
                }
            }
            return nil
        }
    }

    /// Whether another path to the same execution of the task has done the same.
    private func isRepeated(
        _ place: Int, _ candidates: [Int], _ occurrence: [Substring], _ state: State,
        _ fitting: (PlannedStep) -> Fitting?
    ) -> Bool {
        candidates.contains { other in
            guard other != place else { return false }
            return state.done.indices(of: other, occurrence).contains { index in
                let done = state.done[index]
                return done.hasSucceeded && fitting(places.all[other].task.steps[done.step]) != nil
            }
        }
    }

    func allow(_ request: HTTPRequest, _ task: TaskExecution, attempts: Int) -> (place: Int, step: Int)? {
        allow(task, attempts: attempts) { step in
            guard case .request(let planned) = step else { return nil }
            return planned.fitting(request)
        }
    }

    func allow(_ program: ChildProgram, _ task: TaskExecution) throws(PlanDeviation) {
        let match = allow(task, attempts: 1) { step in
            guard case .process(let planned) = step, Slots.fit(planned.start.all, program.start.all.revealed) else {
                return nil
            }
            return Fitting()
        }
        guard let match else {
            let deviation = deviation ?? PlanDeviation(program)
            note(deviation)
            throw deviation
        }
        settle(match, task, hasSucceeded: true)
    }

    /// Records that a request was answered or a program was started, and is not repeated.
    func settle(_ step: (place: Int, step: Int), _ task: TaskExecution, hasSucceeded: Bool) {
        guard hasSucceeded else { return }
        let occurrence = PlannedPlaces.parts(task.occurrence)
        state.withLock { state in
            let index = state.done.indices(of: step.place, occurrence).first { state.done[$0].step == step.step }
            if let index { state.done[index].hasSucceeded = true }
        }
    }

    /// Whether a step can be next, and records it: all certain steps before it were done, and none after it.
    private func mayFollow(_ done: Done, attempts: Int, _ state: inout State) -> Bool {
        let steps = places.all[done.place].task.steps
        let known = state.done.indices(of: done.place, done.position.occurrence)
        if let same = known.first(where: { state.done[$0].step == done.step }) {
            if let range = done.fitting.range, let last = state.done[same].fitting.range {
                // Of content of unknown length, the plan has one range for all ranges in a row.
                guard range.bytes.lowerBound <= last.bytes.upperBound, range.total == last.total else { return false }
                if range.bytes.upperBound > last.bytes.upperBound { state.done[same].fitting.range = range }
                return true
            }
            guard !state.done[same].hasSucceeded, state.done[same].attempts < attempts else { return false }
            state.done[same].attempts += 1
            state.done[same].fitting = done.fitting
            return true
        }
        guard state.done.isInOrder(done.position), done.fitting.range.map({ $0.bytes.lowerBound == 0 }) ?? true else {
            return false
        }
        let own = known.map { state.done[$0] }
        let added = own.reduce(into: Set()) { $0.formUnion($1.fitting.added) }
        if let part = steps[done.step].condition?.attachment, !added.contains(part.number) { return false }
        guard own.allSatisfy({ !$0.hasSucceeded || !steps[$0.step].excludes(steps[done.step]) }),
            (0..<done.step).allSatisfy({ number in
                own.contains { $0.step == number && $0.isWhole } || !steps[number].isNeeded(for: steps[done.step])
            }), !steps[done.step].isSending || Self.hasAll(added, own, steps)
        else { return false }
        state.done.append(done)
        return true
    }

    /// Whether the attachments that did not fit into the message were added to it.
    private static func hasAll(_ added: Set<Int>, _ own: [Done], _ steps: [PlannedStep]) -> Bool {
        let delivered = own.filter { $0.hasSucceeded && $0.isWhole }.map(\.step)
        return added.allSatisfy { number in
            [false, true].contains { isLarge in
                let way = PlannedCondition.AddedAttachment(number: number, isLarge: isLarge)
                let parts = steps.indices.filter { steps[$0].condition?.attachment == way }
                return !parts.isEmpty && parts.allSatisfy(delivered.contains)
            }
        }
    }
}

extension PlannedStep {
    /// Whether every run that gets further has done it.
    var isCertain: Bool { condition == nil }

    fileprivate var condition: PlannedCondition? {
        if case .request(let request) = self { request.operation.condition } else { nil }
    }

    /// Whether it sends a draft.
    fileprivate var isSending: Bool {
        guard case .request(let request) = self, case .plain(let end)? = request.url.last else { return false }
        return request.operation.name == "sendMail" && end.hasSuffix("/send")
    }

    /// Whether the same execution of a task does this step before the other one.
    fileprivate func isNeeded(for other: PlannedStep) -> Bool {
        guard let condition else { return other.condition.map { !$0.isExtra || $0.attachment != nil } ?? true }
        return (!condition.isExtra || condition.attachment != nil) && condition == other.condition
    }

    /// Whether this step rules out the other one in the same execution, because it is of another kind.
    fileprivate func excludes(_ other: PlannedStep) -> Bool {
        guard case .request(let mine) = self, case .request(let theirs) = other else { return false }
        if let one = condition?.attachment, let another = other.condition?.attachment {
            return one.number == another.number && one != another
        }
        // A mail that is sent directly replaces a refused draft.
        if let condition = other.condition, condition.isExtra, condition.attachment == nil, theirs.isOnce {
            return mine.operation.effect != .read
        }
        return zip(condition?.kinds ?? [], other.condition?.kinds ?? []).contains { $0 != $1 }
    }
}
