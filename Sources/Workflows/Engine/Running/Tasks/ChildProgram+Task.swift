extension Run {
    func program(_ process: Workflow.Process, _ task: ActiveTask) throws(WorkflowError) -> ChildProgram {
        switch process.kind {
        case .shell(let command, let surroundings):
            let code = try task.evaluate(command)
            let command = try text(of: sent(code), "the command")
            var program = try program("/bin/sh", surroundings, task)
            program.start.code = code
            // The word after the command is '$0', and the arguments are '$1' and so on.
            program.arguments = ["sh", "-c", command, "sh"] + (try arguments(program.start, task).list)
            program.shown = program.arguments
            return program
        case .script(let language, let script, let surroundings):
            var program = try program("", surroundings, task)
            let interpreter = try Interpreter(of: language, on: program.environment["PATH"] ?? "")
            let (list, variables) = try arguments(program.start, task)
            let (code, source) = try self.script(script, task)
            program.start.code = source
            program.path = interpreter.path
            program.arguments = interpreter.arguments(for: code, list, variables: variables)
            program.shown = interpreter.shown(code) + list + variables.map { "\($0.key)=\($0.value.processText)" }
            return program
        case .container(let container, let surroundings):
            return try program(container, surroundings, isAwaited: process.isAwaited, task)
        case .workflow:
            throw WorkflowError(.runtime, detail: "a workflow is not a program")
        }
    }

    func program(
        _ path: String, _ surroundings: Workflow.Process.Surroundings, _ task: ActiveTask
    ) throws(WorkflowError) -> ChildProgram {
        var start = ProgramStart()
        start.arguments = try task.evaluate(surroundings.arguments)
        start.environment = try task.evaluate(surroundings.environment)
        start.standardInput = try task.evaluate(surroundings.standardInput)
        let given = surroundings.environment == nil ? [:] : sent(start.environment)
        guard let members = given.object else {
            throw WorkflowError(
                .expression, detail: "'environment' must be an object, but is \(given.described)")
        }
        var program = try program(path, environment: members)
        let standardInput = sent(start.standardInput)
        program.standardInput = surroundings.standardInput.map { _ in Data(standardInput.processText.utf8) }
        program.start = start
        return program
    }

    /// A program in the workflow's folder, with these variables and the harmless ones of this process.
    func program(_ path: String, environment given: Object) throws(WorkflowError) -> ChildProgram {
        var environment = ProcessEnvironment(runner.environment, passing: runner.access.variables).variables
        var names = runner.access.variables.sorted()
        for (name, value) in given {
            guard !name.isEmpty, !name.contains("="), !name.utf8.contains(0) else {
                throw WorkflowError(
                    .validation, detail: "'\(PlainText.exact(name, limit: 100))' cannot be the name of a variable")
            }
            if !names.contains(name) { names.append(name) }
            environment[name] = try text(of: value, "the variable '\(PlainText.exact(name, limit: 100))'")
        }
        return ChildProgram(
            path: path, arguments: [], environment: environment,
            folder: workflow.folder?.standardizedFileURL.path(percentEncoded: false), shown: [], givenVariables: names)
    }

    /// The arguments in order, or the variables of a script.
    func arguments(
        _ start: ProgramStart, _ task: ActiveTask
    ) throws(WorkflowError) -> (list: [String], variables: Object) {
        let given = sent(start.arguments)
        if let members = given.object { return ([], members) }
        var list: [String] = []
        for element in given.array ?? [] { list.append(try text(of: element, "an argument")) }
        return (list, [:])
    }

    private func script(
        _ script: Workflow.Process.Script, _ task: ActiveTask
    ) throws(WorkflowError) -> (script: Interpreter.Script, source: Value) {
        switch script {
        case .text(let code): return (.code(code), world.received(.string(code)))
        case .code(let template):
            let source = try task.evaluate(template)
            return (.code(try text(of: sent(source), "the script")), source)
        case .resource(let resource):
            do {
                guard case .file(let path) = try address(of: resource, task.input, task.scope) else {
                    throw WorkflowError(.configuration, detail: "the script was not read")
                }
                // A plan notes the file when it is read; the run of an approved plan checks it.
                if files.watch != nil { _ = try files.contents(of: path) }
                return (.file(try files.locate(path).path(percentEncoded: false)), .string(path))
            } catch {
                throw WorkflowError(.configuration, detail: "\(error)", cause: error)
            }
        }
    }

    func text(of value: Value, _ what: String) throws(WorkflowError) -> String {
        let text = value.processText
        guard !text.utf8.contains(0) else {
            throw WorkflowError(
                .validation, detail: "\(what) contains a null character, which cannot be passed to a program")
        }
        return text
    }
}
