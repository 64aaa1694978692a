/// Values of the last run of a workflow on this machine, and of the tests next to it.
struct LastRuns {
    /// A value with what it is from.
    struct Known {
        let value: Value
        let origin: String

        private static let longest = 2_000

        func words(as name: String) -> String {
            let text = value.json(pretty: true)
            let shown = text.unicodeScalars.count > Self.longest ? PlainText.line(text, limit: Self.longest) : text
            return "`\(name.trimmed)` in \(origin):\n\n"
                + shown.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        }
    }

    private static let budget = Workflows.Expression.Budget(steps: 100_000, depth: 1_000, memory: 16 << 20)
    /// Larger journals are not read while somebody waits.
    private static let largest = 4 << 20

    private let runs: RunsFolder

    init(_ runs: RunsFolder) { self.runs = runs }

    /// The newest run of the file; nil if there is none.
    func last(of path: String) -> RunSummary? {
        ((try? runs.summaries(limit: 200)) ?? []).first { $0.file == path }
    }

    /// The output of a task in the last run.
    func output(of task: JSONPointer, in analysis: Analysis) -> Known? {
        guard let (run, node) = node(of: task, in: analysis), let output = node.output else { return nil }
        return Known(value: output, origin: "the last run, `\(run)`")
    }

    /// The value of an expression that reads only its input: in the last run, or else for the first case of the tests.
    func value(of source: String, at pointer: JSONPointer, in analysis: Analysis) -> Known? {
        guard let expression = try? Workflows.Expression(source), expression.variables.isEmpty,
            let task = NameSearch.task(around: pointer), isInput(pointer, of: task)
        else { return nil }
        if let (run, node) = node(of: task, in: analysis), let input = node.input {
            return evaluated(expression, input).map { Known(value: $0, origin: "the last run, `\(run)`") }
        }
        guard task == analysis.model?.workflow.tasks.first?.reference, let (name, input) = firstCase(of: analysis)
        else {
            return nil
        }
        return evaluated(expression, input).map {
            Known(value: $0, origin: "the test '\(PlainText.exact(name, limit: 100))'")
        }
    }

    /// Whether `.` is the input of the task at a place.
    private func isInput(_ pointer: JSONPointer, of task: JSONPointer) -> Bool {
        guard let part = pointer.tokens.dropFirst(task.tokens.count).first else { return false }
        return ["with", "set", "if", "switch", "wait", "raise", "emit", "for"].contains(part)
    }

    private func evaluated(_ expression: Workflows.Expression, _ input: Value) -> Value? {
        guard let values = try? expression.evaluate(input, budget: Self.budget), let first = values.first else {
            return nil
        }
        return values.count == 1 ? first : .array(values)
    }

    private func node(of task: JSONPointer, in analysis: Analysis) -> (run: String, node: RunTree.Node)? {
        guard let run = last(of: analysis.text.path)?.run, let size = try? runs.journalSize(of: run),
            size <= Self.largest,
            // Without its secrets, which are drawn.
            let report = try? RunReport(of: run, in: runs, nil, keepsData: true, unfolds: true, now: Date()),
            let node = report.tree.nodes.last(where: { $0.task == task })
        else { return nil }
        return (run, node)
    }

    /// The name and input of the first case of the tests.
    private func firstCase(of analysis: Analysis) -> (name: String, input: Value)? {
        guard let test = analysis.tests?.document.value["cases"]?.array?.first else { return nil }
        return (test["name"]?.string ?? "", test["input"] ?? [:])
    }
}
