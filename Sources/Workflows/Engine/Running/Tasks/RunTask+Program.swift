extension Run {
    /// Runs a program or another workflow (specification: dsl-reference.md, "Run").
    func perform(_ process: Workflow.Process, _ task: ActiveTask) throws -> Promise<Outcome> {
        switch process.kind {
        case .shell, .script, .container: try performProgram(process, task)
        case .workflow(let reference, let template):
            try perform(reference, input: template, isAwaited: process.isAwaited, task)
        }
    }

    private func performProgram(_ process: Workflow.Process, _ task: ActiveTask) throws -> Promise<Outcome> {
        let known = memory(of: task.execution)?.call
        let recorded =
            known?.end.map { result(of: $0) }
            ?? known.flatMap { assumption(of: $0, task, whenSent: process.result.assumed) }
        if let recorded {
            return recorded.map { Outcome(value: process.isAwaited ? $0 : task.input, flow: task.then) }
        }
        return firstly { try performProgram(process, as: task) }.recover { [performer] error in
            try performer.perform(try performer.replaceProgram(after: error, task), of: process, task)
        }
    }

    private func performProgram(_ process: Workflow.Process, as task: ActiveTask) throws -> Promise<Outcome> {
        guard case .script(let language, _, let surroundings) = process.kind,
            let text = try scriptText(of: process, task)
        else { return try performer.perform(try program(process, task), of: process, task) }
        return text.then { text in
            var process = process
            let code = self.sent(text).string ?? ""
            process.kind = .script(language, .text(code), surroundings)
            return try self.performer.perform(try self.program(process, task), of: process, task)
        }
    }
}

extension LiveTaskPerformer {
    func replaceProgram(after error: any Error, _ task: ActiveTask) throws -> ChildProgram { throw error }

    /// The maximum size of a stream that is part of the result, in bytes.
    static let mostOutput = 16_000_000

    func perform(
        _ program: ChildProgram, of process: Workflow.Process, _ task: ActiveTask
    ) throws -> Promise<Outcome> {
        // If a suspension waits for programs, the program counts as a request that must be made once.
        let commitment = Commitment(run.journal)
        let isCommitted = process.isAwaited && run.runner.suspension?.awaitsPrograms ?? false
        guard isCommitted ? commitment.begin() : run.journal.mayBegin else { return .never }
        do { try run.world.allow(program, at: run.place(of: task)) } catch {
            commitment.end()
            throw error
        }
        run.begin([program.effect], task, sending: program.start.all)
        run.record(.callStarted(task.reference, .once), task.occurrence)
        return run.commit().thenAtOnce {
            guard let container = program.container, let ready = ready(for: container) else {
                return try start(program, of: process, task)
            }
            return ready.recover(policy: .allErrors) { error -> Promise<Void> in
                run.account([program.effect], .refused, task, sending: program.start.all)
                run.record(.callEnded(task.reference, nil), task.occurrence)
                throw error
            }.then { try start(program, of: process, task) }
        }.ensure { commitment.end() }
    }

    /// What a container waits for: an earlier one of its name, and the search for those that earlier runs left.
    private func ready(for container: ContainerCare) -> Promise<Void>? {
        let processes = run.runner.processes
        let former = processes.containerEnded(container.name)
        guard processes.takeLookForContainers() else { return former }
        return (former ?? .value(())).then { run.runner.removeLeftContainers() }
    }

    /// Starts a program after all events before it are on disk.
    private func start(
        _ program: ChildProgram, of process: Workflow.Process, _ task: ActiveTask
    ) throws -> Promise<Outcome> {
        let runner = run.runner
        let end = { @Sendable [program] (end: Event.CallEnd?, state: Effect.State) in
            run.record(.callEnded(task.reference, end), task.occurrence)
            run.account([program.effect], state, task, sending: program.start.all)
        }
        guard process.isAwaited else {
            do throws(SystemError) {
                let child = try runner.processes.start(program, clock: runner.clock)
                run.unattended.withLock { $0.append(child) }
            } catch {
                let error = Self.cannotStart(program, error)
                end(.failed(error), .refused)
                throw error
            }
            end(.completed(.null), .done)
            return .value(Outcome(value: task.input, flow: task.then))
        }
        var program = program
        program.kept = process.result.kept(upTo: Self.mostOutput, tail: Self.errorTail)
        return runner.processes.run(program, clock: runner.clock)
            .recover { [program] error -> Promise<ProcessEnd> in
                guard let error = error as? SystemError else { throw error }
                throw Self.cannotStart(program, error)
            }.map { [program] ended in
                let result = try self.output(of: ended, process, program)
                end(.completed(result), .done)
                return Outcome(value: result, flow: task.then)
            }.recover(policy: .allErrors) { [program] error -> Promise<Outcome> in
                guard !error.isCancelled else {
                    end(nil, .unknown)
                    throw error
                }
                let hasStarted = !(error is WorkflowError) || (error as? WorkflowError)?.cause as? SystemError == nil
                let error = WorkflowError(error, at: task.reference).marking(program.start.all)
                end(.failed(error), hasStarted ? .done : .refused)
                throw error
            }
    }

    static func cannotStart(_ program: ChildProgram, _ error: SystemError) -> WorkflowError {
        let hint =
            error.code == E2BIG ? ": pass long data through 'stdin' and scripts through 'source'" : ""
        return WorkflowError(
            error.code == ENOENT ? .configuration : .runtime,
            detail: "'\(program.path)' could not be started: \(error)\(hint)", cause: error)
    }

    /// The task's output from a program's end; a failure is an error, unless the task asks for the exit code.
    private func output(
        of end: ProcessEnd, _ process: Workflow.Process, _ program: ChildProgram
    ) throws(WorkflowError) -> Value {
        let what = process.kind.title
        if let stream = end.flooded {
            throw WorkflowError(
                .runtime,
                detail:
                    "\(what) wrote more than \(Self.mostOutput / 1_000_000) MB to \(stream.rawValue), and was ended: "
                    + "let it write to a file, or use 'return: none'")
        }
        switch process.result {
        case .code: return .integer(end.code)
        case .all: return ["code": .integer(end.code), "stdout": end.output.text, "stderr": end.error.text]
        case .stdout, .stderr, .none: break
        }
        guard end.code == 0 else {
            let cause = end.signal.map { "was ended by signal \($0)" } ?? "ended with exit code \(end.code)"
            var error = WorkflowError(.runtime, detail: "\(what) \(cause)").after(lastWords(of: end.error, program))
            error.members["exitCode"] = .integer(end.code)
            throw error
        }
        return switch process.result {
        case .stdout: end.output.text
        case .stderr: end.error.text
        case .code, .all, .none: .null
        }
    }
}

extension DryTaskPerformer {
    /// An unknown program, with the reason as a gap of the plan.
    func replaceProgram(after error: any Error, _ task: ActiveTask) throws -> ChildProgram {
        guard !error.isCancelled, task.readsUnknown else { throw error }
        let error = WorkflowError(error, at: task.reference)
        let reason = error.reason
        planner.noteGap("the program of '\(task.name)' is only known at run time: \(reason)")
        planner.note { $0.outcome = .unknown(reason) }
        let token = planner.unknowns.token(for: planner.unknown("\(task.name).command", .text))
        return ChildProgram(
            path: token, arguments: [], environment: [:], folder: nil, standardInput: nil, shown: [token],
            givenVariables: [])
    }

    /// Plans a program, which is not started; its output is unknown.
    func perform(
        _ program: ChildProgram, of process: Workflow.Process, _ task: ActiveTask
    ) throws -> Promise<Outcome> {
        let planned = PlannedProcess(
            program, of: task, at: run.path(to: task.occurrence), isAwaited: process.isAwaited, planner.unknowns)
        planner.add(.process(planned))
        guard process.isAwaited else { return .value(Outcome(value: task.input, flow: task.then)) }
        let name = planner.unknowns.unique(task.name)
        let code = Value.unknown(Unknown("\(name).code", .number))
        let output = Value.unknown(Unknown("\(name).stdout", .text))
        let error = Value.unknown(Unknown("\(name).stderr", .text))
        let result: Value =
            switch process.result {
            case .stdout: output
            case .stderr: error
            case .code: code
            case .all: ["code": code, "stdout": output, "stderr": error]
            case .none: .null
            }
        return .value(Outcome(value: result, flow: task.then))
    }
}

extension Workflow.Process.Kind {
    fileprivate var title: String {
        switch self {
        case .shell: "the command"
        case .script: "the script"
        case .container: "the container"
        case .workflow: "the workflow"
        }
    }
}

extension Workflow.Process.Result {
    fileprivate func kept(upTo limit: Int, tail: Int) -> ChildProgram.Kept {
        switch self {
        case .stdout: ChildProgram.Kept(output: .all(upTo: limit), error: .last(tail))
        case .stderr: ChildProgram.Kept(output: .last(0), error: .all(upTo: limit))
        case .all: ChildProgram.Kept(output: .all(upTo: limit), error: .all(upTo: limit))
        case .code, .none: ChildProgram.Kept(output: .last(0), error: .last(tail))
        }
    }

    /// The assumed result of a program if the user states that it succeeded.
    fileprivate var assumed: Value {
        switch self {
        case .stdout, .stderr: ""
        case .code: 0
        case .all: ["code": 0, "stdout": "", "stderr": ""]
        case .none: .null
        }
    }
}

extension Data {
    /// The output of a program without trailing line ends, like the shell's `$(…)`.
    fileprivate var text: Value {
        var bytes = self[...]
        while bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        return .string(String(decoding: bytes, as: UTF8.self))
    }
}
