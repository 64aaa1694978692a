import Foundation
import GraphSandbox
import TestSupport
import Testing

/// Delta queries of drives and of the directory, and the faults of all.
@Suite struct SandboxDriveDeltaTests {
    private func put(_ client: SandboxClient, _ path: String, _ text: String) async throws -> Value {
        let name = path.percentEncoded
        let answer = try await client.send("PUT", "/me/drive/root:/\(name):/content", body: Data(text.utf8))
        #expect([200, 201].contains(answer.status))
        return try answer.json
    }

    private func names(_ items: [Value]) -> [String] {
        items.map { $0["deleted"] == nil ? $0["name"]?.string ?? "" : "-" + ($0["id"]?.string ?? "") }.sorted()
    }

    @Test(arguments: SandboxWay.allCases)
    func `a drive reports files with the folders above them`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let file = try await put(client, "Büro/Über 🎉/100 'a'.txt", "one")
            let id = try #require(file["id"]?.string)
            for path in ["/me/drive/root/delta", "/users/megan@contoso.com/drive/root/delta()"] {
                var reader = DeltaReader(client, path)
                #expect(names(try await reader.round()) == ["100 'a'.txt", "Büro", "root", "Über 🎉"])
            }
            var all = DeltaReader(client, "/me/drive/root/delta?token=latest")
            #expect(try await all.round().isEmpty)
            var own = DeltaReader(
                client, "/me/drive/root/delta(token='latest')", headers: ["Prefer": "deltaExcludeParent"])
            #expect(try await own.round().isEmpty)
            let second = try await put(client, "Büro/Über 🎉/100 'a'.txt", "two")
            #expect(second["eTag"] != file["eTag"])
            #expect(second["cTag"] != file["cTag"])
            #expect(names(try await all.round()) == ["100 'a'.txt", "Büro", "root", "Über 🎉"])
            #expect(try await own.round().map { $0["eTag"] } == [second["eTag"]])
            let renamed = try await client.send("PATCH", "/me/drive/items/\(id)", json: ["name": "b.txt"])
            #expect(try renamed.json["eTag"] != second["eTag"])
            #expect(try renamed.json["cTag"] == second["cTag"])
            #expect(names(try await own.round()) == ["b.txt"])
            let folder = try await client.get("/me/drive/root:/B%C3%BCro")
            _ = try await client.send(
                "PATCH", "/me/drive/items/\(folder["id"]?.string ?? "")", json: ["name": "Office"])
            #expect(names(try await own.round()) == ["Office"], "what is in a renamed folder is not listed")
            #expect(try await client.get("/me/drive/root:/office")["eTag"] != folder["eTag"])
            _ = try await client.send("DELETE", "/me/drive/items/\(id)")
            let gone = try await own.round()
            #expect(names(gone) == ["-\(id)"])
            #expect(gone[0]["deleted"] == ["state": "deleted"])
            #expect(try await client.send("GET", "/me/drive/root:/Office:/delta").status == 501)
            let short = try await put(client, "short.txt", "")
            _ = try await client.send("DELETE", "/me/drive/items/\(short["id"]?.string ?? "")")
            #expect(try await own.round().isEmpty)
        }
    }

    @Test func `users report what is selected, and groups their members`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            var titles = DeltaReader(client, "/users/delta?$select=jobTitle")
            #expect(try await titles.round().count == 8)
            var latest = DeltaReader(client, "/users/delta?$DeltaToken=latest")
            #expect(try await latest.round().isEmpty)
            let body: Value = [
                "accountEnabled": true, "displayName": "Zoë \"Z\" %", "mailNickname": "zoe",
                "userPrincipalName": "zoe@contoso.com", "passwordProfile": ["password": "x"], "jobTitle": "Büro",
            ]
            let made = try await client.send("POST", "/users", json: body)
            #expect(made.status == 201)
            let id = try #require(try made.json["id"]?.string)
            #expect(try await client.send("POST", "/users", json: body).status == 400)
            #expect(try await client.send("POST", "/users", json: ["displayName": ""]).status == 400)
            #expect(try await titles.round() == [["jobTitle": "Büro", "id": .string(id)]])
            #expect(try await latest.round().map { $0["displayName"] } == ["Zoë \"Z\" %"])
            _ = try await client.send("PATCH", "/users/\(id)", json: ["city": "Köln"])
            #expect(try await titles.round().isEmpty)
            #expect(try await latest.round().count == 1)

            var groups = DeltaReader(client, "/groups/delta")
            let all = try await groups.round()
            #expect(all.map { $0["members@delta"]?.array?.count } == [3, 1])
            let group = all[1]["id"]?.string ?? ""
            let member: Value = ["@odata.id": .string("https://graph.microsoft.com/v1.0/users/\(id)")]
            _ = try await client.send("POST", "/groups/\(group)/members/$ref", json: member)
            var described = DeltaReader(client, "/groups/delta?$select=description")
            _ = try await described.round()
            let joined = try await groups.round()
            #expect(
                joined.map { $0["members@delta"] } == [[["@odata.type": "#microsoft.graph.user", "id": .string(id)]]])
            #expect(try await client.send("DELETE", "/users/\(id)").status == 204)
            let left = try await groups.round()
            #expect(left[0]["members@delta"]?[0]?["@removed"] == ["reason": "deleted"])
            #expect(try await described.round().isEmpty)
            #expect(try await latest.round().map { $0["@removed"] } == [["reason": "changed"]])
            #expect(try await client.send("PATCH", "/groups/\(group)", json: ["description": "Über %"]).status == 204)
            #expect(try await described.round().map { $0["description"] } == ["Über %"])
            #expect(try await client.send("PATCH", "/groups/\(group)", json: ["displayName": ""]).status == 400)
            _ = try await client.send("DELETE", "/groups/\(group)")
            #expect(try await groups.round().last?["@removed"] == ["reason": "deleted"])
            #expect(try await client.send("DELETE", "/users/megan@contoso.com").status == 501)
        }
    }

    @Test(arguments: ["replay", "twice", "empty", "early"])
    func `what a correct client bears`(fault: String) async throws {
        let faults = [try Sandbox.Fault(parsing: "GET */messages/delta \(fault)")]
        try await SandboxWay.inProcess.withSandbox(faults: faults) { (_, client) async throws in
            for subject in ["one", "two"] {
                _ = try await client.send(
                    "POST", "/me/mailFolders/inbox/messages", json: ["subject": .string(subject)])
            }
            var reader = DeltaReader(client, "/me/mailFolders/inbox/messages/delta")
            let subjects = try await reader.round().map { $0["subject"]?.string }
            let expected = [
                "replay": ["one", "two", "one", "two"], "twice": ["Earlier one", "Earlier two", "one", "two"],
                "empty": ["one", "two"], "early": ["one"],
            ]
            #expect(subjects == expected[fault])
            #expect(try await reader.round().map { $0["subject"]?.string } == (fault == "early" ? ["two"] : []))
        }
    }

    @Test(
        arguments: [
            "resyncChangesApplyDifferences", "resyncChangesUploadDifferences", "syncStateNotFound",
            "syncStateInvalid",
        ])
    func `a token that is gone has a Location to begin again`(code: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            _ = try await put(client, "a.txt", "")
            var reader = DeltaReader(client, "/me/drive/root/delta?$select=name")
            _ = try await reader.round()
            let faulty = Sandbox(faults: [try Sandbox.Fault(parsing: "GET */delta* \(code)")])
            let other = SandboxClient(transport: faulty.transport, base: Sandbox.baseURL)
            let answer = try await other.send("GET", "/me/drive/root/delta?$select=name")
            #expect(answer.status == 410)
            #expect(answer.errorCode == code)
            var fresh = DeltaReader(other, try #require(answer.headers["Location"]))
            let items = try await fresh.round()
            #expect(items.map { $0["name"] } == ["root"])
            #expect(items[0]["size"] == nil, "the options are kept")
        }
    }

    @Test(arguments: ["429 retry-after=7", "403", "503", "drop", "410"])
    func `the usual faults apply to delta queries`(fault: String) async throws {
        let faults = [try Sandbox.Fault(parsing: "GET /me/drive/root/delta \(fault)")]
        try await SandboxWay.inProcess.withSandbox(faults: faults) { (_, client) async throws in
            let first = try? await client.send("GET", "/me/drive/root/delta")
            #expect(first?.status == (fault == "drop" ? nil : Int(fault.prefix(3))))
            #expect(first?.headers["Retry-After"] == (fault.hasPrefix("429") ? "7" : nil))
            #expect(try await client.send("GET", "/me/drive/root/delta").status == 200)
        }
    }

    @Test func `ten thousand files are read`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            for number in 0..<100 { _ = try await put(client, "a/\(number).txt", "x") }
            let folder = try await client.get("/me/drive/root:/a")["id"]?.string ?? ""
            for number in 0..<100 {
                _ = try await client.send(
                    "POST", "/me/drive/items/\(folder)/copy", json: ["name": .string("b\(number)")])
            }
            var reader = DeltaReader(client, "/me/drive/root/delta?$top=1000")
            #expect(try await reader.round().count == 10_100 + 101 + 1)
            #expect(try await reader.round().isEmpty)
        }
    }
}

extension String {
    fileprivate var percentEncoded: String {
        addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? self
    }
}
