import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// `listFolder`, `createFolder` and `download`.
struct FolderFunctionTests {
    @Test func `a folder is created where it is said, and lists what is put into it`() async throws {
        let fixture = FunctionFixture(Sandbox())
        _ = try await fixture.call("createFolder", ["name": "People"])
        let folder = try await fixture.call("createFolder", ["name": "Adele & co", "in": "People"])
        #expect(folder["name"] == "Adele & co")
        _ = try await fixture.call("upload", ["path": "People/Adele & co/a.txt", "content": "hello"])
        for with in [["path": "People/Adele & co"], ["itemId": try #require(folder["id"])]] as [Value] {
            #expect(try await fixture.call("listFolder", with).array?.map { $0["name"] } == ["a.txt"])
        }
        #expect(try await fixture.call("listFolder", [:]).array?.map { $0["name"] } == ["People"])
    }

    @Test func `a folder that is there already is returned, also where the first answer was lost`() async throws {
        let sandbox = Sandbox()
        let fixture = FunctionFixture(sandbox)
        let first = try await fixture.call("createFolder", ["name": "People"])
        #expect(try await fixture.call("createFolder", ["name": "people"])["id"] == first["id"])
        let clock = SkippingClock()
        let posts = Locked(0)
        let losing = FaultyTransport(Sandbox().transport, clock: clock) { request, _ in
            guard request.method == "POST" else { return nil }
            return posts.withLock { posts in
                posts += 1
                return posts == 1 ? .resetAfterBody : nil
            }
        }
        #expect(try await FunctionFixture(transport: losing).call("createFolder", ["name": "P"])["name"] == "P")
    }

    @Test func `a file of that name is no folder`() async throws {
        let fixture = FunctionFixture(Sandbox())
        _ = try await fixture.call("upload", ["path": "People", "content": "hello"])
        let problem = await fixture.problem("createFolder", ["name": "People"])
        #expect(problem?["detail"]?.string?.contains("is not a folder") == true, "\(problem ?? [:])")
    }

    @Test func `a download has the bytes and their type`() async throws {
        let fixture = FunctionFixture(Sandbox())
        let item = try await fixture.call("upload", ["path": "a.txt", "content": "hello"])
        for with in [["path": "a.txt"], ["itemId": try #require(item["id"])]] as [Value] {
            let blob = try await fixture.call("download", with)
            #expect(try fixture.context.blobs.blob(blob).bytes == Data("hello".utf8))
            #expect(blob["contentType"]?.string?.hasPrefix("text/plain") == true)
        }
        #expect(await fixture.problem("download", ["path": "b.txt"])?["status"] == 404)
    }

    @Test func `a download is written beside the workflow, whole and for its owner only`() async throws {
        let folder = try TemporaryFolder()
        let fixture = FunctionFixture(Sandbox(), files: WorkflowFiles(folder: folder.url))
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "out"), withIntermediateDirectories: false)
        for text in ["hello", "hello again"] {
            _ = try await fixture.call("upload", ["path": "a.txt", "content": .string(text)])
            let blob = try await fixture.call("download", ["path": "a.txt", "file": "out/a.txt"])
            #expect(try Data(contentsOf: folder.url.appending(path: "out/a.txt")) == Data(text.utf8))
            #expect(try fixture.context.blobs.blob(blob).bytes == Data(text.utf8))
        }
        let file = folder.url.appending(path: "out/a.txt").path
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "out").path) == ["a.txt"])
        #expect(await fixture.problem("download", ["path": "b.txt", "file": "out/a.txt"])?["status"] == 404)
        #expect(try Data(contentsOf: folder.url.appending(path: "out/a.txt")) == Data("hello again".utf8))
    }

    @Test(arguments: [
        ("../a", "is outside the workflow's folder"), ("/tmp/a", "is outside the workflow's folder"),
        ("~/a", "is outside the workflow's folder"), ("", "must not be empty"),
        (".profile", "would be hidden"), (".git/hooks/a", "would be hidden"), ("x/../.a", "would be hidden"),
        ("missing/a", "There is no folder for the file"), ("out", "already exists, and is not a file"),
        ("away/a", "linked folder outside the workflow's folder"), ("linked", "already exists, and is not a file"),
    ])
    func `a download is written nowhere else`(path: String, problem: String) async throws {
        let folder = try TemporaryFolder()
        let other = try TemporaryFolder()
        let files = FileManager.default
        try files.createDirectory(at: folder.url.appending(path: "out"), withIntermediateDirectories: false)
        try folder.link("away", to: other.url.path)
        try folder.link("linked", to: other.url.path + "/a")
        let fixture = FunctionFixture(Sandbox(), files: WorkflowFiles(folder: folder.url))
        _ = try await fixture.call("upload", ["path": "a.txt", "content": "hello"])
        let error = await fixture.problem("download", ["path": "a.txt", "file": .string(path)])
        #expect(error?["detail"]?.string?.contains(problem) == true, "\(error ?? [:])")
        #expect(try files.contentsOfDirectory(atPath: other.url.path).isEmpty)
        #expect(try files.contentsOfDirectory(atPath: folder.url.path).sorted() == ["away", "linked", "out"])
    }

    @Test(
        arguments: [
            ("download", [:]), ("download", ["path": "a", "itemId": "b"]),
            ("listFolder", ["path": "a", "itemId": "b"]),
            ("createFolder", ["name": "a/b"]), ("createFolder", ["name": "a?"]),
            ("createFolder", ["name": "a", "in": "../b"]),
        ] as [(String, Value)])
    func `what cannot be sent is refused, and nothing is sent`(name: String, with: Value) async throws {
        let transport = RecordingTransport(Sandbox().transport)
        #expect(await FunctionFixture(transport: transport).problem(name, with) != nil)
        #expect(transport.records.map(\.request).isEmpty)
    }

    @Test func `a plan has the request, and the look at what has the name`() async throws {
        let plan = PlanningTransport()
        let fixture = FunctionFixture(transport: plan)
        let folder = try await fixture.call("createFolder", ["name": "People"])
        _ = try await fixture.call("listFolder", ["itemId": try #require(folder["id"])])
        _ = try await fixture.call("download", ["path": "a.txt"])
        #expect(
            plan.requests.map { "\($0.request.method) \($0.operation.effect.rawValue)" } == [
                "POST idempotent", "GET read", "GET read", "GET read", "GET read",
            ])
    }
}
