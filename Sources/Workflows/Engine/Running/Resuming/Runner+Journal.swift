import Foundation
public import Promises

extension Runner {
    /// Begins the journal of a run that this runner is going to perform.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - input: The workflow's input.
    ///   - runs: The folder of runs.
    public func journal(
        of workflow: Workflow, input: Value = [:], in runs: RunsFolder
    ) throws(JournalError) -> Journal {
        let text = workflow.document.text
        let header = Journal.Header(
            run: makeID(), workflow: workflow.metadata, file: workflow.file?.path(percentEncoded: false),
            digest: Journal.Header.digest(of: text), input: input, startedAt: now(),
            graphURL: (try? graph.baseURL)?.absoluteString, isSandboxed: isSandboxed)
        return try Journal.begin(header, text: text, in: runs)
    }

    /// Runs a workflow, and writes down what happens, so that the run can be resumed.
    ///
    /// Cancelling the promise interrupts the run: it can be resumed.
    /// - Parameters:
    ///   - workflow: What to run.
    ///   - journal: A journal in which nothing is written yet; the workflow's input is in it.
    /// - Returns: The workflow's output; rejected as ``run(_:input:)`` is, with ``RunSuspended`` where the run was
    ///   interrupted by ``suspension``, and with ``JournalError`` where the journal cannot be written.
    public func run(_ workflow: Workflow, journal: Journal) -> Promise<Value> {
        let library = WorkflowLibrary(folder: workflow.folder)
        let header = journal.header
        let diagnostics = workflow.validate(with: catalog, library) + workflow.validate(input: header.input)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            return Promise(error: InvalidWorkflow(diagnostics: diagnostics))
        }
        let run = Run(workflow, by: self, library: library, as: RunIdentity(header), log: RunLog(journal))
        return perform(run, header.input)
    }

    /// Runs a workflow with a journal of its own.
    func run(_ workflow: Workflow, input: Value, keptIn runs: RunsFolder) -> Promise<Value> {
        let problems =
            workflow.validate(with: catalog, WorkflowLibrary(folder: workflow.folder))
            + workflow.validate(input: input)
        guard !problems.contains(where: { $0.severity == .error }) else {
            return Promise(error: InvalidWorkflow(diagnostics: problems))
        }
        do throws(JournalError) {
            return run(workflow, journal: try journal(of: workflow, input: input, in: runs))
        } catch {
            return Promise(error: error)
        }
    }

    /// Goes on with a run that was interrupted.
    ///
    /// Tasks that had ended are not performed again, and what was waited for is not waited for again. An effect that was
    /// at work is repeated where that does no harm, and else looked up, or asked about.
    /// - Parameters:
    ///   - workflow: The workflow, as it was when the run began, or with changes that are accepted.
    ///   - journal: The run's journal.
    ///   - events: The events in it.
    ///   - changes: What is different in the workflow; nil for nothing.
    ///   - assumption: What a person says of effects whose outcome is unknown; nil for nothing.
    /// - Returns: The workflow's output; rejected as ``run(_:journal:)`` is, and with ``UnsettledEffects`` where somebody
    ///   has to say what happened.
    public func resume(
        _ workflow: Workflow, _ journal: Journal, from events: [Event], accepting changes: WorkflowChanges? = nil,
        assuming assumption: Assumption? = nil
    ) -> Promise<Value> {
        let resumption = Event.Resumption(digest: changes?.digest, anew: changes?.anew ?? [])
        return resume(
            workflow, as: RunIdentity(journal.header), input: journal.header.input, from: events,
            log: RunLog(journal), resumption, assuming: assumption)
    }
}

/// What makes a run the one that it is, also in another process.
struct RunIdentity: Sendable {
    /// The run's id.
    var id: String
    /// When it began.
    var startedAt: Date
    /// What the names are made with that stand for secrets in its data; nil for any.
    var key: Data?
}

extension RunIdentity {
    fileprivate init(_ header: Journal.Header) {
        self.init(id: header.run, startedAt: header.startedAt, key: header.key)
    }
}

/// Where the events of a run are written down before what follows from them is done.
struct RunLog: Sendable {
    /// Writes an event behind those before it.
    var append: @Sendable (Event) throws -> Void
    /// Sees to it that what was written outlasts a power cut.
    var flush: @Sendable () throws -> Void
    /// Keeps the output of a run that is complete.
    var finish: @Sendable (Value) throws -> Void
    /// Where the run's bytes are kept.
    var blobs: BlobStore
}

extension RunLog {
    /// Writes to a journal.
    init(_ journal: Journal) {
        self.init(
            append: { event throws in try journal.append(event) }, flush: { try journal.flush() },
            finish: { output throws in try journal.finish(output: output) }, blobs: journal.blobs)
    }
}
