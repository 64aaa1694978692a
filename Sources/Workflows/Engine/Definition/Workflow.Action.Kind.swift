extension Workflow.Action {
    /// The kind of a task, by its keyword in the file.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Calls a function.
        case call
        /// Performs tasks one after the other.
        case `do`
        /// Emits an event.
        case emit
        /// Performs tasks for each element of a collection.
        case `for`
        /// Performs branches concurrently.
        case fork
        /// Waits for events.
        case listen
        /// Raises an error.
        case raise
        /// Runs a program or another workflow.
        case run
        /// Sets the data.
        case set
        /// Chooses where the workflow continues.
        case `switch`
        /// Performs tasks and handles their errors.
        case `try`
        /// Waits.
        case wait
    }

    /// The kind of the task.
    package var kind: Kind {
        switch self {
        case .call: .call
        case .do: .do
        case .emit: .emit
        case .for: .for
        case .fork: .fork
        case .listen: .listen
        case .raise: .raise
        case .run: .run
        case .set: .set
        case .switch: .switch
        case .try: .try
        case .wait: .wait
        }
    }
}
