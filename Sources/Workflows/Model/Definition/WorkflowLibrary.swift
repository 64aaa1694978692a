import Essentials
import Promises

/// The workflows of one folder, for workflows that run each other.
///
/// A file is read once, when it is first needed, so that the workflow that runs is the one that was validated.
package final class WorkflowLibrary: Sendable {
    /// Why a workflow is not available.
    package enum Problem: Error {
        /// No file has it; the workflows that the folder has instead.
        case notFound(others: [Workflow.Process.Reference])
        /// More than one file has it.
        case ambiguous(files: [String])
        /// Its file has errors.
        case invalid(file: String, InvalidWorkflow)
    }

    private let workflow: Workflow
    private let found = Locked<[Workflow.Process.Reference: Result<Workflow, Problem>]>([:])

    /// Creates the library of a workflow: what is in its folder, and in the workflow itself.
    package init(of workflow: Workflow) { self.workflow = workflow }

    /// The workflow that a reference names.
    package func workflow(_ reference: Workflow.Process.Reference) throws(Problem) -> Workflow {
        if let known = found.withLock({ $0[reference] }) { return try known.get() }
        let result: Result<Workflow, Problem>
        do throws(Problem) { result = .success(try search(reference)) } catch { result = .failure(error) }
        found.withLock { $0[reference] = result }
        return try result.get()
    }

    /// The workflows that a workflow runs, directly or indirectly, as far as they are available.
    package func workflows(reachableFrom workflow: Workflow) -> [Workflow] {
        var reached: Set<Workflow.Process.Reference> = []
        var all: [Workflow] = []
        var open = workflow.references
        while let reference = open.popLast() {
            guard reached.insert(reference).inserted, let workflow = try? self.workflow(reference) else { continue }
            all.append(workflow)
            open += workflow.references
        }
        return all
    }

    private func search(_ reference: Workflow.Process.Reference) throws(Problem) -> Workflow {
        if let file = reference.file {
            if let inline = workflow.inline(reference) { return inline }
            guard let inline = try self.workflow(file).inline(reference) else { throw .notFound(others: []) }
            return inline
        }
        let entries = entries(about: reference.name)
        let sameName = entries.filter {
            $0.reference.namespace == reference.namespace && $0.reference.name == reference.name
        }
        let wanted: String? =
            reference.version == "latest"
            ? sameName.compactMap { entry in SemanticVersion(entry.reference.version).map { (entry, $0) } }
                .max { $0.1 < $1.1 }?.0.reference.version
            : reference.version
        let matches = sameName.filter { $0.reference.version == wanted }
        guard let match = matches.first else { throw .notFound(others: self.entries(about: "").map(\.reference)) }
        guard matches.count == 1 else { throw .ambiguous(files: matches.map(\.file.lastPathComponent).sorted()) }
        do throws(InvalidWorkflow) {
            return try Workflow(contentsOf: match.file)
        } catch {
            throw .invalid(file: match.file.lastPathComponent, error)
        }
    }

    private struct Entry {
        var file: URL
        var reference: Workflow.Process.Reference
    }

    /// The folder's workflow files that contain a word; searching their text first spares parsing most of them.
    private func entries(about word: String) -> [Entry] {
        guard let folder = workflow.folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        return names.sorted().compactMap { name in
            let file = folder.appending(path: name)
            guard ["yaml", "yml", "json"].contains(file.pathExtension),
                let size = try? SystemCall.sizeOfFile(file.path(percentEncoded: false)), size <= Document.sizeLimit,
                let data = try? Data(contentsOf: file), word.isEmpty || data.firstRange(of: Data(word.utf8)) != nil,
                let head = (try? Document(data: data, name: name))?.value["document"],
                let reference = Workflow.Process.Reference(head)
            else { return nil }
            return Entry(file: file, reference: reference)
        }
    }
}

extension Workflow {
    /// The workflows beside this one that it runs, directly or indirectly, as far as they are available.
    package var referencedWorkflows: [Workflow] {
        references.isEmpty ? [] : WorkflowLibrary(of: self).workflows(reachableFrom: self)
    }

    /// The workflows that the tasks at every depth run.
    package var references: [Process.Reference] { allTasks.references }
}

extension [Workflow.Task] {
    /// The workflows that the tasks themselves run.
    var references: [Workflow.Process.Reference] {
        compactMap { task in
            // What stands in a call is among the tasks already.
            if case .call(let call) = task.action, call.inline != nil { nil } else { task.action.workflow }
        }
    }
}

extension Workflow {
    /// The tasks of a `forEach` as their own workflow; nil if no call has that name.
    package func inline(_ reference: Process.Reference) -> Workflow? {
        guard reference.file != nil else { return nil }
        for case .call(let call) in allTasks.map(\.action) {
            guard let inline = call.inline, inline.reference == reference else { continue }
            var metadata = metadata
            (metadata.name, metadata.title, metadata.summary) = (reference.name, nil, nil)
            return Workflow(
                metadata: metadata, input: .unchanged, tasks: inline.tasks, output: .unchanged, timeout: nil,
                components: components, schedule: nil, document: document, folder: folder)
        }
        return nil
    }
}

extension Workflow.Metadata {
    /// What names the workflow in other files.
    package var reference: Workflow.Process.Reference {
        Workflow.Process.Reference(namespace: namespace, name: name, version: version)
    }

    /// The name as people know it: of tasks that stand in a call, that of the task.
    package var shownName: String { reference.isInline ? reference.description : name }
}

extension Workflow.Process.Reference {
    /// Reads the name and version in a file's `document`, or in the arguments of `forEach`.
    package init?(_ head: Value) {
        guard let namespace = head["namespace"]?.string, let name = head["name"]?.string,
            let version = head["version"]?.string
        else { return nil }
        self.init(namespace: namespace, name: name, version: version)
    }

    /// The reference as people write it: `samples/greet:1.0.0`; for tasks that stand in a call, the task's name.
    package var description: String {
        guard file != nil, let task = JSONPointer(rfc6901: String(name.drop { $0 != Self.mark }.dropFirst())) else {
            return "\(namespace)/\(name):\(version)"
        }
        return task.tokens.last ?? name
    }

    /// Separates the name of a workflow from the place of tasks in it; no name can have it.
    private static let mark: Character = "#"

    /// Whether it names tasks that stand in a call, and no workflow in a file.
    package var isInline: Bool { file != nil }

    /// The reference to the tasks that stand in a call.
    func inline(at task: JSONPointer) -> Self {
        Self(namespace: namespace, name: "\(name)\(Self.mark)\(task)", version: version)
    }

    /// The workflow whose tasks in a call this names; nil if it names a workflow.
    fileprivate var file: Self? {
        guard let end = name.firstIndex(of: Self.mark) else { return nil }
        return Self(namespace: namespace, name: String(name[..<end]), version: version)
    }
}
