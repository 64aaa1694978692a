import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Plans of `call: openapi`, in which only a run knows the operation, its parameters or the document.
@Suite struct OpenAPIPlanTests {
    static let document = """
        { "openapi": "3.1.0", "servers": [{ "url": "https://api.contoso.com/v1" }], "paths": {
            "/pets/{id}": {
              "parameters": [{ "name": "id", "in": "path", "required": true }],
              "get": { "operationId": "getPet", "parameters": [
                  { "name": "tag", "in": "query" }, { "name": "X-Trace", "in": "header" } ] },
              "put": { "operationId": "putPet", "requestBody": { "required": true, "content": {
                  "application/json": { "schema": { "properties": { "name": {} } } } } } } },
            "/notes": { "post": { "operationId": "addNote", "requestBody": { "content": {
                  "text/plain": {}, "application/json": {} } } } },
            "/pets": { "get": { "operationId": "findPets", "parameters": [
                  { "name": "csv", "in": "query", "explode": false },
                  { "name": "filter", "in": "query", "style": "deepObject" },
                  { "name": "session", "in": "cookie" } ] }, "post": { "operationId": "addPets", "requestBody": { "content": {
                  "application/x-www-form-urlencoded": {} } } } } } }
        """

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("pets.json", Self.document)
    }

    private func workflow(
        operation: String, parameters: String, document: String = "file://pets.json"
    ) throws -> Workflow {
        try Workflow(
            tasks: """
                - ask: { call: http, with: { method: get, endpoint: https://api.contoso.com/ask } }
                - pet:
                    call: openapi
                    with:
                      document: { endpoint: '\(document)' }
                      operationId: \(operation)
                      parameters: \(parameters)
                """, folder: folder.url)
    }

    private static func runner(_ answers: ScriptedTransport.Reply...) -> Runner {
        CallFixture(ScriptedTransport(answers)).runner
    }

    @Test func `of an unknown operation, every one that fits the parameters is planned with its condition`()
        async throws
    {
        let workflow = try workflow(operation: "'${ .id }'", parameters: "{ id: a, name: Rex }")
        let plan = try await Self.runner().plan(workflow).value
        #expect(plan.requests.dropFirst().map(\.request.method) == ["PUT", "POST", "POST"])
        #expect(
            plan.requests.dropFirst().map(\.condition) == [
                "if operationId is putPet", "if operationId is addNote", "if operationId is addPets",
            ])
        #expect(plan.isComplete)
    }

    @Test func `of unknown parameters, each one that the operation defines is unknown`() async throws {
        let plan = try await Self.runner().plan(workflow(operation: "getPet", parameters: "'${ .given }'")).value
        let requests = plan.requests.dropFirst()
        #expect(
            requests.map(\.address) == [
                "https://api.contoso.com/v1/pets/‹ask.given.id›?‹tag=ask.given.tag›",
                "https://api.contoso.com/v1/pets/‹ask.given.id›",
            ])
        #expect(requests.map(\.condition) == ["if tag has a value", "if tag has no value"])
        #expect(requests.first?.request.headers["X-Trace"] == "‹ask.given.X-Trace›")
        #expect(plan.isComplete)
    }

    private static let calls: [(operation: String, parameters: Value, request: String, body: String?)] = [
        ("getPet", ["id": "a/b", "tag": "x&y", "X-Trace": "t"], "GET /v1/pets/a%2Fb?tag=x%26y", nil),
        ("getPet", ["ID": 7, "tag": ["x", "y"], "x-trace": .null], "GET /v1/pets/7?tag=x&tag=y", nil),
        ("getPet", ["id": 7, "tag": ["a": "b"]], "GET /v1/pets/7?a=b", nil),
        ("putPet", ["id": 7, "name": "Rex"], "PUT /v1/pets/7", #"{"name":"Rex"}"#),
        ("putPet", ["id": 7, "body": "text"], "PUT /v1/pets/7", "text"),
        (
            "findPets", ["csv": [1, "b"], "filter": ["a": "c d"]],
            "GET /v1/pets?csv=1,b&filter%5Ba%5D=c%20d", nil
        ),
        ("addNote", ["body": ["a": 1]], "POST /v1/notes", #"{"a":1}"#),
        ("addNote", ["body": "b"], "POST /v1/notes", "b"),
        ("addPets", .null, "POST /v1/pets", nil),
        ("addPets", ["a b": [1, 2], "c": "ü"], "POST /v1/pets", "a%20b=1&a%20b=2&c=%C3%BC"),
    ]

    @Test(arguments: calls.indices)
    func `a run of an approved plan calls the operation with what it is given`(index: Int) async throws {
        let call = Self.calls[index]
        let workflow = try workflow(operation: "'${ .id }'", parameters: "'${ .given }'")
        let answer = Value.object(["id": .string(call.operation), "given": call.parameters])
        let transport = ScriptedTransport(.json(answer.json()), .json("1"))
        let runner = CallFixture(transport).runner
        let plan = ApprovedPlan(try await runner.plan(workflow).value)
        #expect(try await runner.run(workflow, as: plan).value == 1)
        let request = try #require(transport.requests.last)
        let query = request.url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        #expect("\(request.method) \(request.url.path(percentEncoded: true))\(query)" == call.request)
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == call.body)
    }

    @Test func `a document on the network is read where a plan may read, and is a gap elsewhere`() async throws {
        let workflow = try workflow(
            operation: "getPet", parameters: "{ id: 1 }", document: "https://docs.contoso.com/pets.json")
        let dry = try await Self.runner().plan(workflow).value
        #expect(!dry.isComplete)
        #expect(dry.gaps.first?.contains("'--dry-run=read'") == true)
        #expect(dry.requests.map(\.operation.name) == ["http", "resource", "openapi"])
        let reading = try await Self.runner(.json("{}"), .json(Self.document), .json("{}")).plan(workflow, mode: .read)
            .value
        #expect(reading.isComplete)
        #expect(reading.requests.last?.address == "https://api.contoso.com/v1/pets/1")
    }

    @Test func `a document whose address is unknown is a gap`() async throws {
        let plan = try await Self.runner().plan(
            workflow(operation: "getPet", parameters: "{ id: 1 }", document: "${ .document }")
        ).value
        #expect(plan.requests.map(\.operation.name) == ["http", "resource", "openapi"])
        // The requests are unknown, and so is what is at the address.
        #expect(plan.gaps.count == 2)
        #expect(plan.gaps.last == "'https://unknown.example/‹ask.document›' is only read by a run")
    }
}
