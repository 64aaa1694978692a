extension Workflow {
    /// A workflow's reusable definitions, except retry policies, timeouts and errors, which are copied into its tasks.
    ///
    /// Specification: dsl-reference.md, "Use".
    package struct Components: Sendable {
        package var functions: [String: Task]
        package var extensions: [Extension]
        /// The names of the secrets that its expressions and authentications can use.
        package var secrets: [String] = []
        package var authentications: [String: Authentication] = [:]

        package static let none = Components(functions: [:], extensions: [])
    }
}

extension Workflow.Components {
    /// Every list of tasks in these definitions; a function is its own list.
    var taskLists: [[Workflow.Task]] {
        functions.sorted { $0.key < $1.key }.map { [$0.value] } + extensions.flatMap { [$0.before, $0.after] }
    }
}
