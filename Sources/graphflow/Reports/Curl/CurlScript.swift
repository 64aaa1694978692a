/// A plan as a shell script: one curl command per request, in the order of the run.
///
/// The script keeps answers in variables and computes expressions with jq, so it does what the run would do. Tasks
/// with conditions that only the run can decide become comments. A saved plan has only drawings of unknowns, which
/// cannot be read back: a request that may have one becomes a comment, and so does everything after it.
struct CurlScript {
    private let view: PlanView
    private let unknowns: CurlUnknowns
    /// The commands of the requests, in order; nil for those that have drawings.
    private let commands: [CurlCommand?]
    private let needed: Set<Unknown>
    private var lines: [String] = []
    private var position = 0
    private var hasEnded = false

    init(_ view: PlanView) {
        let unknowns = CurlUnknowns(view.made)
        let requests = view.made?.requests ?? view.requests.map { PlannedRequest(saved: $0.step) }
        commands = requests.enumerated().map { number, request in
            request.map { CurlCommand($0, base: view.base, number: number, unknowns) }
        }
        needed = unknowns.closure(commands.flatMap { $0?.unknowns ?? [] })
        self.view = view
        self.unknowns = unknowns
    }

    /// The whole script, without a final line break.
    var text: String {
        var script = self
        script.write(view.plan["tasks"], condition: nil)
        if !view.isComplete { script.end("this plan is not complete: \(view.gaps.joined(separator: "; "))") }
        return (script.head + script.lines).joined(separator: "\n")
    }

    private var head: [String] {
        let callsGraph = view.requests.contains { $0.step["url"]?.string?.hasPrefix(view.base) == true }
        let access = [
            ": \"${TOKEN:?an access token for Microsoft Graph}\"",
            "graph=${GRAPHFLOW_GRAPH_URL:-\(view.base.shellQuoted)}",
        ]
        return [
            "#!/bin/sh",
            "# The requests that a run of \(view.name.shellComment) would send.",
            "# Needs curl, jq and base64.",
            "set -eu",
        ] + (callsGraph ? access : []) + [
            "folder=$(mktemp -d)", "trap 'rm -rf \"$folder\"' EXIT",
            "# Percent-encodes a value for a URL.",
            "uri() { printf %s \"$1\" | jq -sRr @uri; }",
            "# Keeps the line ends after a value, which the shell would drop.",
            "value() { jq -j \"$@\" && printf x; }",
            "# Writes an option of curl that is secret, for '--config': every user can read the arguments of a program.",
            "option() { printf '%s = ' \"$1\" && printf %s \"$2\" | jq -Rs .; }",
        ]
    }

    /// Writes tasks and their inner tasks.
    /// - Parameter condition: The condition of the tasks; nil for none.
    private mutating func write(_ tasks: Value?, condition: String?) {
        for task in tasks?.array ?? [] where task["outcome"] != "skipped" {
            let own = task["certainty"]?["words"]?.string ?? condition
            let steps = task["steps"]?.array ?? []
            let wait = task["wait"]?.double
            if !steps.isEmpty || wait != nil {
                let words = wait.map { "waits \(Duration.seconds($0).words)" }
                let subject = words ?? task["subject"]?.string ?? task["kind"]?.string ?? ""
                let note = own.map { ", \($0)" } ?? ""
                lines += [
                    "", "# \(PlanView.label(of: task).shellComment): \(subject.shellComment)\(note.shellComment)",
                ]
            }
            for step in steps { write(step, isCertain: own == nil) }
            if let wait, wait > 0 {
                lines.append("\(own == nil && !hasEnded ? "" : "# ")sleep \(Value.double(wait).json())")
            }
            for branch in task["branches"]?.array ?? [] {
                let words = branch["certainty"]?["words"]?.string
                write(branch["tasks"], condition: own ?? words)
                let isRepeated = ["each", "while"].contains(branch["certainty"]?["kind"]?.string)
                if own == nil, isRepeated,
                    ApprovedPlan.tasks(of: branch["tasks"]).contains(where: { $0["steps"] != nil })
                {
                    lines += Self.exit("this script does not repeat requests that a run repeats \(words ?? "")")
                }
            }
        }
    }

    private mutating func write(_ step: Value, isCertain: Bool) {
        guard step["type"] == "request" else {
            let words = (step["call"]?.array ?? []).compactMap { $0.string?.shellQuoted }.joined(separator: " ")
            lines += ["# Runs a program, which is not part of this script:", "# \(words.shellComment)"]
            return
        }
        let number = position
        position += 1
        let words = "# \(step["method"]?.string ?? "") \(step["url"]?.string?.percentDecoded ?? "")".shellComment
        if let condition = step["condition"]?.string { lines.append("# \(condition.shellComment):") }
        if step["status"] != nil {
            lines += ["# Sent when the plan was made; the commands below use its answer:", words]
        } else if let command = commands[number] {
            write(command, isCertain: isCertain && (step["condition"] == nil || command.isUsual))
        } else {
            if isCertain, step["condition"] == nil {
                end(
                    "the next request has values only known at run time: make the script with "
                        + "'graphflow run FILE --dry-run --format curl'")
            }
            lines.append(words)
            if let body = step["body"] { lines.append("#   with \((body["json"] ?? body).json().shellComment)") }
        }
    }

    private mutating func write(_ command: CurlCommand, isCertain: Bool) {
        var (block, command) = ([String](), command)
        for unknown in command.unknowns { define(unknown, in: &block) }
        let answered = unknowns.answered(by: command.number, of: needed)
        command.keepsAnswer = !answered.isEmpty
        let type = answered.first { if case .contentType = unknowns.source(of: $0) { true } else { false } }
        command.variableOfType = type.map(unknowns.variable)
        block += command.lines
        for unknown in answered {
            let name = unknowns.variable(unknown)
            switch unknowns.source(of: unknown) {
            case .answer(_, let path): block += Self.assignment(name, "\(path.shellQuoted) \(command.file)")
            case .text: block.append("\(name)=$(cat \(command.file))")
            case .size: block.append("\(name)=$(wc -c < \(command.file) | tr -d ' ')")
            case .bytes(let number):
                block.append("base64 < \(command.file) | tr -d '\\n' > \(CurlCommand.base64(number))")
            case .contentType, .derived, .environment: break
            }
        }
        let isSent = isCertain && !hasEnded
        if isSent { unknowns.defined.formUnion(answered) }
        lines += isSent ? block : block.flatMap { $0.components(separatedBy: "\n") }.map { "# \($0)" }
    }

    private static func assignment(_ name: String, _ words: String) -> [String] {
        ["\(name)=$(value \(words))", "\(name)=${\(name)%x}"]
    }

    /// Assigns a value to an unknown, unless an answer has done so.
    private func define(_ unknown: Unknown, in block: inout [String]) {
        guard unknowns.defined.insert(unknown).inserted else { return }
        if case .derived(let derivation) = unknowns.source(of: unknown) {
            for inner in derivation.unknowns { define(unknowns.expected(of: inner), in: &block) }
            // The values that it is made of are named first.
            let program = JqProgram(derivation, unknowns).words
            block += Self.assignment(unknowns.variable(unknown), "-n \(program)")
        } else {
            // No request that is certainly sent returns the value, so the user of the script must set it.
            let words = unknown.name.filter { $0.isLetter || $0.isNumber || "._- ".contains($0) }
            block.append(": \"${\(unknowns.variable(unknown)):?\(words)}\"")
        }
        if unknowns.isSecret(unknown) { block.append("export \(unknowns.variable(unknown))") }
    }

    /// Ends the script; what follows becomes comments.
    private mutating func end(_ reason: String) {
        if !hasEnded { lines += [""] + Self.exit(reason) }
        hasEnded = true
    }

    private static func exit(_ reason: String) -> [String] { ["echo \(reason.shellQuoted) >&2", "exit 1"] }
}

extension PlannedRequest {
    /// A request of a saved plan; nil if there may be a drawing in it, or its body is not in the plan.
    fileprivate init?(saved step: Value) {
        // curl makes the ids of requests itself.
        let fields = (step["headers"]?.array ?? []).filter { $0["name"]?.string?.lowercased() != "client-request-id" }
        let shown = fields.filter { field in
            ![HTTPRequest.redactedBearer, HTTPRequest.redaction].contains(field["value"]?.string ?? "")
        }
        let isKept = ["json", "text", nil].contains(step["body"]?["kind"]?.string)
        // An unreadable address may have a drawing in it.
        guard isKept, let method = step["method"]?.string, let address = step["url"]?.string,
            let url = URL(string: address), let decoded = address.percentDecoded,
            let effect = step["effect"]?.string.flatMap({ Idempotency(rawValue: $0) }),
            !(decoded + Value.array(shown).json() + (step["body"]?.json() ?? "")).unicodeScalars.contains(
                where: Drawing.isMark)
        else { return nil }
        var headers = HTTPHeaders()
        for field in fields { headers.append(field["name"]?.string ?? "", field["value"]?.string ?? "") }
        let text = step["body"].map { $0["json"]?.json() ?? $0["text"]?.string ?? "" }
        var operation = HTTPOperation(
            name: step["function"]?.string ?? "", effect: effect, example: HTTPResponse(status: 200))
        operation.attempts = step["attempts"]?.integer ?? operation.attempts
        self.init(
            saved: HTTPRequest(method, url, headers: headers, body: text.map { Data($0.utf8) }), for: operation)
    }
}
