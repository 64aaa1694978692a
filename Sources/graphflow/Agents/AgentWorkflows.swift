/// The workflows that agents can plan, by name.
struct AgentWorkflows: Sendable {
    struct Entry: Sendable {
        let file: String
        let workflow: Workflow

        var name: String { workflow.metadata.name }
        var title: String { workflow.metadata.title ?? name }

        /// The title and the summary, as its author wrote them.
        var words: String { [title, workflow.metadata.summary].compactMap(\.self).joined(separator: ": ") }

        /// The JSON Schema of a plan's arguments, which are an object: those of the workflow's input.
        var argumentSchema: Value {
            guard let schema = inputSchema, let members = schema.object else { return ["type": "object"] }
            if members["type"] == "object" { return Self.spelledOut(members) }
            guard !takesAnyInput else {
                var typed = members
                typed["type"] = "object"
                return Self.spelledOut(typed)
            }
            // A reference to a definition leads to the schema's root.
            return .members([
                ("type", "object"), ("properties", ["input": schema]), ("required", ["input"]),
                ("additionalProperties", false), ("$defs", members["$defs"]),
            ])
        }

        /// The schema with objects for properties whose schema is true or false, which earlier versions of the protocol
        /// do not have.
        private static func spelledOut(_ schema: Object) -> Value {
            guard let properties = schema["properties"]?.object else { return .object(schema) }
            var (schema, spelled) = (schema, properties)
            for (name, property) in properties {
                if property == true { spelled[name] = [:] }
                if property == false { spelled[name] = ["not": [:]] }
            }
            schema["properties"] = .object(spelled)
            return .object(schema)
        }

        func input(of arguments: Object) -> Value {
            guard let members = inputSchema?.object, members["type"] != "object", !takesAnyInput else {
                return .object(arguments)
            }
            return arguments["input"] ?? .null
        }

        private var inputSchema: Value? { workflow.input.schema?.document }
        private var takesAnyInput: Bool { inputSchema?["type"] == nil }
    }

    /// A file that is not a workflow which agents can plan.
    struct Problem: Sendable {
        let file: String
        let text: String
        let diagnostics: [Diagnostic]
        /// Whether another file has a workflow of the same name.
        var isRepeated = false
    }

    /// What was read last.
    private struct Reading: Sendable {
        let entries: [Entry]
        let problems: [Problem]
        let stamps: [String]
        let at: ContinuousClock.Instant
    }

    /// How long a reading is used while the files stay as they are.
    ///
    /// What they refer to, such as a schema, can change.
    private static let freshness = Duration.seconds(1)

    private let operands: WorkflowOperands
    private let last = Locked<Reading?>(nil)

    init(_ operands: [String]) { self.operands = WorkflowOperands(operands: operands) }

    /// The workflows now, by the bytes of their names, and the files that are not valid or have a name twice.
    ///
    /// Each call of a tool asks for them, so that many calls at once share a reading.
    var all: (entries: [Entry], problems: [Problem]) {
        let stamps = stamps
        if let last = last.withLock({ $0 }), last.stamps == stamps, ContinuousClock.now - last.at < Self.freshness {
            return (last.entries, last.problems)
        }
        let (entries, problems) = read()
        let reading = Reading(entries: entries, problems: problems, stamps: stamps, at: .now)
        last.withLock { $0 = reading }
        return (entries, problems)
    }

    /// Differ when a file was changed, added or removed.
    private var stamps: [String] {
        operands.operands.flatMap { operand in
            WorkflowOperands.isFolder(operand)
                ? WorkflowLibrary.candidates(in: URL(fileURLWithPath: operand)).map { $0.path(percentEncoded: false) }
                : [operand]
        }.map { path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            let changed = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970
            return "\(changed ?? 0) \((try? SystemCall.sizeOfFile(path)) ?? 0) \(path)"
        }
    }

    private func read() -> (entries: [Entry], problems: [Problem]) {
        var (entries, problems) = ([Entry](), [Problem]())
        for file in operands.files {
            switch Self.read(file) {
            case .success(let entry):
                guard let other = entries.first(where: { $0.name == entry.name }) else {
                    entries.append(entry)
                    continue
                }
                let text =
                    "the workflow '\(entry.name)' is in \(other.file) too, and an agent names it only by this name"
                problems.append(
                    Problem(
                        file: file, text: text,
                        diagnostics: [
                            entry.workflow.document.diagnostic(id: "name", text, at: JSONPointer(["document", "name"]))
                        ], isRepeated: true))
            case .failure(let problem): problems.append(problem)
            }
        }
        return (entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }, problems)
    }

    /// Whether a file was named, so that its errors are the command's.
    func isNamed(_ file: String) -> Bool { operands.operands.contains(file) }

    private static func read(_ file: String) -> Result<Entry, Problem> {
        let (workflow, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
        guard let workflow else {
            let errors = findings.filter { $0.severity == .error }
            return .failure(
                Problem(file: file, text: errors.map { $0.text() }.joined(separator: "\n"), diagnostics: findings))
        }
        return .success(Entry(file: file, workflow: workflow))
    }
}

extension AgentWorkflows.Problem: Error {}
