import Foundation

extension Run {
    /// The program that a task runs.
    func program(_ process: Workflow.Process, _ task: ActiveTask) throws(WorkflowError) -> ChildProgram {
        switch process.kind {
        case .shell(let command, let surroundings):
            let command = try text(of: try revealed(command, task), "the command")
            var program = try program("/bin/sh", surroundings, task)
            // The word after the command is '$0', and the arguments are '$1' and so on.
            program.arguments = ["sh", "-c", command, "sh"] + (try arguments(surroundings, task).list)
            program.shown = program.arguments
            return program
        case .script(let language, let script, let surroundings):
            var program = try program("", surroundings, task)
            let interpreter = try Interpreter(of: language, on: program.environment["PATH"] ?? "")
            let (list, variables) = try arguments(surroundings, task)
            let code = try self.script(script, task)
            program.path = interpreter.path
            program.arguments = interpreter.arguments(for: code, list, variables: variables)
            program.shown = interpreter.shown(code) + list + variables.map { "\($0.key)=\($0.value.processText)" }
            return program
        case .workflow:
            throw WorkflowError(.runtime, detail: "a workflow is not a program")
        }
    }

    private func program(
        _ path: String, _ surroundings: Workflow.Process.Surroundings, _ task: ActiveTask
    ) throws(WorkflowError) -> ChildProgram {
        var environment = ProcessEnvironment(runner.environment).variables
        var names: [String] = []
        if let given = try surroundings.environment.map({ template throws(WorkflowError) in
            try revealed(template, task)
        }) {
            guard let members = given.object else {
                throw WorkflowError(
                    .expression, detail: "'environment' must be an object, but is \(given.described)")
            }
            for (name, value) in members {
                guard !name.isEmpty, !name.contains("="), !name.utf8.contains(0) else {
                    throw WorkflowError(
                        .validation, detail: "'\(PlainText.line(name, limit: 100))' cannot be the name of a variable")
                }
                names.append(name)
                environment[name] = try text(of: value, "the variable '\(PlainText.line(name, limit: 100))'")
            }
        }
        let standardInput = try surroundings.standardInput.map { template throws(WorkflowError) in
            try revealed(template, task)
        }
        return ChildProgram(
            path: path, arguments: [], environment: environment,
            folder: workflow.folder?.standardizedFileURL.path(percentEncoded: false),
            standardInput: standardInput.map { Data($0.processText.utf8) }, shown: [], givenVariables: names)
    }

    /// The arguments in order, or the variables of a script.
    private func arguments(
        _ surroundings: Workflow.Process.Surroundings, _ task: ActiveTask
    ) throws(WorkflowError) -> (list: [String], variables: Object) {
        guard let template = surroundings.arguments else { return ([], [:]) }
        let given = try revealed(template, task)
        if let members = given.object { return ([], members) }
        var list: [String] = []
        for element in given.array ?? [] { list.append(try text(of: element, "an argument")) }
        return (list, [:])
    }

    private func script(
        _ script: Workflow.Process.Script, _ task: ActiveTask
    ) throws(WorkflowError) -> Interpreter.Script {
        switch script {
        case .text(let code): return .code(code)
        case .code(let template):
            let code = try text(of: try revealed(template, task), "the script")
            return .code(code)
        case .resource(let resource):
            do {
                guard case .file(let path) = try address(of: resource, task.input, task.scope) else {
                    throw WorkflowError(.configuration, detail: "the script was not read")
                }
                return .file(try files.locate(path).path(percentEncoded: false))
            } catch {
                throw WorkflowError(.configuration, detail: "\(error)", cause: error)
            }
        }
    }

    /// The data for a program, with revealed secrets.
    private func revealed(_ template: Template, _ task: ActiveTask) throws(WorkflowError) -> Value {
        try secrets.reveal(try evaluate(template, task), in: task.reference)
    }

    /// A text without null characters.
    private func text(of value: Value, _ what: String) throws(WorkflowError) -> String {
        let text = value.processText
        guard !text.utf8.contains(0) else {
            throw WorkflowError(
                .validation, detail: "\(what) contains a null character, which cannot be passed to a program")
        }
        return text
    }
}

extension Value {
    /// The value for a program: a text unchanged, an empty text for null, or else JSON.
    fileprivate var processText: String {
        switch self {
        case .string(let text): text
        case .null: ""
        default: json()
        }
    }
}
