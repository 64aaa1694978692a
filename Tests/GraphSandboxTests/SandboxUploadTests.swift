import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox

@Suite struct SandboxUploadTests {
    private static let unit = 327_680

    /// Opens a session and returns its address.
    private func begin(_ client: SandboxClient, _ path: String, json: Value? = nil) async throws -> String {
        let answer = try await client.send("POST", path, json: json)
        #expect(answer.status == 200)
        let session = try answer.json
        #expect(session["nextExpectedRanges"] == ["0-"])
        return try #require(session["uploadUrl"]?.string)
    }

    /// Uploads a range of the content.
    private func put(
        _ client: SandboxClient, _ url: String, _ content: Data, _ range: Range<Int>, total: Int? = nil
    ) async throws -> HTTPResponse {
        try await client.withoutToken.send(
            "PUT", url,
            headers: ["Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total ?? content.count)"],
            body: content[range])
    }

    @Test(arguments: SandboxWay.allCases)
    func `a file comes in ranges, and the last makes it a file`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let content = Data.periodic(Self.unit * 2 + 5)
            let url = try await begin(
                client, "/me/drive/root:/a/large.bin:/createUploadSession",
                json: ["item": ["@microsoft.graph.conflictBehavior": "rename", "fileSize": .integer(content.count)]])
            let first = try await put(client, url, content, 0..<Self.unit)
            #expect(first.status == 202)
            #expect(try first.json["nextExpectedRanges"] == [.string("\(Self.unit)-\(content.count - 1)")])
            #expect(try first.json["expirationDateTime"] == "2026-09-21T15:13:20Z")
            let state = try await client.withoutToken.get(url)
            #expect(state["nextExpectedRanges"] == [.string("\(Self.unit)-\(content.count - 1)")])
            #expect(sandbox.drive.isEmpty)
            #expect(try await put(client, url, content, Self.unit..<Self.unit * 2).status == 202)
            let last = try await put(client, url, content, Self.unit * 2..<content.count)
            #expect(last.status == 201)
            #expect(try last.json["size"] == .integer(content.count))
            #expect(sandbox.drive.map(\.content) == [content])
            #expect(sandbox.drive.map(\.path) == ["a/large.bin"])
            let gone = try await client.withoutToken.send("GET", url)
            #expect(gone.status == 404)
            #expect(gone.errorCode == "itemNotFound")
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a file that is too large for memory comes back byte for byte`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let content = Data.periodic(Self.unit * 30 + 7)
            let url = try await begin(client, "/me/drive/items/root:/large.bin:/createUploadSession")
            #expect(try await put(client, url, content, 0..<Self.unit * 20).status == 202)
            let last = try await put(client, url, content, Self.unit * 20..<content.count)
            #expect(last.status == 201)
            #expect(sandbox.drive.first?.sha256 == SHA256.hex(of: content))
            let item = try last.json
            let url2 = try #require(item["@microsoft.graph.downloadUrl"]?.string)
            #expect(try await client.withoutToken.send("GET", url2).body == content)
        }
    }

    @Test func `no file is left in the temporary folder`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
            let content = Data.periodic(Self.unit * 30)
            let url = try await begin(client, "/me/drive/root:/large.bin:/createUploadSession")
            #expect(try await put(client, url, content, 0..<Self.unit * 20).status == 202)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!names.contains { $0.hasPrefix("graphflow-sandbox-") })
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a token sent to the address of a session is refused`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let url = try await begin(client, "/me/drive/root:/x.bin:/createUploadSession")
            let refused = try await client.send("GET", url)
            #expect(refused.status == 401)
            #expect(refused.errorCode == "unauthenticated")
            #expect(try await client.withoutToken.send("GET", url).status == 200)
            let unknown = try await client.withoutToken.send("GET", url + "x")
            #expect(unknown.status == 404)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `ranges that overlap or leave a gap are 416, and the session says what it expects`(
        way: SandboxWay
    ) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let content = Data.periodic(Self.unit * 3)
            let url = try await begin(client, "/me/drive/root:/x.bin:/createUploadSession")
            let early = try await put(client, url, content, Self.unit..<Self.unit * 2)
            #expect(early.status == 416)
            #expect(try early.json["error"]?["innerError"]?["code"] == "fragmentOutOfOrder")
            #expect(try await put(client, url, content, 0..<Self.unit).status == 202)
            let again = try await put(client, url, content, 0..<Self.unit)
            #expect(again.status == 416)
            #expect(again.errorCode == "invalidRange")
            #expect(try again.json["error"]?["innerError"]?["code"] == "fragmentOverlap")
            #expect(
                try await client.withoutToken.get(url)["nextExpectedRanges"] == [
                    .string("\(Self.unit)-\(content.count - 1)")
                ])
            #expect(try await put(client, url, content, Self.unit..<content.count).status == 201)
            #expect(sandbox.drive.map(\.content) == [content])
        }
    }

    @Test(arguments: [
        "bytes 0-9", "bytes 0-9/*", "bytes */10", "0-9/10", "bytes 9-0/10", "bytes 0-10/10", "bytes -1-9/10",
        "bytes 0-9/99999999999999999999", "bytes 0-8/10", "bytes 0-9/20", "",
    ])
    func `a Content-Range that does not fit the bytes is 400`(range: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let url = try await begin(client, "/me/drive/root:/x.bin:/createUploadSession")
            let answer = try await client.withoutToken.send(
                "PUT", url, headers: range.isEmpty ? [:] : ["Content-Range": range], body: Data.periodic(10))
            #expect(answer.status == 400)
            #expect(answer.errorCode == "invalidRequest")
            #expect(sandbox.drive.isEmpty)
        }
    }

    @Test func `ranges of 60 MiB, and another size of the whole than before, are 400`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let content = Data(count: 60 << 20)
            let url = try await begin(client, "/me/drive/root:/x.bin:/createUploadSession")
            #expect(try await put(client, url, content, 0..<content.count).status == 400)
            #expect(try await put(client, url, content, 0..<Self.unit).status == 202)
            #expect(try await put(client, url, content, Self.unit..<Self.unit * 2, total: 1 << 20).status == 400)
            #expect(try await put(client, url, content, Self.unit..<Self.unit * 2).status == 202)
        }
    }

    @Test func `a session ends by the sandbox's clock, later with every range`() async throws {
        let clock = Locked(Date(timeIntervalSince1970: 1_790_000_000))
        let sandbox = Sandbox(now: { clock.withLock { $0 } })
        let client = SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL)
        let content = Data.periodic(Self.unit * 3)
        let url = try await begin(client, "/me/drive/root:/x.bin:/createUploadSession")
        clock.withLock { $0 += 3000 }
        #expect(try await put(client, url, content, 0..<Self.unit).status == 202)
        clock.withLock { $0 += 3000 }
        #expect(try await put(client, url, content, Self.unit..<Self.unit * 2).status == 202)
        clock.withLock { $0 += 3601 }
        #expect(try await put(client, url, content, Self.unit * 2..<content.count).status == 404)
        #expect(sandbox.drive.isEmpty)
    }

    @Test(arguments: SandboxWay.allCases)
    func `a session that is cancelled is gone`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let url = try await begin(client, "/me/drive/root:/x.bin:/createUploadSession")
            #expect(try await client.withoutToken.send("DELETE", url).status == 204)
            #expect(try await put(client, url, Data.periodic(10), 0..<10).status == 404)
        }
    }

    @Test func `a name that is taken fails at once, is replaced, or is numbered`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            _ = try await client.put("/me/drive/root:/me.jpg:/content", "old")
            let path = "/me/drive/root:/me.jpg:/createUploadSession"
            let refused = try await client.send(
                "POST", path, json: ["item": ["@microsoft.graph.conflictBehavior": "fail"]])
            #expect(refused.status == 409)
            #expect(refused.errorCode == "nameAlreadyExists")
            let renaming = try await begin(
                client, path, json: ["item": ["@microsoft.graph.conflictBehavior": "rename"]])
            #expect(try await put(client, renaming, Data.periodic(3), 0..<3).status == 201)
            for body in [nil, ["item": ["@microsoft.graph.conflictBehavior": "replace"]]] as [Value?] {
                let replacing = try await begin(client, path, json: body)
                #expect(try await put(client, replacing, Data.periodic(4), 0..<4).status == 200)
            }
            let byID = try await begin(
                client, "/me/drive/items/\(sandbox.drive[0].id)/createUploadSession")
            #expect(try await put(client, byID, Data.periodic(5), 0..<5).status == 200)
            #expect(sandbox.drive.map(\.path) == ["me.jpg", "me 1.jpg"])
            #expect(sandbox.drive.map(\.size) == [5, 3])
            #expect(sandbox.drive.map(\.version) == [4, 1])
        }
    }

    @Test func `a file has the times that its client states, and its hash`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let times: Value = ["lastModifiedDateTime": "2020-01-02T03:04:05Z"]
            let path = "/me/drive/root:/a.bin:"
            for _ in 0..<2 {
                let url = try await begin(
                    client, path + "/createUploadSession", json: ["item": ["fileSystemInfo": times]])
                _ = try await put(client, url, Data([0x4A]), 0..<1)
                let item = try await client.get(path)
                #expect(item["fileSystemInfo"]?["lastModifiedDateTime"] == "2020-01-02T03:04:05Z")
                #expect(item["file"]?["hashes"]?["quickXorHash"] == "SgAAAAAAAAAAAAAAAQAAAAAAAAA=")
            }
            _ = try await client.put(path + "/content", "")
            let item = try await client.get(path)
            #expect(item["fileSystemInfo"]?["lastModifiedDateTime"] == item["lastModifiedDateTime"])
            #expect(item["file"]?["hashes"]?["quickXorHash"] == "AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
        }
    }

    @Test func `a name that is taken meanwhile fails with the last range, and the session stays`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let url = try await begin(
                client, "/me/drive/root:/me.jpg:/createUploadSession",
                json: ["item": ["@microsoft.graph.conflictBehavior": "fail"]])
            _ = try await client.put("/me/drive/root:/me.jpg:/content", "first")
            let late = try await put(client, url, Data.periodic(3), 0..<3)
            #expect(late.status == 409)
            #expect(try late.json["error"]?["innerError"]?["code"] == "upload_name_conflict")
            #expect(try await client.withoutToken.get(url)["nextExpectedRanges"] == [])
            #expect(sandbox.drive.map(\.size) == [5])
        }
    }

    @Test func `with deferCommit the file is there when the client says so`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let url = try await begin(
                client, "/me/drive/root:/me.jpg:/createUploadSession", json: ["deferCommit": true])
            #expect(try await client.withoutToken.send("POST", url).status == 400)
            #expect(try await put(client, url, Data.periodic(3), 0..<3).status == 202)
            #expect(sandbox.drive.isEmpty)
            #expect(try await client.withoutToken.send("POST", url, body: Data()).status == 201)
            #expect(sandbox.drive.map(\.size) == [3])
            #expect(try await client.withoutToken.send("GET", url).status == 404)
        }
    }

    @Test func `what the drive has no room for is 507, and a tag that does not match 412`() async throws {
        var settings = Sandbox.Settings()
        settings.driveQuota = 100
        try await SandboxWay.inProcess.withSandbox(settings: settings) { (sandbox, client) async throws in
            let path = "/me/drive/root:/x.txt:/createUploadSession"
            let full = try await client.send("POST", path, json: ["item": ["fileSize": 101]])
            #expect(full.status == 507)
            #expect(full.errorCode == "quotaLimitReached")
            #expect(
                try await client.put("/me/drive/root:/x.txt:/content", String(repeating: "x", count: 101)).status
                    == 507)
            _ = try await client.put("/me/drive/root:/x.txt:/content", "x")
            let changed = try await client.send("POST", path, headers: ["If-Match": "\"other\""], json: [:])
            #expect(changed.status == 412)
            #expect(sandbox.drive.map(\.size) == [1])
        }
    }

    @Test(
        arguments: [
            ["item": 5], ["item": ["@microsoft.graph.conflictBehavior": "perhaps"]], ["item": ["fileSize": "many"]],
            [],
        ] as [Value])
    func `a body that Graph's description does not accept is 400`(body: Value) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            #expect(
                try await client.send("POST", "/me/drive/root:/x.bin:/createUploadSession", json: body).status == 400)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `an answer that is lost in the middle leaves the session with its bytes`(way: SandboxWay) async throws {
        let fault = try Sandbox.Fault(parsing: "PUT /uploadSession/* drop processed")
        try await way.withSandbox(faults: [fault]) { (sandbox, client) async throws in
            let content = Data.periodic(Self.unit + 1)
            let url = try await begin(client, "/me/drive/root:/x.bin:/createUploadSession")
            await #expect(throws: HTTPFailure.self) { try await put(client, url, content, 0..<Self.unit) }
            #expect(
                try await client.withoutToken.get(url)["nextExpectedRanges"] == [
                    .string("\(Self.unit)-\(content.count - 1)")
                ])
            #expect(try await put(client, url, content, Self.unit..<content.count).status == 201)
            #expect(sandbox.drive.map(\.content) == [content])
        }
    }

    @Test func `the addresses that people may read do not tell the secret of a session`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let url = try await begin(client, "/me/drive/root:/x.bin:/createUploadSession")
            let secret = try #require(url.components(separatedBy: "tempauth=").last)
            _ = try await client.withoutToken.send("GET", url)
            #expect(sandbox.requests.count == 2)
            #expect(!sandbox.requests.contains { $0.path.contains(secret) })
        }
    }
}
