extension Workflow {
    package indirect enum Action: Sendable {
        /// Calls a function of the catalog, or one that the workflow defines.
        case call(Call)
        case `do`([Task])
        case emit(Emit)
        case `for`(For)
        case fork(Fork)
        case listen(Listen)
        case raise(ErrorDefinition)
        case run(Process)
        /// Sets the data to a value.
        case set(Template)
        /// Continues at the first case that matches; without one, at the next task.
        case `switch`([Case])
        case `try`(Try)
        case wait(DurationSource)
    }
}

extension Workflow.Action {
    /// The workflow that the task runs, once or for each item of a `forEach`; nil if it runs none.
    package var workflow: Workflow.Process.Reference? {
        switch self {
        case .run(let process):
            if case .workflow(let reference, _) = process.kind { reference } else { nil }
        case .call(let call) where call.function.prefix { $0 != ":" && $0 != "@" } == Workflow.Call.forEach:
            call.inline?.reference ?? call.literal["workflow"].flatMap(Workflow.Process.Reference.init)
        default: nil
        }
    }

    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case call, `do`, emit, `for`, fork, listen, raise, run, set, `switch`, `try`, wait
    }

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
