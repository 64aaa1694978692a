import Testing
import WorkflowData

/// A program with an input and the expected outputs.
struct JqCase: Sendable, CustomTestStringConvertible {
    let program: String
    let input: String
    let outputs: [String]

    var testDescription: String { "\(program) on \(input)" }

    /// Reads cases separated by empty lines: a line with the program, one with the input, one for each output.
    static func cases(_ text: String) -> [JqCase] {
        text.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "").map { lines in
            let lines = lines.map(String.init)
            return JqCase(program: lines[0], input: lines[1], outputs: Array(lines.dropFirst(2)))
        }
    }

    /// Checks that the outputs are the expected ones.
    func check(_ location: SourceLocation = #_sourceLocation) throws {
        let expression = try Expression(program)
        let found = try expression.evaluate(try Value(json: input))
        let wanted = try outputs.map { try Value(json: $0) }
        #expect(found == wanted, sourceLocation: location)
    }
}
