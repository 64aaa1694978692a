import Foundation
import GraphSandbox
import Promises
import TestSupport
import Testing

/// Folders of a drive: what is in them, creating, moving, copying, searching, and parts of downloads.
struct SandboxFolderTests {
    private static func names(_ list: Value) -> [String] {
        (list["value"]?.array ?? []).compactMap { $0["name"]?.string }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a folder is created once, and has what is put into it`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let body: Value = ["name": "New", "folder": [:], "@microsoft.graph.conflictBehavior": "fail"]
            let created = try await client.send("POST", "/me/drive/root/children", json: body)
            #expect(created.status == 201)
            let id = try #require(try created.json["id"]?.string)
            #expect(try created.json["folder"]?["childCount"] == 0)
            let again = try await client.send("POST", "/me/drive/root/children", json: body)
            #expect(again.status == 409)
            #expect(again.errorCode == "nameAlreadyExists")
            var renaming = body.object ?? [:]
            renaming["@microsoft.graph.conflictBehavior"] = "rename"
            let other = try await client.send("POST", "/me/drive/root/children", json: .object(renaming))
            #expect(try other.json["name"] == "New 1")
            _ = try await client.put("/me/drive/root:/new/b.txt:/content", "bb")
            _ = try await client.put("/me/drive/items/\(id):/a.txt:/content", "a")
            for path in ["/me/drive/items/\(id)/children", "/me/drive/root:/New:/children"] {
                #expect(Self.names(try await client.get(path)) == ["a.txt", "b.txt"])
            }
            #expect(
                Self.names(try await client.get("/me/drive/root/children?$orderby=name%20desc")) == ["New 1", "New"])
            let page = try await client.get("/me/drive/items/\(id)/children?$top=1&$select=name")
            #expect(page["value"] == [["name": "a.txt"]] || page["value"]?[0]?["size"] == nil)
            let next = try #require(page["@odata.nextLink"]?.string)
            #expect(Self.names(try await client.get(next)) == ["b.txt"])
            #expect(try await client.send("GET", "/me/drive/root/children?$skip=1").status == 400)
            #expect(try await client.send("GET", "/me/drive/root/children?$foo=1").status == 400)
        }
    }

    @Test func `an item is renamed and moved, with what is in it`() async throws {
        let sandbox = Sandbox()
        let client = SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL)
        _ = try await client.put("/me/drive/root:/a/b/c.txt:/content", "c")
        _ = try await client.put("/me/drive/root:/d/e.txt:/content", "e")
        let target = try #require(try await client.get("/me/drive/root:/d")["id"]?.string)
        let moved = try await client.send(
            "PATCH", "/me/drive/root:/a/b", json: ["name": "B2", "parentReference": ["id": .string(target)]])
        #expect(moved.status == 200)
        #expect(sandbox.drive.map(\.path) == ["d/B2/c.txt", "d/e.txt"])
        let byPath = try await client.send(
            "PATCH", "/me/drive/root:/d/e.txt", json: ["parentReference": ["path": "/drive/root:/a"]])
        #expect(byPath.status == 200)
        #expect(sandbox.drive.map(\.path) == ["d/B2/c.txt", "a/e.txt"])
        let taken = try await client.send(
            "PATCH", "/me/drive/root:/a/e.txt", json: ["name": "B2", "parentReference": ["id": .string(target)]])
        #expect(taken.status == 409)
        let intoItself = try await client.send(
            "PATCH", "/me/drive/root:/d", json: ["parentReference": ["path": "/drive/root:/d/B2"]])
        #expect(intoItself.status == 400)
        let stale = try await client.send(
            "PATCH", "/me/drive/root:/a/e.txt", headers: ["If-Match": "\"x\""], json: ["name": "f.txt"])
        #expect(stale.status == 412)
        let timed = try await client.send(
            "PATCH", "/me/drive/root:/a/e.txt",
            json: ["fileSystemInfo": ["lastModifiedDateTime": "2001-02-03T04:05:06Z"]])
        #expect(try timed.json["fileSystemInfo"]?["lastModifiedDateTime"] == "2001-02-03T04:05:06Z")
    }

    @Test(arguments: SandboxWay.allCases)
    func `a copy is accepted, and its progress has an address of its own`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            _ = try await client.put("/me/drive/root:/a/b/c.txt:/content", "c")
            let answer = try await client.send("POST", "/me/drive/root:/a:/copy", json: ["name": "a2"])
            #expect(answer.status == 202)
            let monitor = try #require(answer.headers["Location"])
            let progress = try await client.withoutToken.get(monitor)
            #expect(progress["status"] == "completed")
            #expect(try await client.get("/me/drive/root:/a2")["id"] == progress["resourceId"])
            #expect(sandbox.drive.map(\.path) == ["a/b/c.txt", "a2/b/c.txt"])
            #expect(try await client.send("POST", "/me/drive/root:/a:/copy", json: ["name": "a2"]).status == 409)
        }
    }

    @Test func `a search finds names and texts below a folder`() async throws {
        let client = SandboxClient(transport: Sandbox().transport, base: Sandbox.baseURL)
        _ = try await client.put("/me/drive/root:/a/Report.txt:/content", "nothing")
        _ = try await client.put("/me/drive/root:/a/note.txt:/content", "the report's draft")
        _ = try await client.put("/me/drive/root:/b/report.txt:/content", "else")
        #expect(
            Self.names(try await client.get("/me/drive/root/search(q='report')"))
                == ["note.txt", "Report.txt", "report.txt"])
        #expect(Self.names(try await client.get("/me/drive/root:/b:/search(q='report')")) == ["report.txt"])
        #expect(Self.names(try await client.get("/me/drive/root/search(q='report''s')")) == ["note.txt"])
    }

    @Test(
        arguments: [
            ("bytes=0-1", 206, "he", "bytes 0-1/5"), ("bytes=3-", 206, "lo", "bytes 3-4/5"),
            ("bytes=-2", 206, "lo", "bytes 3-4/5"), ("bytes=2-99", 206, "llo", "bytes 2-4/5"),
            ("bytes=9-", 416, "", "bytes */5"), ("lines=1-2", 200, "hello", nil), ("bytes=0-0,2-2", 200, "hello", nil),
        ] as [(String, Int, String, String?)])
    func `a download has the part that is asked for`(range: String, status: Int, body: String, part: String?)
        async throws
    {
        let client = SandboxClient(transport: Sandbox().transport, base: Sandbox.baseURL)
        _ = try await client.put("/me/drive/root:/a.txt:/content", "hello")
        let address = try #require(
            try await client.send("GET", "/me/drive/root:/a.txt:/content").headers["Location"])
        let answer = try await client.withoutToken.send("GET", address, headers: ["Range": range])
        #expect(answer.status == status)
        #expect(answer.body == Data(body.utf8))
        #expect(answer.headers["Content-Range"] == part)
    }
}
