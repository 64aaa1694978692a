extension Workflow {
    /// A workflow's reusable definitions, except retry policies, timeouts and errors, which are copied into its tasks.
    ///
    /// Specification: dsl-reference.md, "Use".
    package struct Components: Sendable {
        /// Tasks that `call` can name, by name.
        package var functions: [String: Task]
        /// Tasks that are performed before and after other tasks.
        package var extensions: [Extension]
        /// The names of the secrets that its expressions and authentications can use.
        package var secrets: [String] = []
        /// Authentications that calls can name, by name.
        package var authentications: [String: Authentication] = [:]

        /// No definitions.
        package static let none = Components(functions: [:], extensions: [])
    }
}

extension Workflow.Components {
    /// Every list of tasks in these definitions; a function is a list of its own.
    var taskLists: [[Workflow.Task]] {
        functions.sorted { $0.key < $1.key }.map { [$0.value] } + extensions.flatMap { [$0.before, $0.after] }
    }
}
