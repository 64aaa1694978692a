extension Workflow.Action.Kind {
    /// The kind of an object; nil, with a finding, if it has none or more than one.
    init?(of object: Object, _ node: DocumentNode, _ decoding: Decoding) {
        var kinds = Self.allCases.filter { object.contains($0.rawValue) }
        // A loop has its tasks under 'do'.
        if kinds.contains(.for) { kinds.removeAll { $0 == .do } }
        guard let kind = kinds.first, kinds.count == 1 else {
            let names = Self.allCases.map(\.rawValue)
            if kinds.isEmpty {
                let misspelt = object.keys.first { Diagnostic.nearest(to: $0, among: names) != nil }
                decoding.report(
                    "unknown-task", "this is not a task that the standard defines",
                    hint: Habits.hint(insteadOfTask: object.keys)
                        ?? misspelt.flatMap { Diagnostic.didYouMean($0, among: names) }
                        ?? "a task has one of \(names.quoted)",
                    at: misspelt.map { node.pointer.appending($0) } ?? node.pointer, part: .key)
            } else {
                decoding.report(
                    "ambiguous-task", "a task must be of one kind, but this has \(kinds.map(\.rawValue).quoted)",
                    hint: "make each its own task", at: node.pointer, part: .key)
            }
            return nil
        }
        self = kind
    }

    /// The properties of this kind, in addition to those of every task.
    var members: [String] {
        switch self {
        case .call: ["call", "with"]
        case .for: ["for", "while", "do"]
        case .listen: ["listen", "foreach"]
        case .try: ["try", "catch"]
        case .do, .emit, .fork, .raise, .run, .set, .switch, .wait: [rawValue]
        }
    }

    var required: [String] {
        switch self {
        case .for: ["for", "do"]
        case .try: ["try", "catch"]
        default: [rawValue]
        }
    }

    func action(_ node: DocumentNode, _ decoding: Decoding) -> Workflow.Action? {
        guard let body = node[rawValue] else { return nil }
        return switch self {
        case .call: Workflow.Call(body, with: node["with"], metadata: node["metadata"], decoding).map { .call($0) }
        case .do: [Workflow.Task](body, decoding).map { .do($0) }
        case .emit: Workflow.Emit(body, decoding).map { .emit($0) }
        case .for: Workflow.For(node, decoding).map { .for($0) }
        case .fork: Workflow.Fork(body, decoding).map { .fork($0) }
        case .listen: Workflow.Listen(node, decoding).map { .listen($0) }
        case .raise: raise(body, decoding).map { .raise($0) }
        case .run: Workflow.Process(body, decoding).map { .run($0) }
        case .set: set(body, decoding).map { .set($0) }
        case .switch: cases(body, decoding).map { .switch($0) }
        case .try: Workflow.Try(node, decoding).map { .try($0) }
        case .wait: decoding.duration(body).map { .wait($0) }
        }
    }

    private func set(_ node: DocumentNode, _ decoding: Decoding) -> Template? {
        if case .object(let object) = node.value, !object.isEmpty { return decoding.template(node) }
        if case .string(let text) = node.value, text.contains("${") { return decoding.template(node) }
        decoding.report("type", "'set' must be an object with at least one member, or an expression", at: node.pointer)
        return nil
    }

    private func raise(_ node: DocumentNode, _ decoding: Decoding) -> ErrorDefinition? {
        guard decoding.check(node, is: "'raise'", known: ["error"], required: ["error"]), let error = node["error"]
        else { return nil }
        guard let name = error.value.string else { return ErrorDefinition(error, decoding) }
        return decoding.reference(name, to: "errors", in: decoding.errors, at: error.pointer)
    }

    private func cases(_ node: DocumentNode, _ decoding: Decoding) -> [Workflow.Case]? {
        guard let elements = node.elements, !elements.isEmpty else {
            decoding.report("type", "'switch' must be an array of at least one case", at: node.pointer)
            return nil
        }
        let cases = elements.compactMap { Workflow.Case(element: $0, decoding) }
        let defaults = cases.filter { $0.condition == nil }
        if defaults.count > 1, cases.count == elements.count {
            decoding.report(
                "ambiguous-default", "only one case of a 'switch' can omit 'when'",
                hint: "give all but one of \(defaults.map(\.name).quoted) a condition", at: node.pointer)
        }
        return cases
    }
}
