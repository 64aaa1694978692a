import Foundation
import Workflows

/// The items of `{"source": …, "separator": …, "schema": …, "key": …, "shard": "I/N"}`: how many there are, and each with
/// its name, key, input and line; with `"check": true` only how many; with `"warns": true` the warnings as well.
@Sendable func readItems(_ question: Value) throws -> Value {
    let text: Value = [
        "document": ["dsl": "1.0.3", "namespace": "test", "name": "items", "version": "1.0.0"],
        "input": ["schema": ["document": question["schema"] ?? true]], "do": [["done": ["set": ["a": 1]]]],
    ]
    let separator = question["separator"]?.string.flatMap { SeparatedReader.Separator($0) }
    let items = try BatchItems(
        try ItemSource(question["source"]?.string ?? "", separator: separator), for: try Workflow(text: text.json()),
        key: question["key"]?.string, shard: question["shard"]?.string.map { try Shard($0) })
    let check = try items.check()
    var answer: Object = ["total": .integer(check.total), "all": .integer(check.all), "digest": .string(check.digest)]
    if question["warns"] == true { answer["warnings"] = .array(check.warnings.map { .string($0.message) }) }
    guard question["check"] != true else { return .object(answer) }
    var reader = try items.reader()
    var read: [Value] = []
    while let item = try reader.next() {
        read.append(["item": .string(item.name), "key": item.key, "input": item.input, "line": .integer(item.line)])
    }
    answer["items"] = .array(read)
    return .object(answer)
}
