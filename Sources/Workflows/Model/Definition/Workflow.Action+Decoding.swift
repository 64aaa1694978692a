extension Workflow.Call {
    /// The calls of the standard.
    static let protocols = ["a2a", "asyncapi", "grpc", "http", "mcp", "openapi"]
    package static let supportedProtocols = ["http", "mcp", "openapi"]
    /// The name of the function that calls Microsoft Graph by method and path.
    package static let graph = "graph"
    /// The name of the function that runs a workflow for each item.
    package static let forEach = "forEach"

    /// Decodes a call; `metadata` is the task's.
    init?(
        _ node: DocumentNode, with arguments: DocumentNode?, metadata: DocumentNode?, _ decoding: Decoding
    ) {
        guard let function = decoding.string(node, "'call'") else { return nil }
        guard !Self.protocols.contains(function) || Self.supportedProtocols.contains(function) else {
            decoding.unsupported("calls of '\(function)'", at: node.pointer)
            return nil
        }
        var source: FunctionSource?
        let catalog = function.split(separator: "@", maxSplits: 1).dropFirst().first
        if function.contains("://") || catalog.map({ $0 != FunctionSource.defaultCatalog }) ?? false {
            source = FunctionSource(function, node, decoding)
            guard source != nil else { return nil }
        }
        guard let arguments else {
            self.init(function: function, arguments: nil, literal: [:])
            self.source = source
            return
        }
        guard arguments.value.object != nil else {
            decoding.report(
                "type", "'with' must be an object, but this is \(arguments.value.described)", at: arguments.pointer)
            return nil
        }
        let name = String(function.prefix { $0 != ":" && $0 != "@" })
        let body = name == Self.forEach && source == nil ? arguments["do"] : nil
        // The expressions in the tasks are evaluated when they are performed.
        guard var template = decoding.template(body == nil ? arguments : arguments.without("do")) else { return nil }
        let demandsTexts = source == nil && Self.withTexts.contains(name)
        if demandsTexts { template = template.demandingValues }
        self.init(function: function, arguments: template, literal: arguments.value)
        self.demandsTexts = demandsTexts
        self.source = source
        if let body {
            guard let tasks = [Workflow.Task](body, decoding) else { return nil }
            let task = node.pointer.parent ?? .root
            if let reference = decoding.document.value["document"].flatMap(Workflow.Process.Reference.init) {
                inline = Inline(reference: reference.inline(at: task), tasks: tasks)
            }
        }
        if source == nil, name == Self.graph {
            encodedArguments = template.withAddress(at: JSONPointer(["path"]), isEncoded: true)
            isPathComputed = arguments.value["path"]?.string.map { Template.isExpression($0) } ?? false
        }
        if function == "openapi", let node = arguments["authentication"] {
            authentication = Authentication.Reference(node, decoding)
        }
        if function == "mcp", let node = metadata?["effect"] {
            declaredEffect = decoding.effect(node)
            guard declaredEffect != nil else { return nil }
        }
        guard let node = Self.endpoint(of: function, arguments) else { return }
        guard let endpoint = Endpoint(node, isRelative: function == "openapi", decoding) else { return nil }
        self.endpoint = endpoint
        if function != "openapi" { authentication = endpoint.authentication }
    }

    /// The functions with mails and paths as arguments, in which the word 'null' is never intended.
    private static let withTexts: Set<String> = [
        "sendMail", "createEvent", "upload", "download", "createFolder", "listFolder", "graph",
    ]

    private static func endpoint(of function: String, _ arguments: DocumentNode) -> DocumentNode? {
        switch function {
        case "http": arguments["endpoint"]
        case "mcp": arguments["transport"]?["http"]?["endpoint"]
        case "openapi": arguments["document"]?["endpoint"]
        default: nil
        }
    }
}

extension Decoding {
    fileprivate func effect(_ node: DocumentNode) -> Workflow.Call.DeclaredEffect? {
        guard let word = string(node, "'metadata.effect'") else { return nil }
        if let effect = Workflow.Call.DeclaredEffect(rawValue: word) { return effect }
        let words = Workflow.Call.DeclaredEffect.allCases.map(\.rawValue)
        report(
            "mcp", "'\(PlainText.exact(word, limit: 50))' is no effect of a call",
            hint: Diagnostic.didYouMean(word, among: words) ?? "write one of \(words.quoted)", at: node.pointer)
        return nil
    }
}

extension Workflow.Case {
    init?(element: DocumentNode, _ decoding: Decoding) {
        guard let members = element.members, members.count == 1, let (name, node) = members.first else {
            decoding.report("task", "a case must have one name with 'when' and 'then' under it", at: element.pointer)
            return nil
        }
        guard decoding.check(node, is: "a case", known: ["when", "then"], required: ["then"]),
            let then = decoding.string(node["then"], "a flow directive")
        else { return nil }
        let condition = decoding.expression(node["when"], "a condition")
        guard node["when"] == nil || condition != nil else { return nil }
        self.init(name: name, condition: condition, then: FlowDirective(then))
    }
}

extension Workflow.Try {
    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard let body = node["try"], let handler = node["catch"] else { return nil }
        let tasks = [Workflow.Task](body, decoding)
        let decoded = Workflow.Catch(handler, decoding)
        guard let tasks, let decoded else { return nil }
        self.init(tasks: tasks, catch: decoded)
    }
}

extension Workflow.Catch {
    private static let known = ["errors", "as", "when", "exceptWhen", "retry", "do", "then"]

    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard decoding.check(node, is: "'catch'", known: Self.known) else { return nil }
        let retry: RetryPolicy? = node["retry"].flatMap { policy in
            policy.value.string.map {
                decoding.reference($0, to: "retries", in: decoding.retries, at: policy.pointer)
            } ?? RetryPolicy(policy, decoding)
        }
        var filter: ErrorFilter?
        if let errors = node["errors"], decoding.check(errors, is: "'errors'", known: ["with"]) {
            filter = errors["with"].flatMap { ErrorFilter($0, decoding) }
        }
        let variable = decoding.variable(node["as"], default: "error", "the name of the error")
        self.init(
            filter: filter, variable: variable, when: decoding.expression(node["when"], "a condition"),
            exceptWhen: decoding.expression(node["exceptWhen"], "a condition"), retry: retry,
            tasks: node["do"].flatMap { [Workflow.Task]($0, decoding) },
            then: decoding.string(node["then"], "a flow directive").map { FlowDirective($0) })
    }
}

extension ErrorFilter {
    private static let known = ["type", "status", "instance", "title", "detail", "details"]

    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard decoding.check(node, is: "an error filter", known: Self.known), let members = node.value.object else {
            return nil
        }
        if members.isEmpty {
            decoding.report(
                "empty-filter", "an error filter must have at least one property",
                hint: "leave 'with' out to catch any error",
                at: node.pointer)
        }
        for (name, value) in members {
            let isRight = name == "status" ? value.integer != nil : value.string != nil
            if !isRight, Self.known.contains(name) {
                let type = name == "status" ? "an integer" : "a string"
                decoding.report(
                    "type", "'\(name)' must be \(type), but this is \(value.described)",
                    at: node.pointer.appending(name))
            }
        }
        self.init(members: members)
    }
}

extension ErrorDefinition {
    private static let known = ["type", "status", "title", "detail", "instance"]

    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard decoding.check(node, is: "an error", known: Self.known, required: ["type", "status"]) else { return nil }
        if let status = node["status"], status.value.integer == nil {
            decoding.report(
                "type", "'status' must be an integer, but this is \(status.value.described)", at: status.pointer)
        }
        decoding.uri(node["type"], "an error's 'type'")
        for name in ["title", "detail", "instance"] { _ = decoding.string(node[name], "'\(name)'") }
        guard let members = decoding.template(node) else { return nil }
        self.init(members: members, literal: node.value.object ?? [:])
    }
}

extension RetryPolicy {
    private static let known = ["when", "exceptWhen", "delay", "backoff", "limit", "jitter"]

    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard decoding.check(node, is: "a retry policy", known: Self.known) else { return nil }
        self.init(
            when: decoding.expression(node["when"], "a condition"),
            exceptWhen: decoding.expression(node["exceptWhen"], "a condition"),
            delay: decoding.duration(node["delay"]) ?? .literal(.zero),
            backoff: Self.backoff(node["backoff"], decoding), jitter: Self.jitter(node["jitter"], decoding))
        guard let limit = node["limit"],
            decoding.check(limit, is: "a retry limit", known: ["attempt", "duration"])
        else { return }
        totalDuration = decoding.duration(limit["duration"])
        guard let attempt = limit["attempt"],
            decoding.check(attempt, is: "an attempt limit", known: ["count", "duration"])
        else { return }
        attemptDuration = decoding.duration(attempt["duration"])
        guard let count = attempt["count"] else { return }
        maximumRetries = count.value.integer
        if (maximumRetries ?? -1) < 0 {
            decoding.report("type", "'count' must be an integer of at least 0", at: count.pointer)
        }
    }

    private static func backoff(_ node: DocumentNode?, _ decoding: Decoding) -> Backoff {
        let names = Backoff.allCases.map(\.rawValue)
        guard let node, decoding.check(node, is: "a backoff", known: names) else { return .constant }
        let given = Backoff.allCases.filter { node[$0.rawValue] != nil }
        if given.count != 1 {
            decoding.report("backoff", "a backoff must be one of \(names.quoted)", at: node.pointer)
        }
        for member in given.compactMap({ node[$0.rawValue] }) where member.value.object == nil {
            decoding.report(
                "type", "the settings of a backoff must be an object, but this is \(member.value.described)",
                hint: "a backoff has no settings: write {}", at: member.pointer)
        }
        return given.first ?? .constant
    }

    private static func jitter(_ node: DocumentNode?, _ decoding: Decoding) -> Jitter? {
        guard let node, decoding.check(node, is: "a jitter", known: ["from", "to"], required: ["from", "to"]),
            let from = decoding.duration(node["from"]), let to = decoding.duration(node["to"])
        else { return nil }
        return Jitter(from: from, to: to)
    }
}
