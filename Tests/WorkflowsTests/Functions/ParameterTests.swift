import Promises
import TestSupport
import Testing

@testable import Workflows

struct ParameterTests {
    private enum Shape: String, CaseIterable, ParameterValue { case round, square }
    private enum Side: Int, CaseIterable, ParameterValue { case small = 48, large = 96 }

    private struct Frame: FunctionParameters {
        @Parameter("How wide it is.") var width: Int
        @Parameter("What is written on it.") var words: [String]?
    }

    private struct Resize: FunctionParameters {
        @Parameter("The file.") var file: String
        @Parameter("The form.") var shape = Shape.round
        @Parameter("The side.") var side: Side?
        @Parameter("Whether it is sharpened.") var sharpens = false
        @Parameter("The frames.") var frames: [Frame]?
        @Parameter("How often.", schema: ["type": "integer", "minimum": 1]) var times: Value = 1
        @Parameter() var `in`: Content?
    }

    private static func context() -> FunctionContext { FunctionContext(graph: GraphFixture().client()) }

    /// A catalog with a function that returns its arguments.
    private static var catalog: Catalog {
        var catalog = Catalog()
        catalog.register("resize", input: Resize.self, effect: .read) { with, _ in .value(with.argument) }
        return catalog
    }

    private static func call(_ input: Value) async throws -> Value {
        let function = try #require(catalog["resize"])
        return try await function(input, in: context()).value
    }

    @Test func `a list of parameters is a schema`() {
        let schema: Value = [
            "type": "object",
            "properties": [
                "file": ["type": "string", "minLength": 1, "description": "The file."],
                "shape": [
                    "type": "string", "enum": ["round", "square"], "default": "round", "description": "The form.",
                ],
                "side": ["type": "integer", "enum": [48, 96], "description": "The side."],
                "sharpens": ["type": "boolean", "default": false, "description": "Whether it is sharpened."],
                "frames": [
                    "type": "array",
                    "items": [
                        "type": "object",
                        "properties": [
                            "width": ["type": "integer", "description": "How wide it is."],
                            "words": [
                                "type": "array", "items": ["type": "string", "minLength": 1],
                                "description": "What is written on it.",
                            ],
                        ],
                        "required": ["width"], "additionalProperties": false,
                    ],
                    "description": "The frames.",
                ],
                "times": ["type": "integer", "minimum": 1, "default": 1, "description": "How often."],
                "in": .object(Content.parameterSchema),
            ],
            "required": ["file"], "additionalProperties": false,
        ]
        #expect(Self.catalog["resize"]?.input.json() == schema.json())
    }

    @Test func `arguments are read, and those that are not given have their defaults`() async throws {
        #expect(
            try await Self.call(["file": "a.png"]) == [
                "file": "a.png", "shape": "round", "sharpens": false, "times": 1,
            ]
        )
        let all: Value = [
            "file": "a.png", "shape": "square", "side": 96, "sharpens": true,
            "frames": [["width": 2], ["width": 3, "words": ["x", "y"]]], "times": 2, "in": ["base64": ""],
        ]
        #expect(try await Self.call(all) == all)
    }

    @Test func `null is not given, as an expression that finds nothing returns it`() async throws {
        let output = try await Self.call(["file": "a", "shape": nil, "side": nil, "sharpens": nil, "in": nil])
        #expect(output == ["file": "a", "shape": "round", "sharpens": false, "times": 1])
    }

    @Test(arguments: [
        "ä ö", "a\u{308}", "👩‍👩‍👧 \"q\" '%' ‹file›", " \t\n", "\\u0000\u{0}", String(repeating: "ü", count: 10_000),
    ])
    func `any text arrives as it was given`(text: String) async throws {
        let output = try await Self.call(["file": .string(text), "frames": [["width": 0, "words": [.string(text)]]]])
        #expect(output["file"]?.string.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        #expect(output["frames"]?[0]?["words"] == [.string(text)])
    }

    @Test(
        arguments: [
            ([:], ""), (["file": ""], "/file"), (["file": 1], "/file"), (["file": "a", "shape": "ovl"], "/shape"),
            (["file": "a", "side": 50], "/side"), (["file": "a", "sharpens": "yes"], "/sharpens"),
            (["file": "a", "times": 0], "/times"), (["file": "a", "frames": [["width": 1], [:]]], "/frames/1"),
            (["file": "a", "frames": [["width": "1"]]], "/frames/0/width"),
            (["file": "a", "Shape": "round"], "/Shape"),
        ] as [(Value, String)])
    func `the schema refuses wrong arguments with their place`(input: Value, place: String) async throws {
        let error = await #expect(throws: FunctionError.self) { try await Self.call(input) }
        #expect(error?.pointer?.description == place, "\(String(describing: error))")
    }

    @Test(
        arguments: [
            ("file", 1, "must be a string, but is a number"), ("shape", "rund", "must be one of round, square"),
            ("side", 50, "must be one of 48, 96"), ("sharpens", "x", "must be a boolean, but is a string"),
            ("frames", [["width": nil]], "must be a whole number of at most 64 bits, but is a null"),
        ] as [(String, Value, String)])
    func `what a schema lets through is refused when it is read`(name: String, value: Value, message: String) {
        var input: Object = ["file": "a"]
        input[name] = value
        let error = #expect(throws: FunctionError.self) { try Resize(argument: .object(input), at: .root) }
        #expect(error?.message == message)
        #expect(error?.pointer?.tokens.first == name)
    }

    @Test func `errors of members have the place of what they are in`() {
        let place = JSONPointer(["frames", "0"])
        #expect(throws: FunctionError("'width' is missing", at: place)) { try Frame(argument: [:], at: place) }
        #expect(throws: FunctionError("must be an object, but is a string", at: place)) {
            try Frame(argument: "x", at: place)
        }
        #expect(throws: FunctionError("must be a string, but is a number", at: place.appending("words").appending(1))) {
            try Frame(argument: ["width": 1, "words": ["a", 2]], at: place)
        }
    }

    @Test func `a parameter has no value without a call`() async {
        await #expect(processExitsWith: .failure) {
            struct Empty: FunctionParameters { @Parameter() var text: String? }
            _ = Empty().text
        }
    }

    @Test(
        arguments: [
            ("users", ["startsWith": "a", "filter": "b"], "/filter"),
            ("users", ["search": "a", "filter": "b"], "/filter"),
            ("groups", ["name": "a", "filter": "b"], "/filter"),
            ("messages", ["search": "a", "filter": "b"], "/filter"),
            ("listFolder", ["path": "a", "itemId": "b"], "/itemId"),
            ("download", ["path": "a", "itemId": "b"], "/itemId"),
        ] as [(String, Value, String)])
    func `parameters that exclude each other are refused in a file and in a call`(
        name: String, input: Value, place: String
    ) async throws {
        let function = try #require(Catalog.default[name])
        let finding = try #require(function.check(input, files: WorkflowFiles(folder: nil)).first)
        #expect(finding.pointer.description == place)
        let error = await #expect(throws: FunctionError.self) { try await function(input, in: Self.context()).value }
        #expect(error == FunctionError(finding))
        for (member, value) in try #require(input.object) {
            #expect(function.check([member: value], files: WorkflowFiles(folder: nil)).isEmpty)
        }
    }

    @Test(
        arguments: [
            ("http", ["method": "get", "endpoint": "https://api.contoso.com", "headers": "X-A: ‹ü› 👍"], "/headers"),
            ("http", ["method": "get", "endpoint": "https://api.contoso.com", "query": "a=%22"], "/query"),
            ("graph", ["path": "/me", "headers": "X-A: 1"], "/headers"),
            ("graph", ["path": "/me", "query": ""], "/query"),
            ("graph", ["path": "/me", "query": "a=1", "select": ["id"]], "/query"),
            ("openapi", ["document": ["endpoint": "file://a"], "operationId": "a", "parameters": "x"], "/parameters"),
        ] as [(String, Value, String)])
    func `a text that an expression returns is refused where names belong`(
        name: String, input: Value, place: String
    ) async throws {
        let function = try #require(Catalog.default[name])
        let error = await #expect(throws: FunctionError.self) { try await function(input, in: Self.context()).value }
        #expect(error?.pointer?.description == place)
        #expect(error?.message == "must be an object, but is a string")
    }

    @Test func `the reader of every function takes what its schema describes`() throws {
        for function in Catalog.default.functions + Catalog.standard.values {
            let properties = try #require(function.input["properties"]?.object)
            for (name, schema) in properties where schema["default"] != nil {
                #expect(try JSONSchema(schema).accepts(try #require(schema["default"])), "\(function.name).\(name)")
            }
            let required = function.input["required"]?.array?.compactMap(\.string) ?? []
            #expect(required.allSatisfy { properties[$0]?["default"] == nil && properties[$0] != nil })
        }
    }
}
