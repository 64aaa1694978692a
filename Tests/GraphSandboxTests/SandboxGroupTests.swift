import Foundation
import GraphSandbox
import Promises
import TestSupport
import Testing

/// Groups, their members, licences and the organisation.
struct SandboxGroupTests {
    @Test(arguments: SandboxWay.allCases)
    func `a group is created, has members, and goes`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let body: Value = [
                "displayName": "New", "mailNickname": "new", "mailEnabled": false, "securityEnabled": true,
            ]
            let created = try await client.send("POST", "/groups", json: body)
            #expect(created.status == 201)
            let id = try #require(try created.json["id"]?.string)
            let member: Value = ["@odata.id": "https://graph.microsoft.com/v1.0/users/megan@contoso.com"]
            #expect(try await client.send("POST", "/groups/\(id)/members/$ref", json: member).status == 204)
            let again = try await client.send("POST", "/groups/\(id)/members/$ref", json: member)
            #expect(again.status == 400)
            #expect(try again.json["error"]?["message"]?.string?.contains("already exist") == true)
            let members = try await client.get("/groups/\(id)/members")
            #expect(members["value"]?[0]?["userPrincipalName"] == "megan@contoso.com")
            let user = try #require(members["value"]?[0]?["id"]?.string)
            #expect(try await client.send("DELETE", "/groups/\(id)/members/\(user)/$ref").status == 204)
            #expect(try await client.send("DELETE", "/groups/\(id)/members/\(user)/$ref").status == 404)
            #expect(try await client.send("DELETE", "/groups/\(id)").status == 204)
            #expect(try await client.send("GET", "/groups/\(id)").status == 404)
        }
    }

    @Test(
        arguments: [
            ("POST", "/groups", ["displayName": "x"]),
            ("POST", "/groups/02bd9fd6-8f93-4758-87c3-1fb73740a315/members/$ref", ["@odata.id": "x"]),
            ("POST", "/me/assignLicense", ["addLicenses": []]),
            (
                "POST", "/me/assignLicense",
                ["addLicenses": [["skuId": "00000000-0000-0000-0000-000000000000"]], "removeLicenses": []]
            ),
            ("GET", "/groups?$skip=1", nil), ("GET", "/groups?$select=nothing", nil),
            ("GET", "/groups?$filter=nothing%20eq%20'x'", nil), ("GET", "/organization?$top=1", nil),
        ] as [(String, String, Value?)])
    func `what Graph refuses is 400`(method: String, path: String, body: Value?) async throws {
        let client = SandboxClient(transport: Sandbox().transport, base: Sandbox.baseURL)
        #expect(try await client.send(method, path, json: body).status == 400)
    }

    @Test func `licences run out`() async throws {
        let client = SandboxClient(transport: Sandbox().transport, base: Sandbox.baseURL)
        let body: Value = [
            "addLicenses": [["skuId": "f30db892-07e9-47e9-837c-80727f46fd3d", "disabledPlans": []]],
            "removeLicenses": [],
        ]
        var statuses: [Int] = []
        for user in ["megan", "alexw", "adelev"] {
            statuses.append(
                try await client.send("POST", "/users/\(user)@contoso.com/assignLicense", json: body).status)
        }
        #expect(statuses == [200, 200, 400])
    }

    @Test func `the organisation says who it is`() async throws {
        let client = SandboxClient(transport: Sandbox().transport, base: Sandbox.baseURL)
        #expect(try await client.get("/organization")["value"]?[0]?["displayName"] == "Contoso")
        #expect(try await client.get("/me/memberOf")["value"]?.array?.count == 2)
    }
}
