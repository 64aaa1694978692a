import Foundation
import Workflows

/// A plan as a shell script: one curl command per request, in the order of the run.
///
/// The script keeps answers in variables and computes expressions with jq, so it does what the run would do. What
/// depends on a condition that only the run can decide is written as a comment.
struct CurlScript {
    /// How the address of an upload session begins in a plan.
    static let session = "https://upload.example/"

    /// The unknown for the start of the run: the script uses its own start.
    private static let start = "‹workflow.startedAt›"

    private let plan: Plan
    /// The address of the service in the plan.
    private let base: String
    private let requests: [PlannedRequest]
    /// The unknowns whose values the script uses.
    private let needed: Set<String>
    private var symbols: CurlSymbols
    private var lines: [String] = []
    private var position = 0

    init(_ plan: Plan, base: URL) {
        self.plan = plan
        self.base = base.absoluteString
        requests = plan.requests
        symbols = CurlSymbols(plan, requests: requests)
        needed = symbols.closure(requests.flatMap { CurlCommand.symbols(of: $0) })
    }

    /// The whole script, without a final line end.
    var text: String {
        var script = self
        for task in plan.tasks { script.write(task, condition: nil) }
        return (script.head + script.lines).joined(separator: "\n")
    }

    private var head: [String] {
        let metadata = plan.workflow.metadata
        var head = [
            "#!/bin/sh",
            "# The requests that a run of \("\(metadata.name) \(metadata.version)".shellComment) would send.",
            "# Needs curl, jq and base64.",
            "set -eu",
        ]
        if requests.contains(where: { $0.request.url.absoluteString.hasPrefix(base) }) {
            head.append(": \"${TOKEN:?an access token for Microsoft Graph}\"")
            head.append("graph=${GRAPHFLOW_GRAPH_URL:-\(base.shellQuoted)}")
        }
        head += [
            "folder=$(mktemp -d)", "trap 'rm -rf \"$folder\"' EXIT",
            "# Percent-encodes a value for a URL.",
            "uri() { printf %s \"$1\" | jq -sRr @uri; }",
            "# Keeps the line ends after a value, which the shell would drop.",
            "value() { jq -j \"$@\" && printf x; }",
        ]
        return head
    }

    /// Writes a task and the tasks inside it.
    /// - Parameter condition: What the task depends on; nil for nothing.
    private mutating func write(_ task: PlannedTask, condition: String?) {
        let own = task.certainty == .certain ? condition : task.certainty.description
        if task.outcome.isSkipped { return }
        if !task.steps.isEmpty || task.wait != nil {
            let note = own.map { ", \($0)" } ?? ""
            lines += ["", "# \(task.number) \(task.name.shellComment): \(task.words)\(note.shellComment)"]
        }
        for step in task.steps {
            switch step {
            case .request(let request): write(request, isCertain: own == nil)
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
        for symbol in CurlCommand.symbols(of: request) { define(symbol, in: &block) }
        let answered = symbols.answered(by: number, of: needed)
        var command = CurlCommand(request, base: base, number: number)
        command.keepsAnswer = !answered.isEmpty
        let type = answered.first { symbol in
            if case .contentType = symbols.source(of: symbol) { true } else { false }
        }
        command.variableOfType = type.map { symbols.variable($0) }
        block += command.lines(&symbols)
        for symbol in answered {
            let name = symbols.variable(symbol)
            let file = CurlCommand.file(number)
            switch symbols.source(of: symbol) {
            case .answer(_, let path): block += Self.assignment(name, "\(path.shellQuoted) \(file)")
            case .text: block.append("\(name)=$(cat \(file))")
            case .size: block.append("\(name)=$(wc -c < \(file) | tr -d ' ')")
            case .bytes:
                block.append("base64 < \(file) | tr -d '\\n' > \(CurlCommand.base64(number))")
            case .contentType, .derived, .environment: break
            }
        }
        if isCertain { symbols.defined.formUnion(answered) }
        lines += isCertain ? block : block.flatMap { $0.components(separatedBy: "\n") }.map { "# \($0)" }
    }

    private static func assignment(_ name: String, _ words: String) -> [String] {
        ["\(name)=$(value \(words))", "\(name)=${\(name)%x}"]
    }

    /// Assigns a value to an unknown, unless an answer has done so.
    private mutating func define(_ symbol: String, in block: inout [String]) {
        guard !symbols.defined.contains(symbol) else { return }
        switch symbols.source(of: symbol) {
        case .derived(let derivation):
            symbols.defined.insert(symbol)
            for inner in derivation.input.symbols + derivation.variables.values.flatMap(\.symbols) {
                define(inner, in: &block)
            }
            let program = JqProgram(derivation, &symbols)
            block += Self.assignment(symbols.variable(symbol), "-n \(program.words)")
        case .environment where symbol == Self.start:
            symbols.defined.insert(symbol)
            block.append("\(symbols.variable(symbol))=$(date -u +%Y-%m-%dT%H:%M:%SZ)")
        case .bytes, .answer, .text, .contentType, .size, .environment:
            // No request that is certainly sent returns it, so the user of the script must set it.
            symbols.defined.insert(symbol)
            let name = symbols.variable(symbol)
            block.append(
                ": \"${\(name):?\(symbol.dropFirst().dropLast().filter { $0.isLetter || $0.isNumber || "._- ".contains($0) })}\""
            )
        }
    }
}

extension PlannedTask {
    fileprivate var words: String {
        kind == .wait ? "waits \(wait?.words ?? "")" : (subject ?? kind.rawValue).shellComment
    }
}

extension PlannedTask.Outcome {
    fileprivate var isSkipped: Bool {
        if case .skipped = self { true } else { false }
    }
}
