/// A saved plan as a shell script: one curl command per request, in the order of the run.
///
/// A saved plan has only drawings of unknowns, which cannot be read back. So a request that may have one becomes a
/// comment, and so does everything after it.
struct SavedCurlScript {
    private static let way = "graphflow run FILE --dry-run --format curl"

    private let view: PlanView
    private var unknowns = CurlUnknowns()
    private var lines: [String] = []
    private var number = 0
    private var hasEnded = false

    init(_ view: PlanView) { self.view = view }

    /// The whole script, without a final line break.
    var text: String {
        var script = self
        script.write(view.plan["tasks"], isCertain: true)
        if !view.isComplete { script.end(because: "this plan is not complete: \(view.gaps.joined(separator: "; "))") }
        let callsGraph = view.requests.contains { $0.step["url"]?.string?.hasPrefix(GraphClient.publicURL) == true }
        let head = CurlScript.head(of: view.name, base: callsGraph ? GraphClient.publicURL : nil)
        return (head + script.lines).joined(separator: "\n")
    }

    private mutating func write(_ tasks: Value?, isCertain: Bool) {
        for task in tasks?.array ?? [] where task["outcome"] != "skipped" {
            let isCertain = isCertain && task["certainty"]?["kind"] == "certain"
            let steps = task["steps"]?.array ?? []
            if !steps.isEmpty {
                let words = PlanView.label(of: task)
                let condition = task["certainty"]?["words"]?.string.map { ", \($0)" } ?? ""
                lines += ["", "# \("\(words): \(task["subject"]?.string ?? "")\(condition)".shellComment)"]
            }
            for step in steps { write(step, isCertain: isCertain) }
            for branch in task["branches"]?.array ?? [] {
                write(branch["tasks"], isCertain: isCertain && branch["certainty"]?["kind"] == "certain")
            }
        }
    }

    private mutating func write(_ step: Value, isCertain: Bool) {
        if step["type"] == "program" {
            let words = (step["call"]?.array ?? []).compactMap { $0.string?.shellQuoted }.joined(separator: " ")
            lines += ["# Runs a program, which is not part of this script:", "# \(words.shellComment)"]
            return
        }
        number += 1
        if let condition = step["condition"]?.string { lines.append("# \(condition.shellComment):") }
        guard step["status"] == nil else {
            lines.append("# Sent when the plan was made: \(Self.words(step))")
            return
        }
        guard !Self.isOpen(step), let planned = Self.planned(step) else {
            if isCertain, step["condition"] == nil {
                end(
                    because:
                        "the next request has values only known at run time: make the script with '\(Self.way)'"
                )
            }
            lines.append("# \(Self.words(step))")
            if let body = step["body"] { lines.append("#   with \((body["json"] ?? body).json().shellComment)") }
            return
        }
        let command = CurlCommand(planned, base: GraphClient.publicURL, number: number).lines(&unknowns)
        let isSent = isCertain && step["condition"] == nil && !hasEnded
        lines += isSent ? command : command.flatMap { $0.components(separatedBy: "\n") }.map { "# \($0)" }
    }

    private mutating func end(because reason: String) {
        guard !hasEnded else { return }
        hasEnded = true
        lines += ["", "echo \(reason.shellQuoted) >&2", "exit 1"]
    }

    /// Whether there may be a drawing in the request, or its body is not in the plan.
    private static func isOpen(_ step: Value) -> Bool {
        // curl makes the ids of requests itself.
        let headers = (step["headers"]?.array ?? []).filter { field in
            field["name"]?.string?.lowercased() != "client-request-id"
                && ![HTTPRequest.redactedBearer, HTTPRequest.redaction].contains(field["value"]?.string ?? "")
        }
        let isKept = ["json", "text", nil].contains(step["body"]?["kind"]?.string)
        // An unreadable address may have a drawing in it.
        guard isKept, let address = step["url"]?.string?.percentDecoded else { return true }
        let parts = [address, Value.array(headers).json(), step["body"]?.json() ?? ""]
        return parts.contains { $0.unicodeScalars.contains(where: Drawing.isMark) }
    }

    private static func words(_ step: Value) -> String {
        "\(step["method"]?.string ?? "") \(step["url"]?.string?.percentDecoded ?? "")".shellComment
    }

    private static func planned(_ step: Value) -> PlannedRequest? {
        guard let method = step["method"]?.string, let url = step["url"]?.string.flatMap({ URL(string: $0) }),
            let effect = step["effect"]?.string.flatMap({ Idempotency(rawValue: $0) })
        else { return nil }
        var headers = HTTPHeaders()
        for field in step["headers"]?.array ?? [] {
            headers.append(field["name"]?.string ?? "", field["value"]?.string ?? "")
        }
        let text = step["body"].map { $0["json"]?.json() ?? $0["text"]?.string ?? "" }
        var operation = HTTPOperation(
            name: step["function"]?.string ?? "", effect: effect, example: HTTPResponse(status: 200))
        if case .integer(let attempts)? = step["attempts"] { operation.attempts = attempts }
        let request = HTTPRequest(method, url, headers: headers, body: text.map { Data($0.utf8) })
        return PlannedRequest(saved: request, for: operation)
    }
}
