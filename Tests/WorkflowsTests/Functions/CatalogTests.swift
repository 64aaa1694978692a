import Promises
import TestSupport
import Testing

@testable import Workflows

struct CatalogTests {
    @Test func `the calls of the standard that a file may name are those that there are`() {
        #expect(Catalog.standard.keys.sorted() == Workflow.Call.supportedProtocols)
    }

    @Test func `the default catalog has the functions of the chain`() {
        #expect(
            Catalog.default.names == [
                "addToGroup", "approval", "createEvent", "createFolder", "createLink", "defaultPhoto", "download",
                "forEach",
                "graph",
                "groups", "listFolder", "me", "messages", "photo", "readFile", "render", "sendMail", "undo", "upload",
                "users",
            ])
        #expect(Catalog.default.functions.map(\.name) == Catalog.default.names)
    }

    @Test(arguments: Catalog.default.functions.map(\.name))
    func `every function describes itself`(name: String) throws {
        let function = try #require(Catalog.default[name])
        #expect(function.summary.hasSuffix("."))
        #expect(function.version == "1.0.0")
        #expect(function.input["additionalProperties"] == false)
        for (property, schema) in try #require(function.input["properties"]?.object) {
            #expect(schema["description"]?.string?.hasSuffix(".") == true, "\(property)")
        }
        _ = try JSONSchema(function.input)
        _ = try JSONSchema(function.output)
    }

    @Test func `another person takes more than oneself`() throws {
        let functions = try ["me", "upload"].map { try #require(Catalog.default[$0]) }
        #expect(functions.map { $0.permissions(for: [:]) } == functions.map(\.permissions))
        #expect(functions[0].permissions(for: ["user": "a@x.com"]).delegated == ["User.ReadBasic.All"])
        #expect(
            functions[0].permissions(for: ["user": "a@x.com", "select": ["department"]]).delegated == ["User.Read.All"])
        #expect(functions[0].permissions(for: ["user": nil]) == functions[0].permissions)
        #expect(functions[1].permissions(for: ["user": "a@x.com"]).delegated == ["Files.ReadWrite.All"])
    }

    @Test func `a mail goes to somebody`() throws {
        let schema = try JSONSchema(try #require(Catalog.default["sendMail"]).input)
        for to in ["", [], [""]] as [Value] { #expect(!schema.accepts(["to": to, "subject": "s", "body": "b"])) }
        for to in ["a@x.com", ["a@x.com"]] as [Value] {
            #expect(schema.accepts(["to": to, "subject": "s", "body": "b"]))
        }
    }

    @Test(arguments: [
        ("photo", Idempotency.read), ("upload", .idempotent), ("createLink", .idempotent), ("sendMail", .once),
        ("readFile", .read), ("forEach", .once), ("listFolder", .read), ("createFolder", .idempotent),
        ("download", .read), ("groups", .read), ("addToGroup", .idempotent),
        ("createEvent", .idempotent), ("messages", .read),
    ])
    func `every function says what it does to the world`(name: String, effect: Idempotency) {
        #expect(Catalog.default[name]?.effect == effect)
    }

    @Test(arguments: [
        ("me", ["User.Read"]), ("photo", ["User.Read"]), ("upload", ["Files.ReadWrite"]),
        ("createLink", ["Files.ReadWrite"]), ("sendMail", ["Mail.ReadWrite", "Mail.Send"]), ("render", []),
    ])
    func `every function needs as little as possible`(name: String, scopes: [String]) {
        #expect(Catalog.default[name]?.permissions.delegated == scopes)
    }

    @Test(arguments: ["photo", "photo:1.0.0", "photo:1.0.0@default"])
    func `a function is found by name and version`(name: String) {
        #expect(Catalog.default[name]?.name == "photo")
    }

    @Test(arguments: [
        "", "Photo", "photo@default", "photo:2.0.0", "photo:1.0", "photo:", "photo:1.0.0@other", "photo:1.0.0@",
        ":1.0.0", "@default",
        "photo:1.0.0@default@default", "photo:1.0.0:1.0.0",
    ])
    func `any other name finds nothing`(name: String) {
        #expect(Catalog.default[name] == nil)
    }

    @Test func `a name with a slip suggests the right one`() {
        #expect(Catalog.default.nearest(to: "uplaod") == "upload")
        #expect(Catalog.default.nearest(to: "phot:1.0.0") == "photo")
        #expect(Catalog.default.nearest(to: "completelyDifferent") == nil)
    }

    @Test func `a closure joins the catalog and gets what it is given`() async throws {
        var catalog = Catalog.default
        catalog.register("resize") { input, context in
            .value(["input": input, "blob": context.blobs.keep(.defaultPhoto)])
        }
        let function = try #require(catalog["resize"])
        #expect(function.effect == .once)
        let context = FunctionContext(graph: GraphFixture().client())
        let output = try await function(nil, in: context).value
        #expect(output["input"] == .null)
        #expect(try context.blobs.blob(try #require(output["blob"])) == .defaultPhoto)
        #expect(Catalog.default["resize"] == nil)
    }

    @Test func `the newest version is by number, and every version can be named`() {
        var catalog = Catalog()
        for version in ["1.9.0", "1.10.0", "1.2.0"] {
            catalog.register("f", version: version) { _, _ in .value(.string(version)) }
        }
        #expect(catalog["f"]?.version == "1.10.0")
        #expect(catalog["f:1.2.0"]?.version == "1.2.0")
        #expect(catalog.functions.count == 1)
    }

    @Test func `a call names the newest version by its name alone, and an older one with its number`() throws {
        var catalog = Catalog()
        for version in ["1.0.0", "2.0.0"] {
            catalog.register("f", version: version) { _, _ in .value(.string(version)) }
        }
        let (old, new) = (try #require(catalog["f:1.0.0"]), try #require(catalog["f:2.0.0"]))
        #expect(catalog.spellings(of: new) == ["f", "f:2.0.0", "f:2.0.0@default"])
        #expect(catalog.spellings(of: old) == ["f:1.0.0", "f:1.0.0@default"])
        for function in [old, new] {
            for name in catalog.spellings(of: function) { #expect(catalog[name]?.version == function.version) }
        }
    }

    @Test func `an input is compared with the schema, and a throw rejects`() async throws {
        struct Boom: Error {}
        var catalog = Catalog()
        catalog.register("f", input: ["type": "object", "required": ["a"]]) { _, _ in throw Boom() }
        let function = try #require(catalog["f"])
        let context = FunctionContext(graph: GraphFixture().client())
        await #expect(throws: FunctionError.self) { try await function([:], in: context).value }
        await #expect(throws: Boom.self) { try await function(["a": 1], in: context).value }
    }
}
