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
    package var reference: Workflow.Process.Reference {
        Workflow.Process.Reference(namespace: namespace, name: name, version: version)
    }

    /// The name as people know it: for inline tasks, that of the calling task.
    package var shownName: String { reference.isInline ? reference.description : name }
}

extension Workflow.Process.Reference {
    /// The reference as people write it: `samples/greet:1.0.0`; for inline tasks, the calling task's name.
    package var description: String {
        guard file != nil, let task = JSONPointer(rfc6901: String(name.drop { $0 != Self.mark }.dropFirst())) else {
            return "\(namespace)/\(name):\(version)"
        }
        return task.tokens.last ?? name
    }

    /// Separates the name of a workflow from the place of inline tasks; no name can contain it.
    private static let mark: Character = "#"

    /// Whether it names tasks inside a call.
    package var isInline: Bool { file != nil }

    func inline(at task: JSONPointer) -> Self {
        Self(namespace: namespace, name: "\(name)\(Self.mark)\(task)", version: version)
    }

    /// The workflow that contains the inline tasks; nil if this names a workflow.
    var file: Self? {
        guard let end = name.firstIndex(of: Self.mark) else { return nil }
        return Self(namespace: namespace, name: String(name[..<end]), version: version)
    }
}
