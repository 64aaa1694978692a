import Essentials
import Workflows

/// The options for plans that `run` and `batch` have in common.
struct PlanOptions<Format: RawRepresentable<String> & CaseIterable & Sendable>: Sendable {
    /// The mode of a dry run; nil for a command that runs.
    let mode: Plan.Mode?
    /// How a dry run is shown.
    let format: Format
    /// The file to which the plan of a dry run is saved; nil for none.
    let output: String?
    /// The file with an approved plan; nil for none.
    let approved: String?

    /// - Parameter purpose: What the formats are for, as an error says it.
    init(_ arguments: ParsedArguments, purpose: String) throws {
        mode = try arguments.value("dry-run").map { try Plan.Mode(option: $0) }
        guard mode != nil || !arguments.has("format") else {
            throw UsageError("'--format' is for dry runs", hint: "add '--dry-run'")
        }
        format = try Format(option: arguments.value("format") ?? "text", "format", purpose: purpose)
        output = arguments.value("plan-out")
        approved = arguments.value("plan")
        guard mode != nil || output == nil else {
            throw UsageError("'--plan-out' is for dry runs", hint: "add '--dry-run'")
        }
        guard mode == nil || approved == nil else {
            throw UsageError("'--plan' and '--dry-run' cannot be used together")
        }
    }
}

extension Plan.Mode {
    /// The mode of that name; without a name, the one that sends nothing.
    init(option name: String) throws(UsageError) {
        guard name.isEmpty || name == Self.read.rawValue else {
            throw UsageError("there is no dry run '\(name)'", hint: "use '--dry-run' or '--dry-run=read'")
        }
        self = name.isEmpty ? .dry : .read
    }
}

extension Value {
    /// Writes an approved plan to a file that only its owner can read, because it contains the workflow's input.
    func write(asPlanTo path: String, _ console: Console) throws(UsageError) {
        let plan = Data((json(pretty: true) + "\n").utf8)
        // What is approved must be what is in the file, so that it cannot be concealed there.
        guard ConcealedBytes.conceal(plan, console.secrets) == plan else {
            throw UsageError(
                "the plan has the access token in it, which a service returned, so it is not written",
                hint: "plan without '=read', or leave out the task that asks that service")
        }
        do throws(SystemError) {
            let file = try OutputFile(path)
            try file.write(plan)
        } catch {
            throw UsageError("the plan cannot be written to '\(path)': \(error)")
        }
    }
}
