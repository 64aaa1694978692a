extension Workflow {
    /// A process, or another workflow, that a task runs.
    ///
    /// Specification: dsl-reference.md, "Run".
    package struct Process: Sendable {
        package var kind: Kind
        /// Whether the task waits for the end; if not, its output is its input.
        package var isAwaited: Bool
        package var result: Result

        package enum Kind: Sendable {
            case shell(command: Template, Surroundings)
            case script(Language, Script, Surroundings)
            case container(Container, Surroundings)
            case workflow(Reference, input: Template?)
        }

        package enum Language: String, Sendable, Hashable, CaseIterable {
            case javaScript = "js"
            case python
        }

        package enum Script: Sendable {
            /// In the workflow itself, used verbatim: a script can contain `${ }`.
            case text(String)
            case code(Template)
            indirect case resource(ExternalResource)
        }

        /// The inputs of a process.
        package struct Surroundings: Sendable {
            /// The arguments: an array of them, or for a script an object of variables.
            package var arguments: Template?
            package var hasNamedArguments: Bool
            /// The environment variables in addition to those that every process gets.
            package var environment: Template?
            package var standardInput: Template?
        }

        package struct Reference: Sendable, Hashable {
            package var namespace: String
            package var name: String
            /// Its semantic version, or `latest`.
            package var version: String

            package init(namespace: String, name: String, version: String) {
                (self.namespace, self.name, self.version) = (namespace, name, version)
            }
        }

        package enum Result: String, Sendable, Hashable, CaseIterable {
            case stdout
            case stderr
            case code
            case all
            case none
        }
    }
}

extension Workflow.Process {
    private static let kinds = ["container", "script", "shell", "workflow"]

    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard decoding.check(node, is: "'run'", known: Self.kinds + ["await", "return"]) else { return nil }
        let given = Self.kinds.filter { node[$0] != nil }
        guard let name = given.first, given.count == 1, let body = node[name] else {
            decoding.report("process", "'run' must have one of \(Self.kinds.quoted)", at: node.pointer)
            return nil
        }
        let kind: Kind?
        switch name {
        case "container": kind = Self.container(body, decoding)
        case "shell": kind = Self.shell(body, decoding)
        case "script": kind = Self.script(body, decoding)
        default: kind = Self.workflow(body, decoding)
        }
        let isAwaited = decoding.bool(node["await"], "'await'") ?? true
        let result = decoding.choice(node["return"], Result.self, "'return'") ?? .stdout
        guard let kind else { return nil }
        self.init(kind: kind, isAwaited: isAwaited, result: result)
    }

    private static func shell(_ node: DocumentNode, _ decoding: Decoding) -> Kind? {
        guard
            decoding.check(
                node, is: "'shell'", known: ["command"] + Surroundings.known, required: ["command"]),
            decoding.string(node["command"], "a command") != nil,
            // Strict in every mode: 'env' and 'date' are commands here, not functions of jq.
            let command = decoding.template(node["command"], mode: .strict),
            let surroundings = Surroundings(node, decoding, isScript: false)
        else { return nil }
        return .shell(command: command, surroundings)
    }

    private static func script(_ node: DocumentNode, _ decoding: Decoding) -> Kind? {
        guard
            decoding.check(
                node, is: "'script'", known: ["language", "code", "source"] + Surroundings.known,
                required: ["language"]),
            let name = decoding.string(node["language"], "a language"),
            let surroundings = Surroundings(node, decoding, isScript: true)
        else { return nil }
        // The standard's text says 'js'; its examples also say 'javascript'.
        guard let language = name == "javascript" ? .javaScript : Language(rawValue: name) else {
            decoding.unsupported(
                "scripts in '\(name)'", at: node.pointer.appending("language"), hint: "use 'js' or 'python'")
            return nil
        }
        switch (node["code"], node["source"]) {
        case (let code?, nil):
            guard let text = decoding.string(code, "a script's code") else { return nil }
            let trimmed = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace)
            guard text.drop(while: \.isWhitespace).hasPrefix("${"), trimmed.first == "}" else {
                return .script(language, .text(text), surroundings)
            }
            guard let template = decoding.template(code, mode: .strict) else { return nil }
            return .script(language, .code(template), surroundings)
        case (nil, let source?):
            return ExternalResource(source, decoding).map { .script(language, .resource($0), surroundings) }
        default:
            decoding.report("process", "a script must have either 'code' or 'source'", at: node.pointer)
            return nil
        }
    }

    private static func workflow(_ node: DocumentNode, _ decoding: Decoding) -> Kind? {
        let required = ["namespace", "name", "version"]
        guard decoding.check(node, is: "'workflow'", known: required + ["input"], required: required),
            let namespace = decoding.string(node["namespace"], "a namespace"),
            let name = decoding.string(node["name"], "a name"),
            let version = decoding.string(node["version"], "a version")
        else { return nil }
        if let input = node["input"], input.value.object == nil {
            decoding.report(
                "type", "'input' must be an object, but this is \(input.value.described)",
                hint: "write an object with expressions in it: { name: ${ .name } }", at: input.pointer)
            return nil
        }
        let input = decoding.template(node["input"])
        guard node["input"] == nil || input != nil else { return nil }
        return .workflow(Reference(namespace: namespace, name: name, version: version), input: input)
    }
}

extension Workflow.Process.Surroundings {
    static let known = ["arguments", "environment", "stdin"]

    init?(_ node: DocumentNode, _ decoding: Decoding, isScript: Bool) {
        let given = (node["arguments"], node["environment"], node["stdin"])
        if let arguments = given.0, !Self.check(arguments, decoding, isScript: isScript) { return nil }
        if let environment = given.1, environment.value.object == nil {
            decoding.report(
                "type", "'environment' must be an object, but this is \(environment.value.described)",
                at: environment.pointer)
            return nil
        }
        if given.2 != nil, decoding.string(given.2, "'stdin'") == nil { return nil }
        let arguments = decoding.template(given.0)
        let environment = decoding.template(given.1)
        let standardInput = decoding.template(given.2)
        guard given.0 == nil || arguments != nil, given.1 == nil || environment != nil,
            given.2 == nil || standardInput != nil
        else { return nil }
        self.init(
            arguments: arguments, hasNamedArguments: given.0?.value.object != nil, environment: environment,
            standardInput: standardInput)
    }

    private static func check(_ node: DocumentNode, _ decoding: Decoding, isScript: Bool) -> Bool {
        if isScript, let names = node.value.object?.keys {
            for name in names where !name.isVariableName {
                decoding.report(
                    "name", "'\(name)' cannot be the name of a variable", hint: "use letters, digits and underscores",
                    at: node.pointer.appending(name), part: .key)
            }
            return true
        }
        guard let elements = node.elements else {
            decoding.report(
                "type", "'arguments' must be an array of strings, but this is \(node.value.described)",
                at: node.pointer)
            return false
        }
        for element in elements where element.value.string == nil {
            decoding.report(
                "type", "an argument must be a string, but this is \(element.value.described)",
                hint: "write it in quotes, or as an expression: ${ … }", at: element.pointer)
        }
        return true
    }
}

extension Value {
    /// The value for a program: text unchanged, empty text for null, JSON for everything else.
    package var processText: String {
        switch self {
        case .string(let text): text
        case .null: ""
        default: json()
        }
    }
}
