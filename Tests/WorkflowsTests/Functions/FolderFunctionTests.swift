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
        #expect(problem?["detail"]?.string?.contains("is no folder") == true, "\(problem ?? [:])")
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
