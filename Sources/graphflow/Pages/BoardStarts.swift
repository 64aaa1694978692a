/// Starts workflows for the board: first a dry run, then a run of exactly that plan.
final class BoardStarts: Sendable {
    private struct Plan {
        var file: String
        var options: [String]
    }

    private let workflows: WorkflowOperands
    private let sandbox: String
    private let program: OwnProgram
    /// The folder of inputs and plans, removed when the board ends.
    private let folder: PrivateFolder
    private let plans = Locked<(count: Int, waiting: [Int: Plan])>((0, [:]))

    /// - Parameters:
    ///   - workflows: The files that may be started.
    ///   - sandbox: The option for runs in a sandbox.
    ///   - program: Plans and runs them.
    init(_ workflows: WorkflowOperands, inSandbox sandbox: String, program: OwnProgram) {
        (self.workflows, self.sandbox, self.program) = (workflows, sandbox, program)
        let name = "graphflow-board-\(getpid())-\(Data.random(8).hex)"
        folder = PrivateFolder(path: FileManager.default.temporaryDirectory.appending(path: name).path)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder.path) }

    /// The workflows with file, name and title; or with file and problem if the file cannot be read.
    var list: Value {
        .array(
            workflows.files.map { file in
                do throws(ReadingError) {
                    let head = try Document(contentsOf: URL(fileURLWithPath: file)).value["document"]
                    return ["file": .string(file), "name": head?["name"] ?? .null, "title": head?["title"] ?? .null]
                } catch {
                    return ["file": .string(file), "problem": .string(error.diagnostics.first?.message ?? "\(error)")]
                }
            })
    }

    /// The data of a form that starts a run: the workflow's name, title, summary and input schema.
    func form(for file: String) throws -> Value {
        let file = try known(file)
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
        guard let workflow = checked else {
            let errors = findings.filter { $0.severity == .error }.map { $0.text() }
            throw BoardActs.Refusal(text: errors.joined(separator: "\n"))
        }
        return [
            "file": .string(file), "name": .string(workflow.metadata.name),
            "title": workflow.metadata.title.map(Value.string) ?? .null,
            "summary": workflow.metadata.summary.map(Value.string) ?? .null,
            "schema": workflow.input.schema?.document ?? .null,
        ]
    }

    /// Plans a run of `file` with `input`, in a sandbox if `sandbox` is true.
    ///
    /// Only requests that read are sent.
    /// - Returns: The plan's number, its text as on a terminal, and a warning.
    func plan(_ request: Object) throws -> Value {
        try folder.makeWithParents()
        let file = try known(request["file"]?.string ?? "")
        let number = plans.withLock { plans in
            plans.count += 1
            return plans.count
        }
        let (input, plan) = (folder.path(of: "\(number).input.json"), path(ofPlan: number))
        // The input goes into a private file, because every user of this machine can see arguments.
        try PrivateFile(path: input).write((request["input"] ?? [:]).jsonData())
        let options = request["sandbox"] == true ? [sandbox] : []
        var warning: String?
        do {
            try program.start(
                ["run", file, "--dry-run=read", "--plan-out", plan, "--input", "@\(input)"] + options
            ) { false }
        } catch let error as OwnProgram.Refusal {
            // The plan is written even if permissions are missing; their lack becomes a warning.
            guard FileManager.default.fileExists(atPath: plan) else { throw error }
            warning = error.text
        }
        guard let view = try PlanView.saved(try DataFile.read(plan)) else {
            throw BoardActs.Refusal(text: "the dry run made no plan")
        }
        plans.withLock { $0.waiting[number] = Plan(file: file, options: options) }
        let text = PlanText(view: view, style: PlanStyle(hasColour: false)).text
        return [
            "plan": .string("\(number)"), "text": .string(text),
            "warning": warning.map(Value.string) ?? .null,
        ]
    }

    /// Runs a plan, once.
    /// - Returns: The run's name.
    func run(_ name: String) throws -> Value {
        let taken = Int(name).flatMap { number in plans.withLock { $0.waiting.removeValue(forKey: number) } }
        guard let number = Int(name), let plan = taken else {
            throw BoardActs.Refusal(text: "this plan has already run, or is from an earlier board: plan again")
        }
        let events = folder.path(of: "\(number).events.jsonl")
        func begun() -> String? {
            guard let text = try? String(contentsOfFile: events, encoding: .utf8), let end = text.firstIndex(of: "\n")
            else { return nil }
            let source = (try? Value(json: String(text[..<end])))?["source"]?.string
            return source?.split(separator: ":").last.map(String.init)
        }
        try program.start(["run", plan.file, "--plan", path(ofPlan: number), "--events", events] + plan.options) {
            begun() != nil
        }
        return ["run": begun().map(Value.string) ?? .null]
    }

    private func path(ofPlan number: Int) -> String { folder.path(of: "\(number).plan.json") }

    /// Returns the file if the board was started with it.
    private func known(_ file: String) throws -> String {
        guard workflows.files.contains(file) else { throw UsageError("the board was not started with '\(file)'") }
        return file
    }
}
