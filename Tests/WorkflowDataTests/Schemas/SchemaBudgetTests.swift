import Foundation
import TestSupport
import Testing
import WorkflowData

/// Schemas and values that would keep the processor busy.
struct SchemaBudgetTests {
    private static let tooManySteps = ["takes too many steps to be checked against its schema"]

    /// A schema whose definitions each refer twice to the next one.
    private func doubling(_ keyword: String) -> Value {
        var definitions: Object = ["d40": true]
        for level in 0..<40 {
            let reference: Value = ["$ref": .string("#/$defs/d\(level + 1)")]
            definitions["d\(level)"] = [keyword: [reference, ["allOf": [reference]]]]
        }
        return ["$ref": "#/$defs/d0", "$defs": .object(definitions)]
    }

    @Test(arguments: ["allOf", "oneOf"])
    func `end when references double`(_ keyword: String) throws {
        #expect(try JSONSchema(doubling(keyword)).validate(1, steps: 50_000).map(\.message) == Self.tooManySteps)
    }

    @Test func `end when references double in both of an object's members`() throws {
        let schema = try JSONSchema(["additionalProperties": ["allOf": [["$ref": "#"], ["$ref": "#"]]]])
        var value: Value = 1
        for _ in 0..<40 { value = ["a": value] }
        #expect(schema.validate(value, steps: 50_000).map(\.message) == Self.tooManySteps)
    }

    @Test func `end when a dynamic reference leads back to itself`() throws {
        let schema = try JSONSchema([
            "$id": "https://example.com/a", "$dynamicAnchor": "x", "anyOf": [["$dynamicRef": "#x"], true],
        ])
        #expect(
            schema.validate(1).map(\.message) == [
                "is nested too deeply to be checked, or its schema refers to itself without end"
            ])
    }

    @Test func `take very many items that must differ`() throws {
        let schema = try JSONSchema(["uniqueItems": true, "items": ["type": "integer"]])
        let count = Extent.of(1_000_000, or: 100_000)
        let items = (0..<count).map { Value.integer($0) }
        #expect(schema.validate(.array(items)) == [])
        #expect(schema.validate(.array(items + [3])).map(\.instance) == [JSONPointer(["\(count)"])])
    }

    @Test func `take a value that is larger than the budget`() throws {
        let schema = try JSONSchema(["items": ["type": "array", "items": ["minimum": 0]]])
        let rows = Value.array(Array(repeating: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], count: 1_000))
        #expect(schema.validate(rows, steps: 100) == [])
    }

    @Test func `count what is compared inside`() throws {
        let large = Value.array((0..<10_000).map { .integer($0) })
        let alike = try JSONSchema(["items": ["const": large]])
        #expect(alike.validate(.array([large, large]), steps: 1_000) == [])
        var nested = large
        for _ in 0..<400 { nested = [nested] }
        let unique = try JSONSchema(["uniqueItems": true, "items": ["$ref": "#"]])
        #expect(unique.validate(nested, steps: 100_000).map(\.message) == Self.tooManySteps)
    }

    @Test func `find a value among thousands of objects without comparing it with each`() throws {
        let allowed = (0..<3_000).map { Value.object(["id": .integer($0), "name": "Ä ‹\($0)› 🙂"]) }
        let schema = try JSONSchema(["items": ["enum": .array(allowed)]])
        let input = Value.array((0..<9_000).map { allowed[2_999 - $0 % 3_000] })
        // Each comparison would be a step: 27 million in all.
        #expect(schema.validate(input, steps: 100_000) == [])
        let wrong = schema.validate([["id": 1.0, "name": "Ä ‹1› 🙂"], ["id": 1, "name": ""]], steps: 1_000)
        #expect(wrong.map(\.instance) == [JSONPointer(["1"])])
    }

    @Test(arguments: ["uniqueItems", "enum"])
    func `count comparisons of values that differ only where hashes do not look`(_ keyword: String) throws {
        func nested(_ value: Value) -> Value { (0..<18).reduce(value) { inner, _ in [inner] } }
        let deep = Value.array((0..<2_000).map { nested(.integer($0)) })
        let digits = (0..<2_000).map { "1.00000000000000000000\(10_000 + $0)7" }.joined(separator: ",")
        for values in [deep, try Value(json: "[\(digits)]")] {
            let schema = try JSONSchema(
                keyword == "enum" ? ["items": ["enum": values]] : ["uniqueItems": true])
            #expect(schema.validate(values, steps: 100_000).map(\.message) == Self.tooManySteps)
            #expect(schema.validate(.array(Array((values.array ?? []).prefix(20))), steps: 100_000) == [])
        }
    }

    @Test(arguments: ["(", "(?=", "(?<=", "(?:a|"], [0, 300])
    func `need no more stack than every thread has`(_ opening: String, _ levels: Int) async {
        let pattern = String(repeating: opening, count: 59) + "a" + String(repeating: ")", count: 59)
        let isFound = await withCheckedContinuation { continuation in
            let thread = Thread {
                var source: Value = ["pattern": .string(pattern)]
                for _ in 0..<levels { source = ["allOf": [source]] }
                let schema = try? JSONSchema(source)
                continuation.resume(returning: schema?.accepts("aa"))
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(isFound == true)
    }

    @Test(arguments: [
        ("https://json-schema.org/draft/2020-12/schema", #"{"type": "string", "minLength": 2}"#, #"{"type": "strin"}"#),
        ("https://json-schema.org/draft/2020-12/schema", #"{"items": {"items": true}}"#, #"{"items": {"items": 1}}"#),
        ("https://json-schema.org/draft/2020-12/meta/validation", #"{"minLength": 2}"#, #"{"minLength": -2}"#),
        ("http://json-schema.org/draft-07/schema#", #"{"items": [true]}"#, #"{"items": [1]}"#),
        ("http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger", "1", "-1"),
    ])
    func `know the metaschemas`(_ reference: String, _ valid: String, _ invalid: String) throws {
        let schema = try JSONSchema(["$ref": .string(reference)])
        #expect(schema.validate(try Value(json: valid)) == [])
        #expect(!schema.accepts(try Value(json: invalid)))
    }
}
