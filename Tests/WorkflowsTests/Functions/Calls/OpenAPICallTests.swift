import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "OpenAPI Call".
@Suite struct OpenAPICallTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("pets.json", Self.openAPI)
        try folder.write("pets.yaml", Self.swagger)
    }

    private static let openAPI = """
        { "openapi": "3.0.3", "servers": [{ "url": "https://{region}.contoso.com/v1/", "variables": { "region": { "default": "eu" } } }],
          "paths": {
            "/pets/{id}": {
              "parameters": [{ "$ref": "#/components/parameters/id" }],
              "get": { "operationId": "getPet", "parameters": [
                  { "name": "tag", "in": "query", "schema": { "type": "array" } },
                  { "name": "csv", "in": "query", "explode": false },
                  { "name": "pipes", "in": "query", "style": "pipeDelimited" },
                  { "name": "filter", "in": "query", "style": "deepObject" },
                  { "name": "json", "in": "query", "content": { "application/json": {} } },
                  { "name": "X-Trace", "in": "header" },
                  { "name": "X-Filter", "in": "header", "content": { "application/json": {} } }, { "name": "session", "in": "cookie" } ],
                "responses": { "200": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } } } } },
              "put": { "operationId": "putPet", "requestBody": { "required": true, "content": {
                  "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } } } } },
            "/forms": { "post": { "operationId": "sendForm", "requestBody": { "content": {
                  "application/x-www-form-urlencoded": { "schema": { "type": "object" } } } } } },
            "/mixed": { "post": { "operationId": "sendMixed", "requestBody": { "content": {
                  "application/xml": {}, "application/x-www-form-urlencoded": {} } } } },
            "/files": { "post": { "operationId": "sendFile", "requestBody": { "content": { "multipart/form-data": {} } } } },
            "/tree": { "get": { "operationId": "readTree", "responses": { "200": { "content": {
                  "application/json": { "schema": { "$ref": "#/components/schemas/Tree" } } } } } } },
            "/matrix{a}{b}": { "get": { "operationId": "styles", "parameters": [
                  { "name": "a", "in": "path", "style": "matrix", "explode": true },
                  { "name": "b", "in": "path", "style": "label" } ] } } },
          "components": {
            "parameters": { "id": { "name": "id", "in": "path", "required": true } },
            "schemas": { "Tree": { "items": { "$ref": "#/components/schemas/Tree" } }, "Pet": { "type": "object", "properties": { "id": {}, "name": {}, "tags": { "items": {} } } } } } }
        """

    private static let swagger = """
        swagger: '2.0'
        host: petstore.contoso.com
        basePath: /v2
        schemes: [http, https]
        consumes: [application/json]
        paths:
          /pet/findByStatus:
            get:
              operationId: findPetsByStatus
              parameters:
                - { name: status, in: query, required: true, type: array, collectionFormat: multi }
                - { name: order, in: query, type: array }
          /lists/{commas}/{spaces}/{tabs}/{bars}:
            get:
              operationId: lists
              parameters:
                - { name: commas, in: path, required: true, type: array }
                - { name: spaces, in: path, required: true, type: array, collectionFormat: ssv }
                - { name: tabs, in: path, required: true, type: array, collectionFormat: tsv }
                - { name: bars, in: path, required: true, type: array, collectionFormat: pipes }
          /pet:
            post:
              operationId: addPet
              parameters:
                - { name: pet, in: body, required: true, schema: { $ref: '#/definitions/Pet' } }
          /pet/{petId}:
            post:
              operationId: updatePetWithForm
              consumes: [application/x-www-form-urlencoded]
              parameters:
                - { name: petId, in: path, required: true, type: integer }
                - { name: name, in: formData, required: true, type: string }
                - { name: status, in: formData, type: string }
        definitions:
          Pet: { type: object, properties: { name: { type: string } } }
        """

    private func workflow(
        _ id: String, _ parameters: String, file: String = "file://pets.json", _ more: String = ""
    ) throws -> Workflow {
        try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
                do:
                  - ask:
                      call: openapi
                      with: { document: { endpoint: '\(file)' }, operationId: \(id), parameters: \(parameters)\(more) }
                """, folder: folder.url)
    }

    private func request(
        _ id: String, _ parameters: String, file: String = "file://pets.json", input: Value = [:]
    ) async throws -> HTTPRequest {
        let transport = ScriptedTransport(.json("{}"))
        _ = try await CallFixture(transport).runner.run(workflow(id, parameters, file: file), input: input).value
        return try #require(transport.requests.first)
    }

    @Test func `the operation is found by its id, and its parameters go where the document says`() async throws {
        let request = try await request(
            "getPet",
            """
            { id: a/b, tag: [x, 'y&'], csv: [1, 2], pipes: [a, b], filter: { age: 3 }, json: { a: [1] }, x-trace: t, session: s }
            """)
        #expect(request.method == "GET")
        #expect(
            request.url.absoluteString
                == "https://eu.contoso.com/v1/pets/a%2Fb?tag=x&tag=y%26&csv=1,2&pipes=a%7Cb&filter%5Bage%5D=3"
                + "&json=%7B%22a%22%3A%5B1%5D%7D")
        #expect(request.headers["X-Trace"] == "t")
        #expect(request.headers["Cookie"] == "session=s")
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.body == nil)
    }

    /// OpenAPI 3.1, "Style Examples", with what stands between parts encoded where an address cannot have it.
    @Test(arguments: [
        ("form", false, "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
        ("form", true, "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
        (
            "spaceDelimited", false, "color=blue", "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"
        ),
        ("pipeDelimited", false, "color=blue", "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"),
        ("deepObject", true, "color=blue", nil, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
    ])
    func `a query is written in the declared style`(
        style: String, explode: Bool, text: String, list: String?, object: String
    ) throws {
        let style = OpenAPIStyle(["style": .string(style), "explode": .bool(explode)], .query, isSwagger: false)
        func written(_ value: Value) throws -> String { try style.items("color", value).joined(separator: "&") }
        #expect(try written("blue") == text)
        if let list { #expect(try written(["blue", "black", "brown"]) == list) }
        let members: Object = ["R": 100, "G": 200, "B": 150]
        #expect(try written(.object(members)) == object)
    }

    @Test func `parts of a query are read again as they were, whatever they are`() throws {
        var random = SeededGenerator(seed: 60)
        let pieces = [
            "a", ",", "&", "=", "#", "%", "%2C", "+", " ", "/", "?", "ü", "😀", "'", "\"", "[", "]", ";", "|", "",
        ]
        for _ in 0..<Extent.of(10_000, or: 300) {
            let texts = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (0..<Int.random(in: 1...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                    .joined()
            }
            for allowsReserved in [false, true] {
                var style = OpenAPIStyle(["explode": false], .query, isSwagger: false)
                let list = Value.array(texts.map(Value.string))
                let item = try #require(style.items("a b", list).first)
                #expect(
                    item.dropFirst(6).split(separator: ",", omittingEmptySubsequences: false).map {
                        String($0).removingPercentEncoding
                    } == texts)
                style.allowsReserved = allowsReserved
                style.explode = true
                let items = try style.items("ü", list)
                #expect(
                    items.map { $0.drop { $0 != "=" }.dropFirst() }.map {
                        String($0).removingPercentEncoding
                    } == texts)
                #expect(items.allSatisfy { $0.utf8.allSatisfy { !"&#[]+ \"|".utf8.contains($0) && $0 < 0x80 } })
            }
        }
    }

    @Test func `values in the path are written in the declared style`() async throws {
        let request = try await request("styles", "{ a: [1, 2], b: { x: 1 } }")
        #expect(request.url.absoluteString == "https://eu.contoso.com/v1/matrix;a=1;a=2.x,1")
    }

    @Test func `a list in the path has the separator that a document of Swagger 2.0 declares`() async throws {
        let request = try await request(
            "lists", "{ commas: [1, 2], spaces: [3, 4], tabs: [5, 6], bars: [7, 8] }", file: "file://pets.yaml")
        #expect(request.url.absoluteString == "https://petstore.contoso.com/v2/lists/1,2/3%204/5%096/7%7C8")
    }

    @Test func `a value that the document wants as JSON is JSON in a header, too`() async throws {
        let request = try await request("getPet", "{ id: 1, x-filter: { a: [1] } }")
        #expect(request.headers["X-Filter"] == #"{"a":[1]}"#)
    }

    @Test(arguments: ["{ id: 7, body: { name: milou } }", "{ id: 7, name: milou }"])
    func `the body is what is named so, or else what is declared nowhere`(parameters: String) async throws {
        let request = try await request("putPet", parameters)
        let body = try Value(json: try #require(request.body))
        #expect(request.method == "PUT")
        #expect(request.url.path == "/v1/pets/7")
        #expect(body["name"] == "milou")
        // A name that is a property of the body and a parameter is used for both.
        #expect(body["id"] == (parameters.contains("body") ? nil : 7))
        #expect(request.headers["Content-Type"] == "application/json")
    }

    @Test func `forms are sent as the document wants them`() async throws {
        let form = try await request("sendForm", "{ a: 'x y', b: [1, 2] }")
        #expect(form.body.map { String(decoding: $0, as: UTF8.self) } == "a=x%20y&b=1&b=2")
        let file = try await request("sendFile", "{ note: hi }")
        let text = try #require(file.body.map { String(decoding: $0, as: UTF8.self) })
        #expect(text.contains("Content-Disposition: form-data; name=\"note\"\r\n\r\nhi\r\n--form-"))
        #expect(file.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=form-") == true)
    }

    @Test func `an object is sent as a form where the document wants no JSON`() async throws {
        let request = try await request("sendMixed", "{ a: 'x y' }")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.body == Data("a=x%20y".utf8))
    }

    @Test func `a document of Swagger 2.0 in YAML is understood, and https is preferred`() async throws {
        let found = try await request(
            "findPetsByStatus", "{ status: [available, sold], order: [a, b] }", file: "file://pets.yaml")
        #expect(
            found.url.absoluteString
                == "https://petstore.contoso.com/v2/pet/findByStatus?status=available&status=sold&order=a,b")
        for parameters in ["{ pet: { name: milou } }", "{ body: { name: milou } }", "{ name: milou }"] {
            let added = try await request("addPet", parameters, file: "file://pets.yaml")
            #expect(added.body == Data(#"{"name":"milou"}"#.utf8))
        }
        let updated = try await request(
            "updatePetWithForm", "{ petId: 7, name: 'a b', status: sold }", file: "file://pets.yaml")
        #expect(updated.body == Data("name=a%20b&status=sold".utf8))
        #expect(updated.url.path == "/v2/pet/7")
    }

    @Test func `a document is read over HTTP once, and relative servers start from it`() async throws {
        let document =
            #"{ "openapi": "3.1.0", "paths": { "/a": { "get": { "operationId": "a" } } }, "servers": [{ "url": "/api" }] }"#
        let transport = ScriptedTransport(
            .redirect(302, to: "/docs/new.json"), .json(document), .json("1"), .json("2"))
        let call =
            "{ call: openapi, with: { document: { endpoint: https://contoso.com/docs/a.json }, operationId: a } }"
        let workflow = try Workflow(tasks: "- one: \(call)\n- two: \(call)")
        let log = EventLog()
        #expect(try await CallFixture(transport, recorders: [log.recorder]).runner.run(workflow).value == 2)
        #expect(
            transport.requests.map(\.url.absoluteString) == [
                "https://contoso.com/docs/a.json", "https://contoso.com/docs/new.json", "https://contoso.com/api/a",
                "https://contoso.com/api/a",
            ])
        #expect(transport.operations.allSatisfy { $0.effect == .read })
    }

    @Test(arguments: [
        (#"{"openapi":"4.0"}"#, "version '4.0'"), ("[1]", "neither 'openapi' nor 'swagger'"),
        ("a: [", "neither YAML nor JSON"),
        (#"{"openapi":"3.0.0","paths":{"/a":{"get":{"operationId":"a"}}}}"#, "no absolute address"),
        (
            #"{"openapi":"3.0.0","servers":[{"url":"http://contoso.com"}],"paths":{"/a":{"get":{"operationId":"a"}}}}"#,
            "use https"
        ),
        (##"{"openapi":"3.0.0","paths":{"/a":{"$ref":"b.json#/a"}}}"##, "no operation 'a'"),
        (
            ##"{"openapi":"3.0.0","paths":{"/a":{"get":{"operationId":"a","parameters":[{"$ref":"#/x"}]}}},"x":{"$ref":"#/x"}}"##,
            "circular"
        ),
    ])
    func `a document that no call can be made from is a configuration error`(text: String, words: String) async throws {
        try folder.write("broken.json", text)
        let transport = ScriptedTransport(.json("{}"))
        // The name is computed, so that only the run finds the mistake.
        let error = await #expect(throws: WorkflowError.self) {
            try await CallFixture(transport).runner.run(
                workflow("a", "{}", file: "${ .file }"), input: ["file": "broken.json"]
            ).value
        }
        #expect(error?.is(.configuration) == true)
        #expect(error?.detail?.contains(words) == true)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        ("getPett", "{ id: 1 }", "file://pets.json", "operationId", "did you mean 'getPet'?"),
        ("getPet", "{}", "file://pets.json", "parameters", nil),
        ("getPet", "{ id: 1, tags: a }", "file://pets.json", "parameters", "did you mean 'tag'?"),
        ("putPet", "{ id: 1, body: {}, name: a }", "file://pets.json", "parameters", nil),
        ("getPet", "{ id: 1 }", "file://cats.json", "document", nil),
        ("getPet", "{ id: 1 }", "file:///etc/passwd", "document", nil),
        ("getPet", "{ id: 1 }", "file://../secret.json", "document", nil),
    ])
    func `in a document beside the workflow, what is wrong is found before anything runs`(
        id: String, parameters: String, file: String, place: String, hint: String?
    ) throws {
        let findings = try workflow(id, parameters, file: file).validate()
        #expect(findings.count == 1)
        #expect(findings.first?.severity == .error)
        #expect(hint == nil || findings.first?.hint == hint)
        _ = place
    }

    @Test func `a part of the path cannot lead elsewhere`() async throws {
        let workflow = try workflow("getPet", "{ id: '${ .id }' }")
        for id in ["", ".", ".."] {
            let error = await #expect(throws: WorkflowError.self) {
                try await CallFixture(ScriptedTransport(.json("{}"))).runner.run(workflow, input: ["id": .string(id)])
                    .value
            }
            #expect(error?.is(.validation) == true)
        }
    }

    @Test func `the effect is that of the operation's method`() async throws {
        let log = EventLog()
        _ = try await CallFixture(ScriptedTransport(.json("{}")), recorders: [log.recorder]).runner
            .run(workflow("putPet", "{ id: 1, name: a }")).value
        let effects = log.events.compactMap { event -> Idempotency? in
            if case .callStarted(_, let effect) = event.kind { effect } else { nil }
        }
        #expect(effects == [.idempotent])
    }

    @Test func `a plan answers with what the document says of the answer`() async throws {
        let plan = try await CallFixture(ScriptedTransport()).runner.plan(workflow("getPet", "{ id: 1 }")).value
        #expect(plan.requests.map(\.request.url.path) == ["/v1/pets/1"])
        #expect(plan.output == ["id": "‹ask.id›", "name": "‹ask.name›", "tags": ["‹ask.tags[]›"]])
    }

    @Test func `a plan's answer ends at some depth where a schema contains itself`() async throws {
        let plan = try await CallFixture(ScriptedTransport()).runner.plan(workflow("readTree", "{}")).value
        #expect(plan.output == [[[[[["‹ask[][][][][][]›"]]]]]])
    }

    @Test func `output and redirect are those of a call over HTTP`() async throws {
        let transport = ScriptedTransport(.status(304))
        let output = try await CallFixture(transport).runner.run(
            workflow("getPet", "{ id: 1 }", ", redirect: true, output: response")
        ).value
        #expect(output["statusCode"] == 304)
        #expect(output["request"]?["method"] == "get")
        let refused = await #expect(throws: WorkflowError.self) {
            try await CallFixture(ScriptedTransport(.status(404))).runner.run(workflow("getPet", "{ id: 1 }")).value
        }
        #expect(refused?.is(.communication) == true)
        #expect(refused?.status == 404)
    }
}
