import Foundation
import Workflows

/// Answers one question.
typealias Probe = @Sendable (_ question: Value) throws -> Value

/// The probes by their names on the command line.
let probes: [String: Probe] = [
    "jq": evaluateExpression,
    "yaml": readDocument,
    "json": readData,
    "separated": readSeparated,
    "items": readItems,
    "schema": validate,
    "cron": nextTimes,
    "send": send,
    "zone": localTimes,
    "seal": seal,
    "open": open,
]

/// The answer to a line, as a line: `{"value": …}`, or `{"error": …}` in words.
func answer(to line: String, with probe: Probe) -> String {
    do {
        return (["value": try probe(try Value(json: line))] as Value).json()
    } catch {
        return (["error": .string("\(error)")] as Value).json()
    }
}

/// The value of a YAML text: the question is the text.
private func readDocument(_ question: Value) throws -> Value {
    try Document(text: question.string ?? "", name: "-").value
}

/// The value of a JSON text: the question is the text, or its bytes in Base64 as `{"base64": …}`.
private func readData(_ question: Value) throws -> Value {
    if let base64 = question["base64"]?.string { return try Value(json: Data(base64Encoded: base64) ?? Data()) }
    return try Value(json: question.string ?? "")
}

/// The rows of the bytes in Base64 as `{"base64": …, "tabs": false}`.
private func readSeparated(_ question: Value) throws -> Value {
    let bytes = Array(Data(base64Encoded: question["base64"]?.string ?? "") ?? Data())
    return .array(
        try SeparatedReader.rows(of: bytes, name: "-", separator: question["tabs"] == true ? .tab : .comma))
}

/// The violations of `{"schema": …, "instance": …}`, each with its place and its message.
private func validate(_ question: Value) throws -> Value {
    let schema = try JSONSchema(question["schema"] ?? true)
    return .array(
        schema.validate(question["instance"] ?? nil).map {
            ["instance": .string("\($0.instance)"), "schema": .string("\($0.schema)"), "message": .string($0.message)]
        })
}
