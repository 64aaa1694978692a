extension [Workflow.Task] {
    /// Decodes a list of tasks; an entry that is not a task is left out, with a finding.
    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard let elements = node.elements else {
            decoding.report(
                "type", "a list of tasks must be an array, but this is \(node.value.described)",
                hint: "write each task as '- name:' on its own line", at: node.pointer)
            return nil
        }
        self = elements.compactMap { Workflow.Task(element: $0, decoding) }
    }
}

extension Workflow.Task {
    private static let common = ["if", "input", "output", "export", "timeout", "then", "metadata"]

    /// Decodes an entry of a list of tasks: an object whose only member is the task under its name.
    init?(element: DocumentNode, _ decoding: Decoding) {
        guard let members = element.members, members.count == 1, let (name, node) = members.first else {
            decoding.report(
                "task", "an entry of a list of tasks must have one name with one task under it",
                hint: (element.members?.count ?? 0) > 1 ? "indent the task's properties below its name" : nil,
                at: element.pointer)
            return nil
        }
        self.init(name, node, decoding)
    }

    init?(_ name: String, _ node: DocumentNode, _ decoding: Decoding) {
        guard let object = node.value.object else {
            decoding.report(
                "type", "a task must be an object, but this is \(node.value.described)", at: node.pointer, part: .key)
            return nil
        }
        guard let kind = Workflow.Action.Kind(of: object, node, decoding) else { return nil }
        let isWhole = decoding.check(
            node, is: "a '\(kind.rawValue)' task", known: kind.members + Self.common, required: kind.required)
        let condition = decoding.expression(node["if"], "a condition")
        let input = Input(node["input"], decoding)
        let output = Output(node["output"], decoding)
        let export = Export(node["export"], decoding)
        let timeout = decoding.timeout(node["timeout"])
        let then = decoding.string(node["then"], "a flow directive").map { FlowDirective($0) }
        guard isWhole, let action = kind.action(node, decoding) else { return nil }
        self.init(
            name: name, reference: node.pointer, definition: node.value, condition: condition, input: input,
            action: action, output: output, export: export, timeout: timeout, then: then ?? .continue)
    }
}

extension Input {
    init(_ node: DocumentNode?, _ decoding: Decoding) {
        guard let node, decoding.check(node, is: "'input'", known: ["schema", "from"]) else {
            self = .unchanged
            return
        }
        self.init(schema: decoding.schema(node["schema"]), from: decoding.transformation(node["from"]))
    }
}

extension Output {
    init(_ node: DocumentNode?, _ decoding: Decoding) {
        guard let node, decoding.check(node, is: "'output'", known: ["schema", "as"]) else {
            self = .unchanged
            return
        }
        self.init(as: decoding.transformation(node["as"]), schema: decoding.schema(node["schema"]))
    }
}

extension Export {
    init(_ node: DocumentNode?, _ decoding: Decoding) {
        guard let node, decoding.check(node, is: "'export'", known: ["schema", "as"]) else {
            self = .nothing
            return
        }
        self.init(as: decoding.transformation(node["as"]), schema: decoding.schema(node["schema"]))
    }
}
