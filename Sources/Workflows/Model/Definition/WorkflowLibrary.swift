/// The workflows that a workflow can run: those in its folder, and those inside its calls.
///
/// A file is read once, when it is first needed: the workflow that runs is the one that was validated.
package final class WorkflowLibrary: Sendable {
    package enum Problem: Error {
        /// No file has it; the folder has these workflows.
        case notFound(others: [Workflow.Process.Reference])
        case ambiguous(files: [String])
        case invalid(file: String, InvalidWorkflow)
    }

    private let workflow: Workflow
    private let found = Locked<[Workflow.Process.Reference: Result<Workflow, Problem>]>([:])

    package init(of workflow: Workflow) { self.workflow = workflow }

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
            return try Workflow(contentsOf: match.file, workflow.texts)
        } catch {
            throw .invalid(file: match.file.lastPathComponent, error)
        }
    }

    /// The files in a folder whose names and sizes allow workflows, sorted by name.
    package static func candidates(in folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        return names.sorted().map { folder.appending(path: $0) }.filter { file in
            guard ["yaml", "yml", "json"].contains(file.pathExtension),
                let size = try? SystemCall.sizeOfFile(file.path(percentEncoded: false))
            else { return false }
            return size <= Document.sizeLimit
        }
    }

    private struct Entry {
        var file: URL
        var reference: Workflow.Process.Reference
    }

    /// The folder's workflow files that contain a word; searching their text first avoids parsing most of them.
    private func entries(about word: String) -> [Entry] {
        guard let folder = workflow.folder else { return [] }
        return Self.candidates(in: folder).compactMap { file in
            guard let data = try? workflow.texts[file] ?? Data(contentsOf: file),
                word.isEmpty || data.firstRange(of: Data(word.utf8)) != nil,
                let head = (try? Document(data: data, name: file.lastPathComponent))?.value["document"],
                let reference = Workflow.Process.Reference(head)
            else { return nil }
            return Entry(file: file, reference: reference)
        }
    }
}

extension Workflow {
    /// The other workflows that it runs, directly or indirectly, as far as they are available.
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
            // Inline tasks are already among the tasks.
            if case .call(let call) = task.action, call.inline != nil { nil } else { task.action.workflow }
        }
    }
}

extension Workflow.Process.Reference {
    /// Reads the name and version in a file's `document`, or in the arguments of `forEach`.
    package init?(_ head: Value) {
        guard let namespace = head["namespace"]?.string, let name = head["name"]?.string,
            let version = head["version"]?.string
        else { return nil }
        self.init(namespace: namespace, name: name, version: version)
    }
}
