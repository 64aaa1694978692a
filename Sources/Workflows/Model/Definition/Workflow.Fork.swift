extension Workflow {
    /// Branches that are performed concurrently.
    ///
    /// Specification: dsl-reference.md, "Fork".
    package struct Fork: Sendable {
        /// The branches; each is one task.
        package var branches: [Task]
        /// Whether the first branch that completes wins, and the others are cancelled.
        package var competes: Bool
    }
}

extension Workflow.Fork {
    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard decoding.check(node, is: "'fork'", known: ["branches", "compete"], required: ["branches"]),
            let body = node["branches"], let branches = [Workflow.Task](body, decoding)
        else { return nil }
        self.init(branches: branches, competes: decoding.bool(node["compete"], "'compete'") ?? false)
    }
}
