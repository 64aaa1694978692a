import Foundation
import Workflows

/// How fast expressions are evaluated.
enum ExpressionLines {
    private static let programs = [
        "map(select(.a > 10) | {a, b: .c.d})",
        "group_by(.k) | map({k: .[0].k, count: length})",
        "reduce .[].n[] as $number (0; . + $number)",
        #"map(.s | gsub("(?<first>[a-z])(?<rest>[a-z]*)"; "\(.first | ascii_upcase)\(.rest)"))"#,
    ]

    static func show(in folder: URL) throws {
        try small()
        let file = folder.appending(path: "data.json")
        try Data(Samples.data(objects: objects).utf8).write(to: file)
        let here = URL(fileURLWithPath: CommandLine.arguments[0])
        let jq = program(named: "jq")
        for program in [".[0]"] + programs {
            let figure = try medianOfProcess(here, ["eval", program, file.path])
            let beside = try medianOfProcess(jq, ["-c", program, file.path])
            Line(
                name: "whole process: `\(program.replacing("|", with: "\\|"))`", reach: "jq's time",
                figure: figure.map(Line.time) ?? "failed", beside: beside.map { "jq \(Line.time($0))" }
            ).show()
        }
    }

    private static func small() throws {
        let expression = try Expression("$context.item.id")
        let context: Value = ["item": ["id": "01ABC", "name": "me.jpg"], "to": "megan@contoso.com"]
        let repetitions = 100_000
        let seconds = try median {
            for _ in 0..<repetitions { keep(try expression.first(.null, variables: ["context": context])) }
        }
        Line(
            name: "`$context.item.id`, compiled", reach: "1 µs", figure: Line.time(seconds / Double(repetitions))
        ).show()
    }

    /// Does what the `jq -c` program does: evaluates a program over a file and prints each output on a line.
    static func evaluate(_ program: String, over file: String) throws {
        let expression = try Expression(program)
        let input = try Value(json: try Data(contentsOf: URL(fileURLWithPath: file)))
        var budget = Expression.Budget()
        budget.steps = .max
        budget.memory = 4 << 30
        for output in try expression.evaluate(input, budget: budget) {
            FileHandle.standardOutput.write(output.jsonData() + Data("\n".utf8))
        }
    }
}
