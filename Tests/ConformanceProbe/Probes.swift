import Foundation
import Workflows

/// Answers one question.
typealias Probe = @Sendable (_ question: Value) throws -> Value

/// What can be asked, by the name on the command line.
let probes: [String: Probe] = [
    "jq": evaluateExpression
]

/// The answer to a line, as a line: `{"value": …}`, or `{"error": …}` in words.
func answer(to line: String, with probe: Probe) -> String {
    do {
        return (["value": try probe(try Value(json: line))] as Value).json()
    } catch {
        return (["error": .string("\(error)")] as Value).json()
    }
}
