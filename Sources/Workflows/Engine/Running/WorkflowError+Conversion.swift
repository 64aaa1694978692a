extension WorkflowError {
    /// Converts any error of a task to the standard's form; the task is its instance if it has none.
    init(_ error: any Error, at task: JSONPointer) {
        switch error {
        case let error as WorkflowError: self = error
        case let error as any ProblemConvertible: self.init(error.problem, cause: error)
        case let error as ExpressionError:
            self.init(.expression, detail: error.message, cause: error)
        case let error as any CancellableError where error.isCancelled:
            self.init(.cancelled, detail: "the run was cancelled", cause: error)
        default:
            self.init(.runtime, detail: "\(error)", cause: error)
        }
        if members["instance"] == nil { members["instance"] = .string(task.description) }
    }
}
