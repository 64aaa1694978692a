import Foundation
import Promises
import Testing

@testable import Workflows

@Suite struct FileSchemaTests {
    private static let file = URL(fileURLWithPath: #filePath)
        .appending(path: "../../../../workflows/graphflow.schema.json").standardizedFileURL

    private func violations(_ tasks: String, catalog: Catalog = .default, head: String = "") throws -> [String] {
        let text = """
            document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
            \(head)
            do:
            \(tasks)
            """
        let schema = try JSONSchema(Workflow.fileSchema(for: catalog))
        return schema.validate(try Document(text: text, name: "test.yaml").value).map(\.message)
    }

    /// `UPDATE_SNAPSHOTS=1` rewrites the file.
    @Test func `the schema beside the samples is that of the default catalog`() throws {
        let text = Workflow.fileSchema().json(pretty: true) + "\n"
        if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" {
            try Data(text.utf8).write(to: Self.file)
        }
        let isCurrent = try Data(contentsOf: Self.file) == Data(text.utf8)
        #expect(isCurrent, "\(Self.file.path) is out of date: run the tests with UPDATE_SNAPSHOTS=1")
    }

    @Test(arguments: [
        "- a: { call: photo }", "- a: { call: 'photo:1.0.0' }", "- a: { call: 'photo:1.0.0@default', with: {} }",
        "- a: { call: me, if: .x, then: end, with: { user: '${ .user }', select: ['${ .name }', mail] } }",
        "- a: { call: me, with: { select: '${ .names }' } }",
        "- a: { call: photo, with: { size: '${ .size }' } }",
        "- a: { call: upload, with: { path: 'a/${ .name }', content: '${ .photo }', conflictBehavior: '${ .mode }' } }",
        "- a: { call: upload, with: { path: a.txt, content: { blob: x, size: '${ .size }' } } }",
        "- a: { call: sendMail, with: { to: a@contoso.com, subject: s, body: b, saveToSentItems: '${ .keep }' } }",
        "- a: { call: sendMail, with: { to: '${ .to }', subject: s, body: b, attachments: ['${ .file }'] } }",
        "- a: { do: [ { b: { wait: PT1S } }, { c: { raise: { error: { type: 'https://example.com', status: 400 } } } } ] }",
        "- a: { call: 'resize:1.0.0@own', with: { x: 1 } }", "- a: { call: 'https://example.com/f.yaml' }",
        "- a: { call: ownFunction, with: { x: 1 } }", "- a: { fork: { branches: [] } }",
        "- a: { for: { in: .x }, do: [] }", "- a: { listen: { to: { any: [] } } }",
        "- a: { emit: { event: { with: { type: t, source: 'https://example.com' } } } }",
        "- a: { call: http, with: { method: get, endpoint: 'https://example.com/{id}', query: '${ .q }' } }",
        "- a: { call: openapi, with: { document: { endpoint: 'file://a.json' }, operationId: a, parameters: { b: 1 } } }",
        "- a: { set: { b: 1 }, input: { schema: { resource: { endpoint: 'https://example.com' } } } }",
        "- a: { set: { b: 1 }, output: { schema: { resource: { endpoint: { uri: 'file://a.json' } } } } }",
        "- a: { run: { script: { language: js, source: { endpoint: 'https://example.com/a.js' } } } }",
        "- a: { run: { shell: { command: ls } } }",
        "- a: { for: { in: [ { b: 1 } ] }, do: [] }",
        "- a: { emit: { event: { with: { type: t } } } }",
        "- a: { emit: { event: { with: { type: t, source: /orders } } } }",
        "- a: { try: [], catch: { errors: { with: { detail: late } }, then: end } }",
        "- a: { set: { b: 1 }, output: { schema: { resource: { endpoint: a.json } } } }",
        "- a: { try: [ { b: { set: { c: 1 } } } ], catch: { do: [ { d: { call: me } } ] } }",
    ])
    func `accepts what runs`(task: String) throws {
        #expect(try violations("  \(task)") == [])
    }

    @Test(arguments: [
        "- a: { call: 'photo:2.0.0' }", "- a: { call: 'photo@default' }",
        "- a: { call: '${ .f }' }",
        "- a: { call: http, with: { method: get } }",
        "- a: { call: http, with: { method: get, endpoint: 'https://example.com', query: { a: 1 } } }",
        "- a: { for: { in: [ 1 ] }, do: [] }", "- a: { emit: { event: { with: { source: /orders } } } }",
        "- a: { call: grpc, with: { method: get, endpoint: 'https://example.com' } }",
        "- a: { call: upload }", "- a: { call: upload, with: { path: a.txt } }",
        "- a: { call: upload, with: { path: 1, content: a } }",
        "- a: { call: upload, with: { path: a, content: a, conflictBehavior: sometimes } }",
        "- a: { call: me, with: '${ .arguments }' }", "- a: { call: me, with: { usr: a } }",
        "- a: { call: me, with: { select: mail } }", "- a: { call: photo, await: true }",
        "- a: { run: { container: { name: job } } }",
        "- a: { run: { script: { language: ruby, code: puts } } }",
        "- a: { set: { b: 1 }, input: { schema: { document: {}, resource: { endpoint: 'https://example.com' } } } }",
        "- a: { set: { b: 1 }, input: { schema: { format: avro, document: {} } } }",
    ])
    func `refuses what does not run`(task: String) throws {
        #expect(try violations("  \(task)") != [])
    }

    @Test(arguments: [
        "schedule: { cron: 5 }", "use: { secrets: a }",
        "use: { authentications: [] }", "use: { catalogs: { a: {} } }",
        "evaluate: { mode: sloppy }",
        "evaluate: { language: javascript }", "inputs: {}",
    ])
    func `refuses parts of a workflow that do not run`(head: String) throws {
        #expect(try violations("  - a: { call: me }", head: head) != [])
        #expect(try violations("  - a: { call: me }", head: "evaluate: { language: jq, mode: strict }") == [])
    }

    @Test func `knows a program's own functions in all their versions`() throws {
        var catalog = Catalog()
        for (version, type) in [("1.0.0", "integer"), ("2.0.0", "string")] as [(String, Value)] {
            catalog.register(
                "resize", version: version, summary: "Makes a picture smaller.",
                input: ["type": "object", "properties": ["width": ["type": type, "enum": [10, "small"]]]]
            ) { input, _ in .value(input) }
        }
        #expect(try violations("  - a: { call: resize, with: { width: small } }", catalog: catalog) == [])
        #expect(try violations("  - a: { call: resize, with: { width: 10 } }", catalog: catalog) != [])
        #expect(try violations("  - a: { call: 'resize:1.0.0', with: { width: 10 } }", catalog: catalog) == [])
        #expect(
            try violations("  - a: { call: 'resize:1.0.0@default', with: { width: '${ .w }' } }", catalog: catalog)
                == [])
        #expect(try violations("  - a: { call: 'resize:1.0.0', with: { width: small } }", catalog: catalog) != [])
        #expect(try violations("  - a: { call: 'me:1.0.0' }", catalog: catalog) != [])
    }

    @Test func `follows references inside a function's schema, and refuses nothing that an expression can make right`()
        throws
    {
        let input: Value = [
            "$defs": ["size": ["type": "integer", "minimum": 1]],
            "properties": [
                "width": ["$ref": "#/$defs/size"],
                "shape": ["oneOf": [["type": "string", "maxLength": 3], ["const": "square"]]],
                "list": ["type": "array", "contains": ["const": 1], "items": ["type": "integer"]],
            ],
            "not": ["required": ["shape"], "properties": ["shape": ["const": "none"]]],
        ]
        var catalog = Catalog()
        catalog.register("odd name/~%", input: input) { input, _ in .value(input) }
        let name = "'odd name/~%'"
        for with in ["width: 5", "width: '${ .w }'", "shape: '${ .s }'", "shape: square", "list: ['${ .n }']"] {
            #expect(try violations("  - a: { call: \(name), with: { \(with) } }", catalog: catalog) == [])
        }
        for with in ["width: 0", "width: wide", "shape: circle", "list: [a]"] {
            #expect(try violations("  - a: { call: \(name), with: { \(with) } }", catalog: catalog) != [])
        }
    }

    @Test func `keeps only the definitions that it uses`() {
        let schema = Workflow.fileSchema()
        #expect(schema["$defs"]?["a2a"] == nil)
        #expect(schema["$defs"]?["duration"] != nil)
        #expect(schema["$id"] == nil)
    }
}
