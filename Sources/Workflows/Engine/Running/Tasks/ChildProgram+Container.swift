extension Run {
    /// The call of podman or docker that runs a container.
    func program(
        _ container: Workflow.Process.Container, _ surroundings: Workflow.Process.Surroundings, isAwaited: Bool,
        _ task: ActiveTask
    ) throws(WorkflowError) -> ChildProgram {
        var program = try program("", surroundings, task)
        let engine = try engine
        let code = try code(of: container, task)
        program.start.code = .object(code)
        let after = try container.lifetime.after.map { source throws(WorkflowError) in
            try task.scope.duration(source, task.input)
        }

        let id = identity(task)
        var arguments = ContainerArguments(
            image: try checked(code["image"], "the image", Workflow.Process.Container.problem(ofImage:)),
            name: container.name == nil
                ? id.name : try checked(code["name"], "the name", Workflow.Process.Container.problem(ofName:)),
            labels: labels(of: container, id.label, isAwaited: isAwaited, task),
            pullPolicy: container.pullPolicy, removesItself: container.lifetime.cleanup == .always,
            readsInput: surroundings.standardInput != nil)
        if container.lifetime.cleanup == .eventually, let after {
            let isKnown = code["after"]?.holdsUnknown != true
            let text = isKnown ? Value.double(after.seconds).json() : sent(code["after"] ?? .null).processText
            arguments.labels.append((ContainerArguments.Label.after, text))
        }
        arguments.ports = try ports(sent(code["ports"] ?? .null))
        arguments.volumes = try volumes(sent(code["volumes"] ?? .null))
        arguments.words = try words(code["command"] ?? .null) + (try self.arguments(program.start, task).list)
        try pass(to: &program, by: engine, &arguments)
        let name = engine?.name ?? ContainerEngine.shown(runner.environment)
        program.path = engine?.path ?? name
        program.arguments = [name] + arguments.list
        program.shown = program.arguments
        program.container = engine.map {
            ContainerCare(
                engine: $0, id: id.label, name: arguments.name, cleanup: container.lifetime.cleanup, after: after)
        }
        return program
    }

    /// What the container is started with in addition to its arguments, environment and input; plans compare it.
    private func code(of container: Workflow.Process.Container, _ task: ActiveTask) throws(WorkflowError) -> Object {
        var code: Object = [
            "image": try task.evaluate(container.image), "name": try task.evaluate(container.name),
            "ports": try task.evaluate(container.ports), "volumes": try task.evaluate(container.volumes),
        ]
        switch container.command {
        case .words(let words): code["command"] = .array(words.map { .string($0) })
        case .expression(let template): code["command"] = try task.evaluate(template)
        case nil: break
        }
        if case .expression(let expression) = container.lifetime.after {
            code["after"] = try task.scope.evaluate(expression, task.input)
        }
        return code
    }

    /// Passes the container's variables in the program's environment, unless the program uses them itself.
    private func pass(
        to program: inout ChildProgram, by engine: ContainerEngine?, _ arguments: inout ContainerArguments
    ) throws(WorkflowError) {
        let given = program.environment
        program.environment = engine?.environment ?? [:]
        for name in program.givenVariables {
            if let problem = Workflow.Process.Container.problem(ofVariable: name) {
                throw WorkflowError(.validation, detail: problem)
            }
            let value = given[name] ?? ""
            guard ContainerEngine.uses(name) else {
                program.environment[name] = value
                arguments.variables.append(ContainerArguments.Variable(name: name, value: nil))
                continue
            }
            let variables = program.start.environment
            let isSet = variables.object?[name] != nil || variables.object == nil && !variables.isNull
            // The environment may hold secrets as well.
            guard isSet, !(variables.object?[name] ?? variables).holdsSecret else {
                throw WorkflowError(
                    .configuration,
                    detail: "the variable '\(name)' cannot \(isSet ? "hold a secret" : "be passed on") in a container: "
                        + "\(engine?.name ?? "podman") reads it itself, and as an argument every user of this "
                        + "machine could read it")
            }
            arguments.variables.append(ContainerArguments.Variable(name: name, value: value))
        }
    }

    /// The program that runs containers; nil in a plan if there is none.
    private var engine: ContainerEngine? {
        get throws(WorkflowError) {
            if let engine = ContainerEngine(runner.environment) { return engine }
            guard world.startsPrograms else { return nil }
            throw WorkflowError(.configuration, detail: ContainerEngine.missing(runner.environment).message)
        }
    }

    /// A unique id, and the name derived from it; unknown in a plan.
    private func identity(_ task: ActiveTask) -> (label: String, name: String) {
        let id = sent(world.fresh("\(task.name).container") { runner.makeID().lowercased() }).processText
        return (id, "graphflow-\(id)")
    }

    private func labels(
        of container: Workflow.Process.Container, _ id: String, isAwaited: Bool, _ task: ActiveTask
    ) -> [(name: String, value: String)] {
        let run = sent(evaluator.identity.id).processText
        let labels: [(name: String, value: String)] = [
            (ContainerArguments.Label.container, id), (ContainerArguments.Label.run, run),
            (ContainerArguments.Label.task, task.reference.description),
            (ContainerArguments.Label.cleanup, container.lifetime.cleanup.rawValue),
        ]
        return isAwaited ? labels : labels + [(ContainerArguments.Label.unawaited, "true")]
    }

    /// A text that is well-formed, as far as a plan knows it.
    private func checked(
        _ value: Value?, _ what: String, _ problem: (String) -> String?
    ) throws(WorkflowError) -> String {
        let text = try text(of: sent(value ?? .null), what)
        guard value?.holdsUnknown != true, let problem = problem(text) else { return text }
        throw WorkflowError(.validation, detail: problem)
    }

    /// The words of a computed command.
    private func words(_ command: Value) throws(WorkflowError) -> [String] {
        let command = sent(command)
        if case .null = command { return [] }
        var words: [String] = []
        for word in command.array ?? [command] { words.append(try text(of: word, "the command")) }
        return words
    }

    private func ports(_ given: Value) throws(WorkflowError) -> [(host: String, container: String)] {
        var ports: [(host: String, container: String)] = []
        for (host, container) in given.object ?? [:] {
            let container = container.processText
            if let problem = Workflow.Process.Container.problem(ofPort: host, to: container),
                !UnknownTokens.isIn(container)
            {
                throw WorkflowError(.validation, detail: problem)
            }
            ports.append((host, container))
        }
        return ports
    }

    private func volumes(_ given: Value) throws(WorkflowError) -> [(source: String, target: String)] {
        var volumes: [(source: String, target: String)] = []
        for (name, target) in given.object ?? [:] {
            var source = name
            if Workflow.Process.Container.isRelative(source) {
                guard let folder = workflow.folder else {
                    throw WorkflowError(
                        .configuration,
                        detail:
                            "the folder '\(PlainText.exact(source, limit: 200))' is relative to the workflow, which has "
                            + "no folder")
                }
                source = folder.appending(path: source).standardizedFileURL.path(percentEncoded: false)
            }
            let target = target.processText
            if let problem = Workflow.Process.Container.problem(ofVolume: source, to: target),
                !UnknownTokens.isIn(target)
            {
                throw WorkflowError(.validation, detail: problem)
            }
            volumes.append((source, target))
        }
        return volumes
    }
}
