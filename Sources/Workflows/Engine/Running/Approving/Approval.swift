import Essentials
import Promises

/// What a run of an approved plan has found out, and what it may send and start.
///
/// The run reports the data of each task and the answers of each call. They are compared with the plan's: what is known
/// there must be the same, and an unknown stands for the value that its own answer gave, or for what the plan computes
/// from such values. A request is then compared with the plan's request in which every unknown has its value. After a
/// difference nothing with an effect is sent or started any more.
final class Approval: Sendable {
    /// A value that the run has found out for an unknown.
    struct Finding: Sendable {
        /// The place of the plan at which it was found out.
        let place: Int
        let occurrence: [Substring]
        let value: Value
        /// Whether it is from an answer, of which the call may make something else.
        var isRaw = false
    }

    struct State {
        var findings = Findings()
        /// What was sent and started, with the number of attempts and whether one of them succeeded.
        var done: DoneSteps
        var deviation: PlanDeviation?
    }

    /// A request that was sent, or a program that was started.
    struct Done: Sendable {
        let place: Int
        let step: Int
        let position: PlannedPlaces.Position
        var attempts: Int
        var hasSucceeded: Bool
        /// How many bytes of a content were sent.
        var end = 0
    }

    let places: PlannedPlaces
    /// The SHA-256 of each file that the plan reads, by its path in the workflow's folder.
    let files: [String: String]
    let fileTypes: [String: String]
    let unknowns: UnknownTokens
    let secrets: SecretStore
    let state: Locked<State>
    /// Whether something was found out again as another value.
    let hasChanged = Locked(false)
    /// The sizes of the blobs that tasks got, by their digests.
    let sizes = Locked<[String: Int]>([:])
    private let folder: WorkflowFiles
    private let pieces = Locked<[String: FilePieces]>([:])
    /// The moments that expressions take as now, by the tasks' executions.
    private let moments = Locked<[TaskExecution: Date]>([:])

    init(_ plan: Plan, secrets: SecretStore) {
        places = PlannedPlaces(plan.tasks)
        state = Locked(State(done: DoneSteps(places)))
        files = plan.files
        fileTypes = plan.fileTypes
        unknowns = plan.unknowns
        folder = WorkflowFiles(folder: plan.workflow.folder)
        self.secrets = secrets
    }

    /// The difference that was found; nil as long as there is none.
    var deviation: PlanDeviation? { state.withLock { $0.deviation } }

    /// Records a difference; the first one counts.
    func note(_ deviation: PlanDeviation) {
        state.withLock { if $0.deviation == nil { $0.deviation = deviation } }
    }

    /// A file that is as in the plan; nil for any other.
    func pieces(of path: String) -> FilePieces? {
        if let known = pieces.withLock({ $0[path] }) { return known }
        guard let digest = files[path], let url = try? folder.locate(path, upTo: GraphClient.largestUpload),
            let file = FilePieces(url, digest: digest)
        else { return nil }
        pieces.withLock { $0[path] = file }
        return file
    }

    /// The moment that the expressions of a task take as now, so that what they compute can be computed again.
    func moment(of task: TaskExecution) -> Date {
        moments.withLock { moments in
            if let known = moments[task] { return known }
            let now = Date()
            moments[task] = now
            return now
        }
    }

    /// Compares the data with which a task begins with the plan's.
    /// - Parameters:
    ///   - context: The context; nil for a task that began before its run was resumed.
    ///   - locals: The names that tasks around it define.
    ///   - descriptors: What only a run knows of the workflow and of the task itself.
    func begin(
        _ task: TaskExecution, input: Value, context: Value?, locals: [String: Value], _ descriptors: [String: Value]
    ) {
        compare(task, "the data of this task") { planned throws(Unsettled) in
            var pairs: [(Value, Value)] = []
            if let known = planned.input { pairs.append((known, input)) }
            if let known = planned.context, let context { pairs.append((known, context)) }
            for (name, value) in planned.descriptors { pairs.append((value, descriptors[name] ?? .null)) }
            for (name, value) in planned.locals { pairs.append((value, locals[name] ?? .null)) }
            return pairs
        }
    }

    /// Compares what a task's action gave with the plan's, before the task's `output.as`.
    func end(_ task: TaskExecution, output: Value) {
        compare(task, "the output of this task") { planned throws(Unsettled) in
            planned.rawOutput.map { [($0, output)] } ?? []
        }
    }

    private func compare(
        _ task: TaskExecution, _ what: String,
        _ pairs: (PlannedTask) throws(Unsettled) -> [(planned: Value, real: Value)]
    ) {
        let candidates = places.matching(task.task, task.occurrence)
        guard !candidates.isEmpty else {
            return note(PlanDeviation("the plan does not have the task '\(task.task)'"))
        }
        let occurrence = PlannedPlaces.parts(task.occurrence)
        var why: Unsettled?
        var isFound = false
        for place in candidates {
            do throws(Unsettled) {
                let pairs = try pairs(places.all[place].task)
                keep(try found(at: place, occurrence, pairs))
                isFound = true
            } catch {
                why = why ?? error
            }
        }
        if !isFound, let why { note(PlanDeviation("\(what) '\(task.task)' differ from the plan: \(why.words)")) }
    }

    /// What data of a run say of the plan's unknowns.
    func found(
        at place: Int, _ occurrence: [Substring], _ pairs: [(planned: Value, real: Value)], isRecalling: Bool = false
    ) throws(Unsettled) -> Findings {
        var reading = PlanReading(
            self, at: place, occurrence, findings: state.withLock { $0.findings }, isRecalling: isRecalling)
        for (planned, real) in pairs { try reading.take(real.revealed, as: planned) }
        return reading.added
    }

    /// Keeps what was found out by a reading, which is over so that the other findings are not copied.
    func keep(_ found: Findings) { state.withLock { $0.findings.add(found) } }

    /// Decides whether a request may be sent, or a program started, which is compared by the closure.
    /// - Returns: The step of the plan; nil if it is not in the plan, or not now.
    func allow(
        _ task: TaskExecution, attempts: Int,
        _ matches: (PlannedStep, inout PlanReading) -> Bool
    ) -> (place: Int, step: Int)? {
        let occurrence = PlannedPlaces.parts(task.occurrence)
        return state.withLock { state in
            guard state.deviation == nil else { return nil }
            let candidates = places.matching(task.task, task.occurrence)
            for place in candidates {
                let path = places.all[place].path
                for (number, step) in places.all[place].task.steps.enumerated() {
                    var reading = PlanReading(self, at: place, occurrence, findings: state.findings)
                    guard matches(step, &reading) else { continue }
                    // Another way to the same execution of the task has the same request.
                    let isRepeated = candidates.contains { other in
                        guard other != place else { return false }
                        return state.done.indices(of: other, occurrence).contains { index in
                            let done = state.done[index]
                            var reading = PlanReading(self, at: other, occurrence, findings: state.findings)
                            return done.hasSucceeded && matches(places.all[other].task.steps[done.step], &reading)
                        }
                    }
                    guard !isRepeated else { continue }
                    let position = PlannedPlaces.Position(
                        path: path + [.position(0), .position(number)], occurrence: occurrence)
                    guard mayFollow(position, place, number, attempts: attempts, &reading, &state) else { continue }
                    return (place, number)
                }
            }
            return nil
        }
    }

    /// Fails if a program is not in the plan, or not now.
    func allow(_ program: ChildProgram, _ task: TaskExecution) throws(PlanDeviation) {
        let match = allow(task, attempts: 1) { step, reading in
            guard case .process(let planned) = step else { return false }
            return planned.allows(program, &reading)
        }
        guard let match else {
            let deviation = deviation ?? PlanDeviation(program)
            note(deviation)
            throw deviation
        }
        settle(match, task, hasSucceeded: true)
    }

    /// Records that a request was answered or a program was started, so that it is not done again.
    func settle(_ step: (place: Int, step: Int), _ task: TaskExecution, hasSucceeded: Bool) {
        guard hasSucceeded else { return }
        let occurrence = PlannedPlaces.parts(task.occurrence)
        state.withLock { state in
            let index = state.done.indices(of: step.place, occurrence).first { state.done[$0].step == step.step }
            if let index { state.done[index].hasSucceeded = true }
        }
    }

    /// Whether a step can be next: everything before it that is certain was done, and nothing after it.
    private func mayFollow(
        _ position: PlannedPlaces.Position, _ place: Int, _ step: Int, attempts: Int, _ reading: inout PlanReading,
        _ state: inout State
    ) -> Bool {
        let steps = places.all[place].task.steps
        let known = state.done.indices(of: place, position.occurrence)
        let same = known.first { state.done[$0].step == step }
        if let same {
            if let range = reading.range {
                // Of content of unknown length, the plan has one range, which stands for one after the other.
                guard range.bytes.lowerBound <= state.done[same].end else { return false }
                state.done[same].end = max(state.done[same].end, range.bytes.upperBound)
                return true
            }
            guard !state.done[same].hasSucceeded, state.done[same].attempts < attempts else { return false }
            state.done[same].attempts += 1
            return true
        }
        guard state.done.isInOrder(position) else { return false }
        let own = known.map { state.done[$0] }
        guard
            own.allSatisfy({ !$0.hasSucceeded || !steps[$0.step].excludes(steps[step]) }),
            (0..<step).allSatisfy({ number in
                own.contains { $0.step == number } || !steps[number].isNeeded(for: steps[step], &reading)
            }), reading.range.map({ $0.bytes.lowerBound == 0 }) ?? true
        else { return false }
        state.done.append(
            Done(
                place: place, step: step, position: position, attempts: 1, hasSucceeded: false,
                end: reading.range?.bytes.upperBound ?? 0))
        return true
    }
}

/// Why a value of a run is not the plan's.
struct Unsettled: Error {
    let words: String
}

extension PlannedStep {
    /// Whether a run that gets further has done it.
    var isCertain: Bool { if case .request(let request) = self { request.operation.condition == nil } else { true } }

    private var condition: PlannedCondition? {
        if case .request(let request) = self { request.operation.condition } else { nil }
    }

    /// Whether the same execution of a task does this step before the other one.
    fileprivate func isNeeded(for other: PlannedStep, _ reading: inout PlanReading) -> Bool {
        guard let condition else { return other.condition.map { !$0.isExtra || !$0.holds.isEmpty } ?? true }
        guard condition.isExtra else { return condition == other.condition }
        return !condition.holds.isEmpty && condition.holds.allSatisfy { reading.isSettled($0) == true }
    }

    /// Whether the same execution of a task does not do the other step after this one, because it is of another kind.
    fileprivate func excludes(_ other: PlannedStep) -> Bool {
        guard case .request(let mine) = self, case .request(let theirs) = other else { return false }
        // A mail that is sent directly takes the place of a draft that was refused.
        if let condition = other.condition, condition.isExtra, condition.holds.isEmpty, theirs.isOnce {
            return mine.operation.effect != .read
        }
        return zip(condition?.kinds ?? [], other.condition?.kinds ?? []).contains { $0 != $1 }
    }
}
