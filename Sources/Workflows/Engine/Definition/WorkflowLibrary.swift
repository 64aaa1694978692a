import Foundation
import Promises

/// The workflows that lie beside each other in one folder, for those that run one another.
///
/// A file is read when a workflow in it is asked for, and only once, so that what was validated is what runs.
final class WorkflowLibrary: Sendable {
    /// Why a workflow cannot be had.
    enum Problem: Error {
        /// None of the files has it; the names and versions that are there instead.
        case notFound(others: [Workflow.Process.Reference])
        /// More than one file has it.
        case ambiguous(files: [String])
        /// It is there, with errors in it.
        case invalid(file: String, InvalidWorkflow)
    }

    private let folder: URL?
    private let found = Locked<[Workflow.Process.Reference: Result<Workflow, Problem>]>([:])

    /// Creates the view of a folder; of none, where a workflow is in no folder.
    init(folder: URL?) { self.folder = folder }

    /// The workflow that a reference names.
    func workflow(_ reference: Workflow.Process.Reference) throws(Problem) -> Workflow {
        if let known = found.withLock({ $0[reference] }) { return try known.get() }
        let result: Result<Workflow, Problem>
        do throws(Problem) { result = .success(try search(reference)) } catch { result = .failure(error) }
        found.withLock { $0[reference] = result }
        return try result.get()
    }

    /// The workflows that a workflow runs, and those that these run, as far as they can be had.
    func workflows(reachableFrom workflow: Workflow) -> [Workflow] {
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

    /// The workflow files of the folder in whose text a word occurs; most files need not be read as YAML for that.
    private func entries(about word: String) -> [Entry] {
        guard let folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        return names.sorted().compactMap { name in
            let file = folder.appending(path: name)
            guard ["yaml", "yml", "json"].contains(file.pathExtension),
                let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize, size <= Document.sizeLimit,
                let data = try? Data(contentsOf: file), word.isEmpty || data.range(of: Data(word.utf8)) != nil,
                let head = (try? Document(data: data, name: name))?.value["document"],
                let reference = Workflow.Process.Reference(head)
            else { return nil }
            return Entry(file: file, reference: reference)
        }
    }
}

extension Workflow {
    /// The workflows beside this one that it runs, and those that these run, as far as they can be had.
    package var referencedWorkflows: [Workflow] {
        references.isEmpty ? [] : WorkflowLibrary(folder: folder).workflows(reachableFrom: self)
    }

    /// The workflows that the tasks at every depth run.
    fileprivate var references: [Process.Reference] { allTasks.references }
}

extension [Workflow.Task] {
    /// The workflows that the tasks themselves run.
    var references: [Workflow.Process.Reference] {
        compactMap { task in
            guard case .run(let process) = task.action, case .workflow(let reference, _) = process.kind else {
                return nil
            }
            return reference
        }
    }
}

extension Workflow.Process.Reference {
    /// What a file's `document` says that it is.
    fileprivate init?(_ head: Value) {
        guard let namespace = head["namespace"]?.string, let name = head["name"]?.string,
            let version = head["version"]?.string
        else { return nil }
        self.init(namespace: namespace, name: name, version: version)
    }

    /// The reference as people write it: `samples/greet:1.0.0`.
    var description: String { "\(namespace)/\(name):\(version)" }
}
