import Testing
import WorkflowData

struct `JSON Schema on marked data` {
    private func messages(_ schema: Value, _ value: Value) throws -> [String] {
        let schema = try JSONSchema(schema)
        let violations = schema.validate(value)
        #expect(schema.accepts(value) == violations.isEmpty)
        return violations.map(\.message)
    }

    @Test(
        arguments: [
            (["minLength": 20], "must have at least 20 characters, but has 12"),
            (["pattern": "^b"], "must match the pattern ^b, but is \"‹secrets.key›\""),
            (["enum": ["a"]], "must be 'a', but is \"‹secrets.key›\""),
            (["type": "number"], "must be a number, but is a string"),
        ] as [(Value, String)])
    func `checks what a secret is without showing it`(_ schema: Value, _ message: String) throws {
        #expect(try messages(schema, .secret("open, Sesame", of: ["key"])) == [message])
    }

    @Test(
        arguments: [
            ["type": "string", "minLength": 12, "pattern": "Sesame$"], ["const": "open, Sesame"], ["minimum": 5],
        ] as [Value])
    func `accepts a secret that is valid`(_ schema: Value) throws {
        #expect(try messages(schema, .secret("open, Sesame", of: ["key"])) == [])
    }

    @Test func `checks a secret number`() throws {
        #expect(
            try messages(["maximum": 5], .secret(7, of: ["pin"])) == ["must be at most 5, but is \"‹secrets.pin›\""])
        #expect(try messages(["enum": [7]], .secret(7, of: ["pin"])) == [])
    }

    @Test(
        arguments: [
            (["type": "string", "minLength": 40, "pattern": "x"], .text, true), (["type": "number"], .text, false),
            (["type": ["null", "integer"]], .number, true), (["type": "null"], .any, true), (["const": 1], .any, true),
            (["not": ["type": "string"]], .any, true), (["oneOf": [["minimum": 1], ["maximum": 9]]], .number, true),
            (["required": ["a", "z"], "properties": ["a": ["type": "string"]]], .object(["a": "x"]), true),
            (["properties": ["a": ["type": "string"]]], .object(["a": 1]), false),
            (["properties": ["a": ["type": "string"]]], .object(["a": .unknown(Unknown("a", .number))]), false),
            (["items": ["type": "string"], "minItems": 3], .array("x"), true),
            (["items": ["type": "string"]], .array(1), false),
            (["if": ["const": 1], "then": ["minLength": 90], "else": ["const": "x"]], .any, true),
            (["additionalProperties": false, "properties": ["a": true]], .object(["b": 1]), false),
        ] as [(Value, Unknown.Shape, Bool)])
    func `takes an unknown for whatever its shape allows`(_ schema: Value, _ shape: Unknown.Shape, _ isValid: Bool)
        throws
    {
        #expect(try messages(schema, .unknown(Unknown("u", shape))).isEmpty == isValid)
        #expect(try messages(["properties": ["in": schema]], ["in": .unknown(Unknown("u", shape))]).isEmpty == isValid)
    }

    @Test func `takes a text with unknown parts for a text`() throws {
        let text = Value.text([.plain("a"), .unknown(Unknown("u", .text))])
        #expect(try messages(["type": "string", "const": "b"], text) == [])
        #expect(try messages(["type": "object"], text) == ["must be an object, but is a string"])
    }

    @Test func `compares known parts beside unknown ones`() throws {
        let value: Value = ["kind": "a", "id": .unknown(Unknown("id"))]
        #expect(try messages(["properties": ["kind": ["const": "b"]]], value).count == 1)
        #expect(try messages(["not": ["properties": ["id": ["const": 1]]]], value) == [])
    }
}
