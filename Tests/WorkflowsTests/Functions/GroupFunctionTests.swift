import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// `groups` and `addToGroup`.
struct GroupFunctionTests {
    private func id(of name: String, _ fixture: FunctionFixture) async throws -> Value {
        let groups = try await fixture.call("groups", ["name": .string(name)])
        return try #require(groups[0]?["id"])
    }

    @Test func `groups are found by name and by filter, and a quote ends nothing`() async throws {
        let fixture = FunctionFixture(Sandbox())
        #expect(try await fixture.call("groups", [:]).array?.count == 2)
        #expect(try await fixture.call("groups", ["name": "all employees"])[0]?["displayName"] == "All Employees")
        let found = try await fixture.call(
            "groups", ["filter": "startswith(displayName,'Sales')", "select": ["mailNickname"]])
        #expect(
            found == [
                [
                    "id": try await id(of: "Sales and Marketing", fixture), "displayName": "Sales and Marketing",
                    "mailNickname": "salesandmarketing",
                ]
            ])
        #expect(try await fixture.call("groups", ["name": "x' or displayName ne 'y"]) == [])
        #expect(await fixture.problem("groups", ["name": "a", "filter": "b"]) != nil)
        // A name that is null by accident must not find every group.
        for name in ["name", "filter"] {
            let problem = await fixture.problem("groups", .object([name: .null]))
            #expect(problem?["detail"]?.string?.contains("'\(name)' is null") == true, "\(problem ?? [:])")
        }
    }

    @Test func `a user is added, and whoever is a member already stays one`() async throws {
        let fixture = FunctionFixture(Sandbox())
        let with: Value = [
            "group": try await id(of: "Sales and Marketing", fixture), "user": "alexw@contoso.com",
        ]
        for _ in 1...2 { #expect(try await fixture.call("addToGroup", with) == with) }
        let groups = try await fixture.call("graph", ["path": "/users/alexw@contoso.com/memberOf", "all": true])
        #expect(
            groups.array?.compactMap { $0["displayName"]?.string }.sorted() == ["All Employees", "Sales and Marketing"])
        #expect(await fixture.problem("addToGroup", ["group": "none", "user": "alexw@contoso.com"])?["status"] == 404)
        #expect(
            await fixture.problem("addToGroup", ["group": with["group"] ?? nil, "user": "nobody@contoso.com"])?[
                "status"]
                == 404)
    }

    @Test func `a licence is assigned by any request, and a second time changes nothing`() async throws {
        let fixture = FunctionFixture(Sandbox())
        let skus = try await fixture.call("graph", ["path": "/subscribedSkus", "all": true])
        let sku = try #require(skus.array?.first { $0["skuPartNumber"] == "SPE_E5" }?["skuId"])
        for _ in 1...2 {
            _ = try await fixture.call(
                "graph",
                [
                    "method": "POST", "path": "/users/alexw@contoso.com/assignLicense", "effect": "idempotent",
                    "body": ["addLicenses": [["skuId": sku, "disabledPlans": []]], "removeLicenses": []],
                ])
        }
        let details = try await fixture.call("graph", ["path": "/users/alexw@contoso.com/licenseDetails", "all": true])
        #expect(details.array?.map { $0["skuId"] } == [sku])
        let after = try await fixture.call("graph", ["path": "/subscribedSkus", "all": true])
        #expect(after.array?.map { $0["consumedUnits"] } == [1, 0])
    }
}
