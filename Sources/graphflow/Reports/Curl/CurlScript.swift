/// A plan as a shell script: one curl command per request, in the order of the run.
///
/// The script keeps answers in variables and computes expressions with jq, so it does what the run would do. Tasks
/// with conditions that only the run can decide become comments.
struct CurlScript {
    /// The prefix of an upload session's address in a plan.
    static let session = "https://upload.example/"

    private let plan: Plan
    private let base: String
    private let requests: [PlannedRequest]
    private let needed: Set<Unknown>
    private var unknowns: CurlUnknowns
    private var lines: [String] = []
    private var position = 0

    init(_ plan: Plan, base: URL) {
        self.plan = plan
        self.base = base.absoluteString
        requests = plan.requests
        var unknowns = CurlUnknowns(plan, requests: requests)
        needed = unknowns.closure(requests.flatMap { CurlCommand.unknowns(of: $0, &unknowns) })
        self.unknowns = unknowns
    }

    /// The whole script, without a final line break.
    var text: String {
        var script = self
        for task in plan.tasks { script.write(task, condition: nil) }
        if !plan.isComplete {
            let words = "this plan is not complete: \(plan.gaps.joined(separator: "; "))"
            script.lines += ["", "echo \(words.shellQuoted) >&2", "exit 1"]
        }
        let metadata = plan.workflow.metadata
        let callsGraph = requests.contains { $0.request.url.absoluteString.hasPrefix(base) }
        let head = Self.head(of: "\(metadata.name) \(metadata.version)", base: callsGraph ? base : nil)
        return (head + script.lines).joined(separator: "\n")
    }

    /// The beginning of a script.
    /// - Parameters:
    ///   - name: The workflow's name and version.
    ///   - base: The address of the service in the plan; nil if the script does not call it.
    static func head(of name: String, base: String?) -> [String] {
        var head = [
            "#!/bin/sh",
            "# The requests that a run of \(name.shellComment) would send.",
            "# Needs curl, jq and base64.",
            "set -eu",
        ]
        if let base {
            head.append(": \"${TOKEN:?an access token for Microsoft Graph}\"")
            head.append("graph=${GRAPHFLOW_GRAPH_URL:-\(base.shellQuoted)}")
        }
        head += [
            "folder=$(mktemp -d)", "trap 'rm -rf \"$folder\"' EXIT",
            "# Percent-encodes a value for a URL.",
            "uri() { printf %s \"$1\" | jq -sRr @uri; }",
            "# Keeps the line ends after a value, which the shell would drop.",
            "value() { jq -j \"$@\" && printf x; }",
            "# Writes an option of curl that is secret, for '--config': every user can read the arguments of a program.",
            "option() { printf '%s = ' \"$1\" && printf %s \"$2\" | jq -Rs .; }",
        ]
        return head
    }

    /// Writes a task and its inner tasks.
    /// - Parameter condition: The condition of the task; nil for none.
    private mutating func write(_ task: PlannedTask, condition: String?) {
        let own = task.certainty == .certain ? condition : task.certainty.description
        if case .skipped = task.outcome { return }
        if !task.steps.isEmpty || task.wait != nil {
            let note = own.map { ", \($0)" } ?? ""
            lines += ["", "# \(task.number) \(task.name.shellComment): \(task.words)\(note.shellComment)"]
        }
        for step in task.steps {
            switch step {
            case .request(let request):
                if let condition = request.condition { lines.append("# \(condition.shellComment):") }
                write(request, isCertain: own == nil && request.isUsual)
            case .process(let process):
                lines.append("# Runs a program, which is not part of this script:")
                lines.append("# \(process.call.map(\.shellQuoted).joined(separator: " ").shellComment)")
            }
        }
        if let wait = task.wait, wait > .zero {
            let seconds = Double(wait.components.seconds) + Double(wait.components.attoseconds) / 1e18
            lines.append("\(own == nil ? "" : "# ")sleep \(Value.double(seconds).json())")
        }
        for branch in task.branches {
            let isCertain = branch.certainty == .certain
            for inner in branch.tasks {
                write(inner, condition: isCertain ? own : own ?? branch.certainty.description)
            }
            if own == nil, branch.certainty.isRepetition, branch.tasks.contains(where: \.hasSteps) {
                let words = "this script does not repeat requests that a run repeats \(branch.certainty)"
                lines += ["echo \(words.shellQuoted) >&2", "exit 1"]
            }
        }
    }

    private mutating func write(_ request: PlannedRequest, isCertain: Bool) {
        let number = position
        position += 1
        guard request.status == nil else {
            lines.append("# Sent when the plan was made; the commands below use its answer:")
            lines.append("# \(request.request.method) \(request.address.shellComment)")
            return
        }
        var block: [String] = []
        for unknown in CurlCommand.unknowns(of: request, &unknowns) { define(unknown, in: &block) }
        let answered = unknowns.answered(by: number, of: needed)
        var command = CurlCommand(request, base: base, number: number)
        command.keepsAnswer = !answered.isEmpty
        let type = answered.first { unknown in
            if case .contentType = unknowns.source(of: unknown) { true } else { false }
        }
        command.variableOfType = type.map { unknowns.variable($0) }
        block += command.lines(&unknowns)
        for unknown in answered {
            let name = unknowns.variable(unknown)
            let file = CurlCommand.file(number)
            switch unknowns.source(of: unknown) {
            case .answer(_, let path): block += Self.assignment(name, "\(path.shellQuoted) \(file)")
            case .text: block.append("\(name)=$(cat \(file))")
            case .size: block.append("\(name)=$(wc -c < \(file) | tr -d ' ')")
            case .bytes:
                block.append("base64 < \(file) | tr -d '\\n' > \(CurlCommand.base64(number))")
            case .contentType, .derived, .environment: break
            }
        }
        if isCertain { unknowns.defined.formUnion(answered) }
        lines += isCertain ? block : block.flatMap { $0.components(separatedBy: "\n") }.map { "# \($0)" }
    }

    private static func assignment(_ name: String, _ words: String) -> [String] {
        ["\(name)=$(value \(words))", "\(name)=${\(name)%x}"]
    }

    /// Assigns a value to an unknown, unless an answer has done so.
    private mutating func define(_ unknown: Unknown, in block: inout [String]) {
        guard !unknowns.defined.contains(unknown) else { return }
        switch unknowns.source(of: unknown) {
        case .derived(let derivation):
            unknowns.defined.insert(unknown)
            for inner in derivation.unknowns.map(unknowns.expected(of:)) {
                define(inner, in: &block)
            }
            let program = JqProgram(derivation, &unknowns)
            block += Self.assignment(unknowns.variable(unknown), "-n \(program.words)")
            if unknowns.isSecret(unknown) { block.append("export \(unknowns.variable(unknown))") }
        case .bytes, .answer, .text, .contentType, .size, .environment:
            // No request that is certainly sent returns the value, so the user of the script must set it.
            unknowns.defined.insert(unknown)
            let name = unknowns.variable(unknown)
            block.append(
                ": \"${\(name):?\(unknown.name.filter { $0.isLetter || $0.isNumber || "._- ".contains($0) })}\""
            )
            if unknowns.isSecret(unknown) { block.append("export \(name)") }
        }
    }
}

extension PlannedTask {
    fileprivate var words: String {
        kind == .wait ? "waits \(wait?.words ?? "")" : (subject ?? kind.rawValue).shellComment
    }

    /// Whether it or an inner task sends a request or starts a program.
    fileprivate var hasSteps: Bool { withDescendants.contains { !$0.steps.isEmpty } }
}

extension PlannedCertainty {
    /// Whether the number of its repetitions is only known at run time.
    fileprivate var isRepetition: Bool {
        switch self {
        case .each, .loop: true
        case .certain, .condition, .case, .failure, .race: false
        }
    }
}
