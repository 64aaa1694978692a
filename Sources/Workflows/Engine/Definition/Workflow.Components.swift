extension Workflow {
    /// What a workflow defines for reuse, beside the retry policies, timeouts and errors that its tasks have taken over.
    ///
    /// Specification: dsl-reference.md, "Use".
    package struct Components: Sendable {
        /// Tasks that `call` can name, by their names.
        package var functions: [String: Task]
        /// What is performed before and after other tasks.
        package var extensions: [Extension]
        /// The names of the secrets that its expressions and authentications can use.
        package var secrets: [String] = []
        /// Ways of proving who asks that calls can name, by their names.
        package var authentications: [String: Authentication] = [:]

        /// Nothing at all.
        package static let none = Components(functions: [:], extensions: [])
    }
}

extension Workflow.Components {
    /// Every list of tasks that is defined here; a function is a list of its own.
    var taskLists: [[Workflow.Task]] {
        functions.sorted { $0.key < $1.key }.map { [$0.value] } + extensions.flatMap { [$0.before, $0.after] }
    }
}
