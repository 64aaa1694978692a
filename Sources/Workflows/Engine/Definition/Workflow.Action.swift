extension Workflow {
    /// What a task does.
    package indirect enum Action: Sendable {
        /// Calls a function of the catalog, or one that the workflow defines.
        case call(Call)
        /// Performs tasks one after the other.
        case `do`([Task])
        /// Emits an event.
        case emit(Emit)
        /// Performs tasks for each element of a collection.
        case `for`(For)
        /// Performs tasks concurrently.
        case fork(Fork)
        /// Waits for events.
        case listen(Listen)
        /// Raises an error.
        case raise(ErrorDefinition)
        /// Runs a process or another workflow.
        case run(Process)
        /// Sets the data to a value.
        case set(Template)
        /// Continues at the first case that matches; without one, at the next task.
        case `switch`([Case])
        /// Performs tasks and handles the errors that they raise.
        case `try`(Try)
        /// Waits.
        case wait(DurationSource)
    }
}
