/// The lines above a workflow and the cases of tests.
///
/// A chosen one says which command to type. The server runs nothing.
struct Lenses {
    /// What editors call when a line is chosen.
    static let command = "graphflow.say"
    /// A longer input makes no command that can be typed.
    private static let longestInput = 1_000

    private let analysis: Analysis
    private let runs: LastRuns

    init(_ analysis: Analysis, _ runs: LastRuns) { (self.analysis, self.runs) = (analysis, runs) }

    var all: Value {
        let file = analysis.text.path.shellWord
        switch analysis.kind {
        case .workflow:
            guard let document = analysis.document.keyBytes(of: JSONPointer(["document"])) else { return [] }
            var lenses = [lens(document, "Dry run", "run \(file) --dry-run\(example)")]
            if let tests = analysis.tests {
                let count = tests.document.value["cases"]?.array?.count ?? 0
                lenses.append(
                    lens(document, "\(count) test\(count == 1 ? "" : "s")", "test \(tests.text.path.shellWord)"))
            }
            if let run = runs.last(of: analysis.text.path) {
                let when = run.startedAt.formatted(.iso8601)
                lenses.append(lens(document, "last run: \(run.state.rawValue), \(when)", "show \(run.run)"))
            }
            return .array(lenses)
        case .tests:
            return .array(
                (analysis.document.value["cases"]?.array ?? []).enumerated().compactMap { index, test -> Value? in
                    let place = JSONPointer(["cases", "\(index)", "name"])
                    guard let name = test["name"]?.string, let bytes = analysis.document.keyBytes(of: place) else {
                        return nil
                    }
                    return lens(bytes, "Test in the sandbox", "test \(file) --filter \(name.shellWord)")
                })
        case .other: return []
        }
    }

    /// The input of the first case of the tests, without which many workflows cannot be planned.
    private var example: String {
        let input = analysis.tests?.document.value["cases"]?.array?.first?["input"]?.json()
        return input.flatMap { $0.utf8.count > Self.longestInput ? nil : " --input \($0.shellWord)" } ?? ""
    }

    private func lens(_ bytes: Range<Int>, _ title: String, _ words: String) -> Value {
        [
            "range": analysis.text.range(bytes),
            "command": [
                "title": .string(title), "command": .string(Self.command),
                "arguments": [.string("graphflow \(words)")],
            ],
        ]
    }

    /// Shows the command of a chosen line.
    static func say(_ params: Value, _ connection: RPCConnection) throws(RPCError) {
        guard params["command"]?.string == command, let words = params["arguments"]?.array?.first?.string else {
            throw RPCError(.params, "there is no such command")
        }
        let message = "Type in a terminal: \(words.escapingControls)"
        connection.notify("window/showMessage", ["type": 3, "message": .string(message)])
    }
}
