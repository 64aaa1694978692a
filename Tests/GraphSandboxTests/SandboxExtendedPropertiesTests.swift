import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox
import MicrosoftGraph

/// What Graph accepts, shows, finds and refuses of `singleValueExtendedProperties`.
@Suite struct SandboxExtendedPropertiesTests {
    private static let color = "String {66f5a359-4659-4830-9070-00047ec6ac6e} Name Color"

    private static func message(_ value: String, id: String = color, to address: String = "adelev@contoso.com") -> Value
    {
        [
            "subject": "Paint", "toRecipients": [["emailAddress": ["address": .string(address)]]],
            "singleValueExtendedProperties": [["id": .string(id), "value": .string(value)]],
        ]
    }

    private static func query(_ option: String, _ text: String) -> String { "\(option)=\(text.percentEncoded())" }

    private static func filter(_ condition: String, id: String = color) -> String {
        query("$filter", "singleValueExtendedProperties/Any(ep: ep/id eq '\(id)' and \(condition))")
    }

    private static func expansion(_ id: String = color) -> String {
        query("$expand", "singleValueExtendedProperties($filter=id eq '\(id)')")
    }

    @Test(arguments: SandboxWay.allCases)
    func `a property is shown only by a message that is asked for it by id`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let made = try await client.send("POST", "/me/messages", json: Self.message("Green")).json
            let id = try #require(made["id"]?.string)
            #expect(made["singleValueExtendedProperties"] == nil)
            let path = "/me/messages/\(id)"
            #expect(try await client.get(path)["singleValueExtendedProperties"] == nil)
            let select = try await client.get("\(path)?$select=subject,singleValueExtendedProperties")
            #expect(select["singleValueExtendedProperties"] == nil)
            let open = try await client.get("\(path)?$expand=singleValueExtendedProperties")
            #expect(open["singleValueExtendedProperties"] == nil)
            let expected: Value = [["id": .string(Self.color), "value": "Green"]]
            #expect(try await client.get("\(path)?\(Self.expansion())")["singleValueExtendedProperties"] == expected)
            let list = try await client.get("/me/messages?$select=subject&\(Self.expansion())")
            #expect(list["value"]?[0]?["singleValueExtendedProperties"] == expected)
            let other = Self.color.replacingOccurrences(of: "Color", with: "color")
            #expect(try await client.get("\(path)?\(Self.expansion(other))")["singleValueExtendedProperties"] == nil)
            let both = "singleValueExtendedProperties($filter=id eq '\(other)' or id eq '\(Self.color)'),attachments"
            let shown = try await client.get("\(path)?\(Self.query("$expand", both))")
            #expect(shown["singleValueExtendedProperties"] == expected)
            #expect(shown["attachments"] == [])
        }
    }

    @Test(arguments: [
        ("ep/value eq 'Green'", 1), ("ep/value eq 'GREEN'", 1), ("ep/value eq 'Gree'", 0), ("ep/value ne 'Red'", 2),
        ("ep/value ne null", 2), ("contains(ep/Value, 'ree')", 1), ("startswith(ep/value, 'Gr')", 1),
        ("ep/value eq 'it''s'", 1),
    ])
    func `messages are found by a property's value`(condition: String, count: Int) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            for value in ["Green", "it's"] {
                _ = try await client.send("POST", "/me/messages", json: Self.message(value))
            }
            _ = try await client.send("POST", "/me/messages", json: ["subject": "none"])
            for mailbox in ["/me", "/users/megan@contoso.com"] {
                let found = try await client.get("\(mailbox)/messages?\(Self.filter(condition))")
                #expect(found["value"]?.array?.count == count)
                #expect(found["value"]?[0]?["singleValueExtendedProperties"] == nil)
            }
            let drafts = try await client.get("/me/mailFolders/drafts/messages?\(Self.filter(condition))")
            #expect(drafts["value"]?.array?.count == count)
            let sent = try await client.get("/me/mailFolders/sentitems/messages?\(Self.filter(condition))")
            #expect(sent["value"] == [])
            let others = try await client.get("/users/adelev@contoso.com/messages?\(Self.filter(condition))")
            #expect(others["value"] == [])
        }
    }

    @Test func `the namespace compares without case, the name with it`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            _ = try await client.send("POST", "/me/messages", json: Self.message("Green"))
            for (id, count) in [
                ("string {66F5A359-4659-4830-9070-00047EC6AC6E} name Color", 1),
                ("String {66f5a359-4659-4830-9070-00047ec6ac6e} Name color", 0),
                ("String {66f5a359-4659-4830-9070-00047ec6ac6f} Name Color", 0),
                ("Binary {66f5a359-4659-4830-9070-00047ec6ac6e} Name Color", 0),
            ] {
                let found = try await client.get("/me/messages?\(Self.filter("ep/value eq 'Green'", id: id))")
                #expect(found["value"]?.array?.count == count, "\(id)")
            }
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a message keeps its properties when it is sent`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let made = try await client.send("POST", "/me/messages", json: Self.message("Green")).json
            let id = try #require(made["id"]?.string)
            #expect(try await client.send("POST", "/me/messages/\(id)/send").status == 202)
            let direct = try await client.send("POST", "/me/sendMail", json: ["message": Self.message("Blue")])
            #expect(direct.status == 202)
            for value in ["Green", "Blue"] {
                let path = "/me/mailFolders/sentitems/messages?\(Self.filter("ep/value eq '\(value)'"))"
                let found = try await client.get("\(path)&\(Self.expansion())")
                #expect(found["value"]?.array?.count == 1)
                #expect(found["value"]?[0]?["isDraft"] == false)
                #expect(found["value"]?[0]?["singleValueExtendedProperties"]?[0]?["value"] == .string(value))
            }
        }
    }

    @Test func `a change sets a property, and leaves the others`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let size = "Integer {66f5a359-4659-4830-9070-00047ec6ac6e} Id 0x8012"
            let made = try await client.send("POST", "/me/messages", json: Self.message("Green")).json
            let path = "/me/messages/\(made["id"]?.string ?? "")"
            #expect(try await client.send("POST", "\(path)/send").status == 202)
            let sent = try await client.get("/me/messages?\(Self.filter("ep/value eq 'Green'"))")
            let later = "/me/messages/\(sent["value"]?[0]?["id"]?.string ?? "")"
            for (id, value) in [(Self.color, "Red"), (size, "12")] {
                let properties: Value = [["id": .string(id), "value": .string(value)]]
                let changed = try await client.send(
                    "PATCH", later, json: ["singleValueExtendedProperties": properties])
                #expect(changed.status == 200)
                #expect(try changed.json["singleValueExtendedProperties"] == nil)
                let shown = try await client.get("\(later)?\(Self.expansion(id))")
                #expect(shown["singleValueExtendedProperties"] == properties)
            }
            #expect(
                try await client.get("/me/messages?\(Self.filter("ep/value eq 'Red'"))")["value"]?.array?.count == 1)
        }
    }

    @Test(arguments: [
        ("Color", "ErrorInvalidProperty"), ("String Color", "ErrorInvalidProperty"),
        ("String {66f5a359-4659-4830-9070-00047ec6ac6e} Color", "ErrorInvalidProperty"),
        ("String {66f5a359} Name Color", "ErrorInvalidProperty"),
        ("Text {66f5a359-4659-4830-9070-00047ec6ac6e} Name Color", "ErrorInvalidProperty"),
        ("Integer {66f5a359-4659-4830-9070-00047ec6ac6e} Id Color", "ErrorInvalidProperty"),
        ("StringArray {66f5a359-4659-4830-9070-00047ec6ac6e} Name Color", "ErrorInvalidExtendedProperty"),
    ])
    func `an id of another form is refused wherever it stands`(id: String, code: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let made = try await client.send("POST", "/me/messages", json: Self.message("Green")).json
            let path = "/me/messages/\(made["id"]?.string ?? "")"
            let properties: Value = ["singleValueExtendedProperties": [["id": .string(id), "value": "Green"]]]
            for answer in [
                try await client.send("POST", "/me/messages", json: Self.message("Green", id: id)),
                try await client.send("POST", "/me/sendMail", json: ["message": Self.message("Green", id: id)]),
                try await client.send("PATCH", path, json: properties),
                try await client.send("GET", "\(path)?\(Self.expansion(id))"),
                try await client.send("GET", "/me/messages?\(Self.filter("ep/value eq 'Green'", id: id))"),
            ] {
                #expect(answer.status == 400)
                #expect(answer.errorCode == code)
            }
            #expect(sandbox.outbox.isEmpty)
        }
    }

    @Test(
        arguments: [
            (["id": .string(color)], "ErrorRequiredPropertyMissing"),
            (["value": "Green"], "ErrorRequiredPropertyMissing"),
            (["id": .string(color), "value": .null], "ErrorRequiredPropertyMissing"),
            (["id": .string(color), "value": 7], "RequestBodyRead"),
            (
                ["id": "Integer {66f5a359-4659-4830-9070-00047ec6ac6e} Id 0x8012", "value": "many"],
                "ErrorInvalidExtendedPropertyValue"
            ),
        ] as [(Value, String)])
    func `a property needs an id and a text that fits its type`(property: Value, code: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let refused = try await client.send(
                "POST", "/me/messages", json: ["singleValueExtendedProperties": [property]])
            #expect(refused.status == 400)
            #expect(refused.errorCode == code)
            #expect(try await client.get("/me/messages")["value"] == [])
        }
    }

    @Test(arguments: [
        "id eq 'String {66f5a359-4659-4830-9070-00047ec6ac6e} Name Color'",
        "singleValueExtendedProperties/any(ep: ep/value eq 'Green')",
        "singleValueExtendedProperties/any(ep: ep/id ne '\(color)')",
        "singleValueExtendedProperties/any(ep: ep/id eq '\(color)' or ep/value eq 'Green')",
        "singleValueExtendedProperties/any(ep: ep/id eq '\(color)' and endswith(ep/value, 'n'))",
    ])
    func `another use of properties in a filter is refused`(filter: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            _ = try await client.send("POST", "/me/messages", json: Self.message("Green"))
            let refused = try await client.send("GET", "/me/messages?\(Self.query("$filter", filter))")
            #expect(refused.status == 400)
            #expect(
                refused.errorCode == (filter.hasPrefix("id") ? "ErrorInvalidProperty" : "Request_UnsupportedQuery"))
        }
    }

    @Test func `an expansion that cannot be read is refused`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let made = try await client.send("POST", "/me/messages", json: Self.message("Green")).json
            for text in [
                "singleValueExtendedProperties($filter=id eq Test)", "singleValueExtendedProperties($filter=id",
                "singleValueExtendedProperties($select=id)", "shoes",
            ] {
                let path = "/me/messages/\(made["id"]?.string ?? "")?\(Self.query("$expand", text))"
                #expect(try await client.send("GET", path).errorCode == "RequestBroker--ParseUri")
            }
        }
    }

    @Test func `a draft that is thrown away stays a draft`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let immutable: HTTPHeaders = ["Prefer": "IdType=\"ImmutableId\""]
            let made = try await client.send(
                "POST", "/me/messages", headers: immutable, json: Self.message("Green")
            ).json
            let path = "/me/messages/\(made["id"]?.string ?? "")"
            #expect(try await client.send("DELETE", path).status == 204)
            let thrown = try await client.get(path)
            #expect(thrown["isDraft"] == true)
            #expect(thrown["parentFolderId"] == (try await client.get("/me/mailFolders/deleteditems")["id"]))
        }
    }
}
