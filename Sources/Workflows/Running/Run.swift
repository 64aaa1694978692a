import Foundation
import Promises

/// One execution of a workflow.
final class Run: Sendable {
    let workflow: Workflow
    let runner: Runner
    let id: String
    let startedAt: Date
    let blobs = BlobStore()
    let files: WorkflowFiles
    private let state = Locked(RunState())
    private let eventCount = Locked(0)

    init(_ workflow: Workflow, by runner: Runner) {
        self.workflow = workflow
        self.runner = runner
        id = runner.makeID()
        startedAt = runner.now()
        files = WorkflowFiles(folder: workflow.folder)
    }

    /// What the tasks so far left for later ones.
    var context: Value { state.withLock { $0.context } }

    /// Performs the workflow from its input to its output.
    func perform(_ input: Value) -> Promise<Value> {
        let scope = Scope(run: self, workflowInput: input)
        let work = firstly { () throws -> Promise<Value> in
            let transformed = try self.transform(self.workflow.input.from, input, scope)
            self.record(.workflowStarted(input: input, context: transformed))
            return try self.within(self.workflow.timeout, of: .root, scope: scope, input: transformed) {
                self.perform(self.workflow.tasks, input: transformed, scope: scope).map(\.value)
            }
        }.map { output -> Value in
            let transformed = try self.transform(self.workflow.output.as, output, scope)
            try self.check(transformed, against: self.workflow.output.schema, as: "the workflow's output")
            return transformed
        }
        return work.get { self.record(.workflowCompleted(output: $0)) }
            .recover { error -> Promise<Value> in
                let error = WorkflowError(error, at: .root)
                self.record(.workflowFaulted(error))
                throw error
            }.onCancel { self.record(.workflowCancelled) }
    }

    /// Tells the state and every recorder what happened, one event at a time.
    func record(_ kind: Event.Kind) {
        let number = eventCount.withLock { count in
            count += 1
            return count
        }
        let event = Event(number: number, run: id, workflow: workflow.metadata, time: runner.now(), kind: kind)
        state.withLock { $0.apply(event) }
        for recorder in runner.recorders { recorder.record(event) }
    }

    /// Whether a function with an effect that must happen once is at work inside a task.
    func hasUnsettledEffect(in task: JSONPointer) -> Bool {
        state.withLock { $0.unsettled.contains { $0.tokens.starts(with: task.tokens) } }
    }
}
