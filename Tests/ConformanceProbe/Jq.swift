import Workflows

/// The outputs of `{"program": …, "input": …, "steps": …}` with the error that ended them, or the syntax error.
///
/// Outputs before an error count as well, as with the `jq` program, so the program runs inside a `try` that marks the
/// outputs.
@Sendable func evaluateExpression(_ question: Value) throws -> Value {
    let program = question["program"]?.string ?? ""
    let input = question["input"] ?? .null
    do throws(ExpressionError) {
        _ = try Workflows.Expression(program)
    } catch {
        return ["refused": .string(error.message), "offset": error.offset.map { .integer($0) } ?? .null]
    }
    var budget = Workflows.Expression.Budget()
    if let steps = question["steps"]?.integer { budget.steps = steps }
    var outputs: [Value] = []
    var answer: Object = [:]
    do throws(ExpressionError) {
        let marked = try Workflows.Expression("try ((\(program)\n) | [.]) catch {error: .}")
        for output in try marked.evaluate(input, budget: budget) {
            if let value = output[0] { outputs.append(value) } else { answer["error"] = output["error"] ?? .null }
        }
    } catch {
        answer["error"] = .string(error.message)
    }
    answer["outputs"] = .array(outputs)
    return .object(answer)
}
