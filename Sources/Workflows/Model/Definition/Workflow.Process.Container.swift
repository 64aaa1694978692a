extension Workflow.Process {
    /// A container that a task runs.
    ///
    /// Specification: dsl-reference.md, "Container Process".
    package struct Container: Sendable {
        package var image: Template
        /// The container's name; nil for a generated one.
        package var name: Template?
        /// The command; nil for the image's own.
        package var command: Command?
        /// Ports of this machine, each with the container's port that it leads to.
        package var ports: Template?
        /// Folders of this machine or named volumes, each with its place in the container.
        package var volumes: Template?
        package var pullPolicy: PullPolicy
        package var lifetime: Lifetime

        /// What is run in a container; no shell reads it.
        package enum Command: Sendable {
            case words([String])
            /// An expression of one word, or of an array of them.
            case expression(Template)
        }

        package enum PullPolicy: String, Sendable, Hashable, CaseIterable {
            case ifNotPresent, always, never
        }

        package struct Lifetime: Sendable {
            package var cleanup = Cleanup.never
            /// The time between its end and its eventual removal.
            package var after: DurationSource?
        }

        package enum Cleanup: String, Sendable, Hashable, CaseIterable {
            case always, never, eventually
        }

        /// The parts that may have expressions, by their names in the file.
        var templates: [(name: String, template: Template?)] {
            let parts: [(String, Template?)] = [
                ("image", image), ("name", name), ("ports", ports), ("volumes", volumes),
            ]
            guard case .expression(let template) = command else { return parts }
            return parts + [("command", template)]
        }
    }

    static func container(_ node: DocumentNode, _ decoding: Decoding) -> Kind? {
        let known = ["image", "name", "command", "ports", "volumes", "pullPolicy", "lifetime"] + Surroundings.known
        guard decoding.check(node, is: "'container'", known: known, required: ["image"]),
            let text = decoding.string(node["image"], "an image"),
            let image = decoding.template(node["image"], mode: .strict),
            let surroundings = Surroundings(node, decoding, isScript: false)
        else { return nil }
        if image.isConstant, let problem = Container.problem(ofImage: text) {
            decoding.report("container", problem, at: node.pointer.appending("image"))
        }
        var container = Container(
            image: image,
            pullPolicy: decoding.choice(node["pullPolicy"], Container.PullPolicy.self, "'pullPolicy'")
                ?? .ifNotPresent, lifetime: Container.Lifetime())
        if let name = node["name"] {
            guard let text = decoding.string(name, "a name"), let template = decoding.template(name, mode: .strict)
            else { return nil }
            if template.isConstant, let problem = Container.problem(ofName: text) {
                decoding.report("container", problem, at: name.pointer)
            }
            container.name = template
        }
        if let command = node["command"] {
            guard let decoded = Container.Command(command, decoding) else { return nil }
            container.command = decoded
        }
        typealias Problem = (_ key: String, _ value: String) -> String?
        let mappings: [(String, WritableKeyPath<Container, Template?>, Problem)] = [
            ("ports", \.ports, Container.problem(ofPort:to:)),
            ("volumes", \.volumes, Container.problem(ofVolume:to:)),
        ]
        for (name, place, problem) in mappings {
            guard let part = node[name] else { continue }
            guard let template = mapping(part, "'\(name)'", decoding, problem) else { return nil }
            container[keyPath: place] = template
        }
        if let lifetime = node["lifetime"] {
            guard let decoded = Container.Lifetime(lifetime, decoding) else { return nil }
            container.lifetime = decoded
        }
        return .container(container, surroundings)
    }

    /// An object of ports or volumes, whose known entries are checked.
    private static func mapping(
        _ node: DocumentNode, _ what: String, _ decoding: Decoding, _ problem: (String, String) -> String?
    ) -> Template? {
        guard let entries = node.value.object else {
            decoding.report("type", "\(what) must be an object, but this is \(node.value.described)", at: node.pointer)
            return nil
        }
        guard let template = decoding.template(node, mode: .strict) else { return nil }
        for (key, value) in entries where value.string?.contains("${") != true {
            guard let problem = problem(key, value.processText) else { continue }
            decoding.report("container", problem, at: node.pointer.appending(key))
        }
        return template
    }
}

extension Workflow.Process.Container.Command {
    fileprivate init?(_ node: DocumentNode, _ decoding: Decoding) {
        // Strict in every mode, as for commands of the shell.
        guard let text = decoding.string(node, "a command"), let template = decoding.template(node, mode: .strict)
        else { return nil }
        guard template.isConstant else {
            let trimmed = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace)
            guard text.drop(while: \.isWhitespace).hasPrefix("${"), trimmed.first == "}" else {
                // Data with spaces in it would become several words.
                decoding.report(
                    "container", "a container's command cannot have expressions between its words",
                    hint: "pass data by 'arguments', 'environment' or 'stdin'", at: node.pointer)
                return nil
            }
            self = .expression(template)
            return
        }
        guard let words = Workflow.Process.Container.words(of: text) else {
            decoding.report("container", "a quotation mark in this command is not closed", at: node.pointer)
            return nil
        }
        self = .words(words)
    }
}

extension Workflow.Process.Container.Lifetime {
    fileprivate init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard
            decoding.check(node, is: "'lifetime'", known: ["cleanup", "after"], required: ["cleanup"]),
            let cleanup = decoding.choice(
                node["cleanup"], Workflow.Process.Container.Cleanup.self, "'cleanup'")
        else { return nil }
        self.init(cleanup: cleanup)
        if let after = node["after"] {
            guard let duration = decoding.duration(after) else { return nil }
            self.after = duration
        } else if cleanup == .eventually {
            decoding.report(
                "missing-property", "'lifetime' needs the property 'after' with 'cleanup: eventually'",
                at: node.pointer)
            return nil
        }
    }
}
