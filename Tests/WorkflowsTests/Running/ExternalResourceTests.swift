import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "External Resource": schemas and documents elsewhere, and the authentication of their requests.
@Suite struct ExternalResourceTests: ResourceSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let schema =
        #"{ "type": "object", "required": ["name"], "properties": { "age": { "type": "integer" } } }"#
    private static let network = "schema: { resource: { endpoint: https://schemas.contoso.com/pet.json } }"

    // MARK: Schemas in files

    @Test(arguments: ["pet.json", "pet.yaml"])
    func `a schema in a file beside the workflow is one of the workflow's own`(name: String) async throws {
        try folder.write("pet.json", Self.schema)
        try folder.write("pet.yaml", "required: [name]\nproperties: { age: { type: integer } }")
        let workflow = try workflow(
            "- a: { set: { name: '${ .name }' } }",
            rest: "input: { schema: { format: json, resource: { endpoint: 'file://\(name)' } } }")
        #expect(workflow.validate().isEmpty)
        let problem = try #require(workflow.validate(input: ["age": "old"]).first)
        #expect(problem.message == "the input: the property 'name' is missing")
        #expect(problem.range != nil)
        #expect(try await Runner.testing().run(workflow, input: ["name": "milou"]).value == ["name": "milou"])
    }

    @Test(arguments: [
        ("file://none.json", "missing-file: There is no file 'none.json' next to the workflow"),
        ("file://../pet.json", "missing-file: The file '../pet.json' is outside the workflow's folder"),
        ("file://bad.json", "schema: in 'file://bad.json' at '/type': "),
        ("file://torn.json", "schema: in 'file://torn.json': "),
        ("http://schemas.contoso.com/pet.json", "plain-http: plain http is not encrypted: a run needs '--allow-http"),
        ("https://schemas.contoso.com/{name}", "schema: the address of a schema must be written out"),
        ("${ .address }", "schema: the address of a schema must be written out"),
        ("none.json", "missing-file: There is no file 'none.json' next to the workflow"),
        ("/pet.json", "address: '/pet.json' is not an absolute address"),
    ])
    func `a schema that cannot be had is a finding`(address: String, finding: String) throws {
        try folder.write("bad.json", #"{ "type": 7 }"#)
        try folder.write("torn.json", "{ ")
        let findings = try findings(
            "- a: { output: { schema: { resource: { endpoint: '\(address)' } } }, set: { x: 1 } }")
        #expect(findings.count == 1)
        #expect(findings.first?.hasPrefix(finding) ?? false, "\(findings)")
    }

    @Test(arguments: [
        "schema: { format: json }", "schema: { document: {}, resource: { endpoint: 'file://pet.json' } }",
    ])
    func `a schema is either here or elsewhere`(schema: String) throws {
        try folder.write("pet.json", Self.schema)
        #expect(
            try findings("- a: { input: { \(schema) }, set: { x: 1 } }") == [
                "schema: a schema must have either 'document' or 'resource'"
            ])
    }

    // MARK: Schemas on the network

    @Test func `a schema on the network is read once, when a task needs it`() async throws {
        let transport = ScriptedTransport(.json(Self.schema))
        let output = try await CallFixture(transport).runner.run(
            workflow(
                """
                - skipped: { if: 'false', input: { \(Self.network) }, set: { x: 1 } }
                - all:
                    for: { in: '[1, 2, 3]' }
                    do: [{ one: { output: { \(Self.network) }, set: { name: milou, age: '${ $item }' } } }]
                """)
        ).value
        #expect(output == ["name": "milou", "age": 3])
        #expect(transport.requests.map(\.url.absoluteString) == ["https://schemas.contoso.com/pet.json"])
        #expect(transport.requests.first?.headers["Authorization"] == nil)
    }

    @Test func `workflows that a run runs read nothing anew`() async throws {
        let head = "document: { dsl: 1.0.3, namespace: tests, name: inner, version: 1.0.0 }"
        try folder.write(
            "inner.yaml", "\(head)\ninput: { \(Self.network) }\ndo: [{ a: { set: { name: '${ .name }' } } }]")
        let transport = ScriptedTransport(.json(Self.schema))
        let output = try await CallFixture(transport).runner.run(
            workflow(
                """
                - all:
                    for: { in: '[1, 2, 3]' }
                    do: [{ one: { run: { workflow: { namespace: tests, name: inner, version: 1.0.0 } } } }]
                """), input: ["name": "milou"]
        ).value
        #expect(output == ["name": "milou"])
        #expect(transport.requests.count == 1)
    }

    @Test func `data that it does not fit are an error of the task`() async throws {
        let transport = ScriptedTransport(.json(Self.schema))
        let error = await #expect(throws: WorkflowError.self) {
            try await CallFixture(transport).runner.run(
                workflow("- a: { output: { \(Self.network) }, set: { name: milou, age: old } }")
            ).value
        }
        #expect(error?.is(.validation) == true)
        #expect(error?.detail == "the task's output's 'age' must be an integer, but is a string")
        #expect(error?.instance == "/do/0/a")
    }

    @Test(arguments: [
        (ScriptedTransport.Reply.status(404), 404, "communication"), (.json("[1"), 400, "configuration"),
        (.json(#"{ "type": 7 }"#), 400, "configuration"),
    ])
    func `a schema that cannot be read is an error of the task, which a catch can handle`(
        reply: ScriptedTransport.Reply, status: Int, kind: String
    ) async throws {
        let transport = ScriptedTransport(reply)
        let output = try await CallFixture(transport).runner.run(
            workflow(
                """
                - careful:
                    try: [{ a: { input: { \(Self.network) }, set: { name: milou } } }]
                    catch: { do: [{ handle: { set: { error: '${ $error }' } } }] }
                """)
        ).value
        let error = try #require(output["error"])
        #expect(error["status"] == .integer(status))
        #expect(error["type"]?.string?.hasSuffix(kind) ?? false, "\(error)")
        #expect(error["instance"] == "/do/0/careful/try/0/a")
    }

    @Test func `the schemas of the workflow's own data are read before its first task`() async throws {
        let rest = "input: { \(Self.network) }\noutput: { \(Self.network) }"
        let tasks = "- a: { set: { name: '${ .name }', age: '${ .age }' } }"
        for (input, what) in [(["age": 1], "the input"), (["name": "milou", "age": 1], nil)] as [(Value, String?)] {
            let transport = ScriptedTransport(.json(Self.schema))
            let runner = CallFixture(transport).runner
            do {
                #expect(try await runner.run(workflow(tasks, rest: rest), input: input).value == input)
                #expect(what == nil)
            } catch let error as WorkflowError {
                #expect(error.is(.validation))
                #expect(error.detail == "\(what ?? ""): the property 'name' is missing")
            }
            #expect(transport.requests.count == 1)
        }
    }

    @Test func `a plan shows that it would be read, and checks nothing by it`() async throws {
        let plan = try await Runner.testing().plan(
            workflow(
                "- first: { set: { x: 1 } }\n- second: { output: { \(Self.network) }, set: { y: 2 } }",
                rest: "input: { schema: { resource: { endpoint: https://schemas.contoso.com/input.json } } }"),
            input: ["x": 1]
        ).value
        #expect(
            plan.tasks.map { $0.steps.requests.map(\.request.url.absoluteString) } == [
                ["https://schemas.contoso.com/input.json"], ["https://schemas.contoso.com/pet.json"],
            ])
        #expect(plan.requests.allSatisfy { $0.request.method == "GET" && $0.operation.effect == .read })
        #expect(plan.output == ["y": 2])
    }

    // MARK: Who asks

    @Test func `a schema's endpoint can ask who asks`() async throws {
        let transport = ScriptedTransport(.json(Self.schema))
        _ = try await signed(
            """
            - a:
                output:
                  schema:
                    resource:
                      endpoint: { uri: https://schemas.contoso.com/pet.json, authentication: { use: library } }
                set: { name: milou }
            """, rest: Self.use, transport)
        #expect(transport.requests.first?.headers["Authorization"] == "Bearer t0p-secret")
    }

    @Test func `a document that describes a service is asked for with its own authentication`() async throws {
        let document = #"{ "openapi": "3.0.3", "paths": { "/pets": { "get": { "operationId": "list" } } } }"#
        for (own, proof) in [
            ("", nil), (", authentication: { bearer: { token: '${ $secrets.other }' } }", "Bearer 0ther"),
        ] {
            let transport = ScriptedTransport(.json(document), .json("[1]"))
            let secrets = own.isEmpty ? Self.use : Self.use.replacing("[token]", with: "[token, other]")
            let output = try await signed(
                """
                - a:
                    call: openapi
                    with:
                      document: { endpoint: { uri: https://api.contoso.com/openapi.json, authentication: { use: library } } }
                      operationId: list\(own.replacing(", ", with: "\n      "))
                """, rest: secrets, transport)
            #expect(output == [1])
            #expect(
                transport.requests.map { $0.headers["Authorization"] } == ["Bearer t0p-secret", proof as String?])
        }
    }

    @Test func `an authentication that nothing defines is a finding wherever it is named`() throws {
        let endpoint = "{ uri: https://api.contoso.com/x, authentication: { use: nothing } }"
        for task in [
            "call: openapi, with: { document: { endpoint: \(endpoint) }, operationId: list }",
            "run: { script: { language: python, source: { endpoint: \(endpoint) } } }",
            "set: { x: 1 }, input: { schema: { resource: { endpoint: \(endpoint) } } }",
        ] {
            #expect(
                try findings("- a: { \(task) }") == ["unknown-reference: 'use.authentications' defines no 'nothing'"])
        }
    }
}
