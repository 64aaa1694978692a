extension LiveTaskPerformer {
    /// How long a program may take to end by itself after its standard input was closed.
    private static let farewell = Duration.seconds(2)

    /// Starts a program and talks to it; the program ends with the conversation.
    func talk(
        to program: ChildProgram, _ task: ActiveTask, answer: @escaping RPCConnection.Answering,
        _ work: @escaping FunctionPrograms.Work
    ) throws -> Promise<Value>? {
        try run.world.allow(program, at: run.place(of: task))
        let conversation = ProgramConversation(
            upTo: NetworkTransport.usualLimit, errorTail: Self.errorTail, answer: answer)
        let program = conversation.connected(to: try located(program))
        let ended = run.runner.processes.run(program, clock: run.runner.clock)
        ended.pipe { _ in conversation.close() }
        return work(conversation).recover { error -> Promise<Value> in
            guard let error = error as? RPCError else { throw complete(error, conversation, program) }
            guard error == RPCConnection.ended else { throw error }
            return failure(of: program, ended, conversation)
        }.recover(policy: .allErrors) { error -> Promise<Value> in
            conversation.close()
            ended.cancel()
            throw error
        }.then { value -> Promise<Value> in
            conversation.close()
            let alarm = run.runner.clock.schedule(after: Self.farewell) { ended.cancel() }
            return Promise { resolver in
                ended.pipe { _ in
                    alarm.cancel()
                    resolver.fulfill(value)
                }
            }
        }.onCancel {
            conversation.close()
            ended.cancel()
        }
    }

    /// The program by its path: a name is looked for in `PATH`, a path starts in the workflow's folder.
    private func located(_ program: ChildProgram) throws(WorkflowError) -> ChildProgram {
        var program = program
        guard !program.path.contains("/") else {
            if !program.path.hasPrefix("/"), let folder = program.folder { program.path = "\(folder)/\(program.path)" }
            return program
        }
        guard let path = ProcessEnvironment.path(of: program.path, on: program.environment["PATH"] ?? "") else {
            throw WorkflowError(
                .configuration,
                detail: "'\(PlainText.exact(program.path, limit: 100))' is not in PATH: install it, or write its path")
        }
        program.path = path
        return program
    }

    /// The error of a program that ended before it answered, or could not be started.
    private func failure(
        of program: ChildProgram, _ ended: Promise<ProcessEnd>, _ conversation: ProgramConversation
    ) -> Promise<Value> {
        let name = PlainText.exact(program.shown.first ?? "", limit: 200)
        guard !conversation.isOverwhelmed else {
            let largest = NetworkTransport.usualLimit / 1_000_000
            return Promise(
                error: WorkflowError(
                    .runtime, detail: "'\(name)' sent a message of more than \(largest) MB: let it answer with less"))
        }
        return ended.map { end -> Value in
            let cause = end.signal.map { "was ended by signal \($0)" } ?? "ended with exit code \(end.code)"
            let detail = "'\(name)' \(cause) before it answered: check its command, arguments and environment"
            throw complete(WorkflowError(.runtime, detail: detail), conversation, program)
        }.recover { error -> Promise<Value> in
            guard let error = error as? SystemError else { throw error }
            throw Self.cannotStart(program, error)
        }
    }

    /// The error with what the program wrote before it.
    private func complete(
        _ error: any Error, _ conversation: ProgramConversation, _ program: ChildProgram
    ) -> any Error {
        guard var error = error as? WorkflowError else { return error }
        if let complaint = conversation.complaint { error.members["detail"] = .string("\(error.reason); \(complaint)") }
        return error.after(lastWords(of: conversation.standardError, program))
    }
}

extension DryTaskPerformer {
    /// Notes a program, which is not started.
    func talk(
        to program: ChildProgram, _ task: ActiveTask, answer: @escaping RPCConnection.Answering,
        _ work: @escaping FunctionPrograms.Work
    ) -> Promise<Value>? {
        planner.add(
            .process(
                PlannedProcess(
                    program, of: task, at: run.path(to: task.occurrence), isAwaited: true, planner.unknowns)))
        return nil
    }
}
