import Foundation
import GraphModel
import GraphSandbox
import TestSupport
import Testing

/// What the sandbox keeps for every type of the model.
@Suite struct SandboxStoreTests {
    /// The lists that take new objects, at the root of Graph and in its parts, but for those that a service of the sandbox keeps.
    private static let sets: [(path: String, type: GraphType)] = {
        let own = [
            "users", "groups", "subscriptions", "directoryObjects", "invitations", "drives", "organization",
            "subscribedSkus",
        ]
        let root = GraphModel.root.allMembers.filter { !own.contains($0.name) }
        let parts = root.filter { !$0.type.isList && $0.name != "me" }
        let inside = parts.flatMap { part in
            (part.type.definition?.allMembers ?? []).filter { $0.kind == .contained }
                .map { (path: "\(part.name)/\($0.name)", type: $0.type) }
        }
        return (root.map { (path: $0.name, type: $0.type) } + inside).filter { path, type in
            guard type.isList, type.isEntity, let address = try? GraphAddress(path) else { return false }
            return (try? GraphOperation("POST", address)) != nil
        }
    }()

    @Test func `each entity set takes, tells, finds, changes and forgets objects`() async throws {
        #expect(Self.sets.count >= 60, "\(Self.sets.count)")
        let names = ["Jürgen 'Groß'", "a b%/?#&", "🙂‹x›", "", String(repeating: "x", count: 10_000)]
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            for (number, set) in Self.sets.enumerated() {
                let hasName = set.type.definition?.member("displayName")?.type.kind == .primitive(.string)
                let name = Value.string(names[number % names.count])
                let before = try await client.get("/\(set.path)")["value"]?.array?.count ?? 0
                let made = try await client.send("POST", "/\(set.path)", json: hasName ? ["displayName": name] : [:])
                #expect(made.status == 201, "\(set.path): \(made.status)")
                let id = try #require(try made.json["id"]?.string)
                let own = try await client.get("/\(set.path)/\(id)")
                #expect(own["id"] == .string(id) && (!hasName || own["displayName"] == name), "\(set.path)")
                #expect(try await client.get("/\(set.path)")["value"]?.array?.count == before + 1)
                let found = try await client.get("/\(set.path)?$filter=id eq '\(id)'&$select=id&$count=true")
                #expect(found["value"]?.array?.map { $0["id"] } == [.string(id)], "\(set.path)")
                if hasName {
                    let changed = try await client.send("PATCH", "/\(set.path)/\(id)", json: ["displayName": "new"])
                    #expect([200, 204].contains(changed.status), "\(set.path)")
                    #expect(try await client.get("/\(set.path)/\(id)")["displayName"] == "new")
                }
                let refused = try await client.send("PATCH", "/\(set.path)/\(id)", json: ["displayNam": "x"])
                #expect(refused.status == 400, "\(set.path)")
                #expect(try await client.send("DELETE", "/\(set.path)/\(id)").status == 204)
                #expect(try await client.send("GET", "/\(set.path)/\(id)").status == 404)
                #expect(try await client.send("DELETE", "/\(set.path)/\(id)").status == 404)
            }
        }
    }

    @Test func `lists inside objects, relations and parts are kept, and go with the object`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let before = sandbox.snapshot
            func make(_ path: String, _ body: Value) async throws -> Value {
                let answer = try await client.send("POST", path, json: body)
                #expect(answer.status == 201, "\(path): \(answer.status)")
                return try answer.json
            }
            let list = try await make("/me/todo/lists", ["displayName": "Einkäufe"])
            let lists = "/me/todo/lists/\(list["id"]?.string ?? "")"
            _ = try await make("\(lists)/tasks", ["title": "Äpfel", "importance": "high"])
            #expect(try await client.get("\(lists)/tasks")["value"]?[0]?["title"] == "Äpfel")
            #expect(try await client.get("/users/megan@contoso.com/todo/lists")["value"]?.array?.count == 1)
            #expect(try await client.get("/users/adelev@contoso.com/todo/lists")["value"]?.array?.isEmpty == true)
            #expect(try await client.send("POST", "\(lists)/tasks", json: ["title": 5]).status == 400)
            #expect(try await client.get("/me/todo/lists?$expand=tasks")["value"]?[0]?["tasks"]?.array?.count == 1)
            let app = try await make("/applications", ["displayName": "‹app›"])
            let path = "/applications/\(app["id"]?.string ?? "")"
            let adele = try await client.get("/users/adelev@contoso.com")["id"]?.string ?? ""
            let reference: Value = ["@odata.id": .string("https://graph.microsoft.com/v1.0/directoryObjects/\(adele)")]
            #expect(try await client.send("POST", "\(path)/owners/$ref", json: reference).status == 204)
            #expect(try await client.send("POST", "\(path)/owners/$ref", json: reference).status == 400)
            #expect(try await client.get("\(path)/owners")["value"]?[0]?["displayName"] == "Adele Vance")
            #expect(try await client.send("DELETE", "\(path)/owners/\(adele)/$ref").status == 204)
            #expect(try await client.send("DELETE", "\(path)/owners/\(adele)/$ref").status == 404)
            let key = "/applications(appId='\(app["appId"]?.string ?? "")')"
            #expect(try await client.get(key)["id"] == app["id"])
            let secret = try await client.send("POST", "\(path)/addPassword", json: [:])
            #expect(try secret.json["secretText"]?.string?.isEmpty == false)
            #expect(try await client.get(path)["passwordCredentials"]?[0]?["secretText"] == nil)
            for gone in [lists, path] { #expect(try await client.send("DELETE", gone).status == 204) }
            #expect(try await client.send("GET", "\(lists)/tasks").status == 404)
            #expect(sandbox.snapshot == before)
            let settings: Value = ["timeZone": "W. Europe Standard Time"]
            #expect(try await client.send("PATCH", "/me/mailboxSettings", json: settings).status == 200)
            #expect(try await client.get("/me/mailboxSettings")["timeZone"] == "W. Europe Standard Time")
        }
    }

    @Test func `what Graph does not have it refuses in Graph's words, and what is not played with the mock`()
        async throws
    {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let unknown = try await client.send("GET", "/applicatons")
            #expect(unknown.status == 400)
            #expect(try unknown.json["error"]?["message"] == "Resource not found for the segment 'applicatons'.")
            let method = try await client.send("PATCH", "/applications", json: [:])
            #expect(method.status == 405 && method.headers["Allow"] == "GET, POST")
            #expect(try await client.send("GET", "/users/nobody@contoso.com/todo/lists").status == 404)
            let action = try await client.send("POST", "/me/findMeetingTimes", json: [:])
            #expect(action.status == 501)
            #expect(
                try action.json["error"]?["message"]?.string?.hasSuffix(
                    "{ request: { method: POST, path: '/me/findMeetingTimes' }, answer: { json: {} } }") == true)
        }
    }

    /// The samples that Microsoft publishes, with objects for what they name: how many are answered.
    @Test func `most samples are answered as Graph would`() async throws {
        var (answered, others) = (0, [String]())
        for sample in GraphModelTests.samples {
            try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
                let path = try await Self.path(of: sample.path, in: client)
                let query = sample.query.isEmpty ? "" : "?\(sample.query)"
                let status = try await client.send(sample.method, path + query, json: sample.body).status
                if [501, 405, 404].contains(status) {
                    others.append("\(status) \(sample.testDescription)")
                } else {
                    answered += 1
                }
            }
        }
        #expect(answered >= 140, "\(answered): \(others.joined(separator: "\n"))")
    }

    /// A sample's path with the id of an object that was made in the place of each key.
    private static func path(of sample: String, in client: SandboxClient) async throws -> String {
        var path = ""
        for part in sample.split(separator: "/") {
            guard part.hasPrefix("{"), let list = try? GraphAddress(path), let type = list.segments.last?.type else {
                path += "/\(part)"
                continue
            }
            let known = try await client.send("GET", path).json["value"]?[0]?["id"]?.string
            let name = type.definition?.member("displayName") == nil ? [:] : ["displayName": "x"] as Value
            let made = known == nil ? try await client.send("POST", path, json: name).json["id"]?.string : nil
            path += "/\(known ?? made ?? String(part))"
        }
        return path
    }
}
