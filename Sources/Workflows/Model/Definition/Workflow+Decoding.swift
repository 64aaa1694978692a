extension Workflow {
    private static let known = ["document", "input", "use", "do", "timeout", "output", "schedule", "evaluate"]

    /// Decodes a whole file; nil, with findings, if its outline is not a workflow's.
    init?(_ node: DocumentNode, document: Document, folder: URL?, _ decoding: Decoding) {
        guard decoding.check(node, is: "a workflow", known: Self.known, required: ["document", "do"]) else {
            return nil
        }
        var metadata = node["document"].flatMap { Metadata($0, decoding) }
        if decoding.completes, metadata == nil {
            metadata = Metadata(dsl: "1.0.3", namespace: "default", name: "workflow", version: "0.0.1")
        }
        if let evaluate = node["evaluate"] { decoding.decodeEvaluate(evaluate) }
        let schedule = node["schedule"].flatMap { Schedule($0, decoding) }
        let components = node["use"].map { decoding.decodeUse($0) } ?? .none
        let input = Input(node["input"], decoding)
        let tasks = node["do"].flatMap { [Task]($0, decoding) } ?? (decoding.completes ? [] : nil)
        let output = Output(node["output"], decoding)
        let timeout = decoding.timeout(node["timeout"])
        let changes = decoding.changes(node["document"]?["metadata"]?["changes"])
        guard let metadata, let tasks else { return nil }
        self.init(
            metadata: metadata, input: input, tasks: tasks, output: output, timeout: timeout, components: components,
            schedule: schedule, document: document, folder: folder)
        self.changes = changes
    }
}

extension Workflow.Metadata {
    private static let known = ["dsl", "namespace", "name", "version", "title", "summary", "tags", "metadata"]

    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard
            decoding.check(
                node, is: "'document'", known: Self.known, required: ["dsl", "namespace", "name", "version"])
        else { return nil }
        let dsl = decoding.string(node["dsl"], "'dsl'")
        let namespace = decoding.string(node["namespace"], "'namespace'")
        let name = decoding.string(node["name"], "'name'")
        let version = decoding.string(node["version"], "'version'")
        guard let dsl, let namespace, let name, let version else { return nil }
        if !dsl.isSemanticVersion || !dsl.hasPrefix("1.") {
            decoding.report(
                "dsl-version", "version '\(dsl)' of the DSL is not known", hint: "write '1.0.3'",
                at: node.pointer.appending("dsl"))
        }
        for (member, text) in [("namespace", namespace), ("name", name)] where !text.isHostLabel {
            decoding.report(
                "name", "'\(text)' cannot be a \(member)",
                hint: "use letters, digits and hyphens, at most 63 characters",
                at: node.pointer.appending(member))
        }
        if !version.isSemanticVersion {
            decoding.report(
                "version", "'\(version)' is not a semantic version", hint: "write three numbers, such as '1.0.0'",
                at: node.pointer.appending("version"))
        }
        self.init(
            dsl: dsl, namespace: namespace, name: name, version: version,
            title: decoding.string(node["title"], "'title'"), summary: decoding.string(node["summary"], "'summary'"))
    }
}

extension String {
    /// Whether this is a semantic version by the standard's schema.
    var isSemanticVersion: Bool {
        let parts = split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        let version = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = version[0].split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 3
            && numbers.allSatisfy { number in
                !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
                    && (number == "0" || !number.hasPrefix("0"))
            }
            && (version.dropFirst() + parts.dropFirst()).allSatisfy { identifiers in
                identifiers.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(\.isLabel)
            }
    }

    /// Whether this can be a namespace or a name: one label of a host name.
    fileprivate var isHostLabel: Bool { utf8.count <= 63 && first != "-" && last != "-" && Substring(self).isLabel }
}

extension Substring {
    fileprivate var isLabel: Bool {
        !isEmpty
            && unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0 || $0 == "-") }
    }
}

extension Decoding {
    private static let reusable = [
        "authentications", "catalogs", "errors", "extensions", "functions", "retries", "secrets", "timeouts",
    ]

    func decodeUse(_ node: DocumentNode) -> Workflow.Components {
        guard check(node, is: "'use'", known: Self.reusable) else { return .none }
        for (name, definition) in definitions("timeouts", in: node) { timeouts[name] = timeoutDefinition(definition) }
        for (name, definition) in definitions("retries", in: node) { retries[name] = RetryPolicy(definition, self) }
        for (name, definition) in definitions("errors", in: node) { errors[name] = ErrorDefinition(definition, self) }
        var components = Workflow.Components.none
        components.secrets = secretNames(node["secrets"])
        let authentications = definitions("authentications", in: node)
        authenticationNames = authentications.map(\.name)
        for (name, definition) in authentications {
            components.authentications[name] = Authentication(definition, self)
        }
        decodeCatalogs(definitions("catalogs", in: node))
        for (name, definition) in definitions("functions", in: node) {
            if Workflow.Call.protocols.contains(name) {
                report(
                    "reserved-name", "a function cannot be called '\(name)', which is a call of the standard",
                    at: definition.pointer, part: .key)
            }
            components.functions[name] = Workflow.Task(name, definition, self)
        }
        if let extensions = node["extensions"] {
            guard let elements = extensions.elements else {
                report(
                    "type", "'use.extensions' must be an array, but this is \(extensions.value.described)",
                    at: extensions.pointer)
                return components
            }
            components.extensions = elements.compactMap { Extension(element: $0, self) }
        }
        return components
    }

    private func secretNames(_ node: DocumentNode?) -> [String] {
        guard let node else { return [] }
        guard let elements = node.elements else {
            report(
                "type", "'use.secrets' must be an array of names, but this is \(node.value.described)",
                at: node.pointer)
            return []
        }
        var names: [String] = []
        for element in elements {
            guard let name = string(element, "the name of a secret") else { continue }
            if name.isEmpty { report("name", "a secret needs a name", at: element.pointer) }
            if names.contains(name) {
                report("duplicate", "the secret '\(name)' is named twice", at: element.pointer)
            } else {
                names.append(name)
            }
        }
        return names
    }

    private func definitions(_ kind: String, in use: DocumentNode) -> [(name: String, node: DocumentNode)] {
        guard let node = use[kind] else { return [] }
        if let members = node.members { return members }
        report("type", "'use.\(kind)' must be an object, but this is \(node.value.described)", at: node.pointer)
        return []
    }

    func decodeEvaluate(_ node: DocumentNode) {
        guard check(node, is: "'evaluate'", known: ["language", "mode"]) else { return }
        if let language = node["language"], language.value != "jq" {
            unsupported("expressions in languages other than jq", at: language.pointer)
        }
        guard let name = string(node["mode"], "'mode'") else { return }
        guard let mode = Template.Mode(rawValue: name) else {
            report(
                "mode", "there is no mode '\(name)'", hint: "write 'strict' or 'loose'",
                at: node.pointer.appending("mode"))
            return
        }
        self.mode = mode
    }

    /// A timeout that is written here or defined in `use.timeouts`.
    func timeout(_ node: DocumentNode?) -> DurationSource? {
        guard let node else { return nil }
        guard let name = node.value.string else { return timeoutDefinition(node) }
        return reference(name, to: "timeouts", in: timeouts, at: node.pointer)
    }

    private func timeoutDefinition(_ node: DocumentNode) -> DurationSource? {
        guard check(node, is: "a timeout", known: ["after"], required: ["after"]) else { return nil }
        return duration(node["after"])
    }
}
