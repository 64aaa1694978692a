import Foundation
import TestSupport
import Testing
import GraphSandbox

@Suite struct SandboxUserTests {
    @Test(arguments: SandboxWay.allCases)
    func `the signed-in user is Megan Bowen, with the fields that Graph gives by default`(way: SandboxWay) async throws
    {
        try await way.withSandbox { (_, client) async throws in
            let me = try await client.get("/me")
            #expect(me["mail"] == "megan@contoso.com")
            #expect(me["userPrincipalName"] == "megan@contoso.com")
            #expect(
                me.object?.keys.sorted() == [
                    "@odata.context", "businessPhones", "displayName", "givenName", "id", "jobTitle", "mail",
                    "mobilePhone", "officeLocation", "preferredLanguage", "surname", "userPrincipalName",
                ])
            let id = try #require(me["id"]?.string)
            #expect(try await client.get("/users/\(id)")["displayName"] == "Megan Bowen")
            #expect(try await client.get("/users/MEGAN@contoso.com")["id"] == .string(id))
            #expect(try await client.get("/users/megan%40contoso.com?$select=mail,id").object?.count == 3)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `the fields of a user change, but for those that a client cannot set`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let changes: Value = [
                "department": "Sales", "displayName": "Megan B", "accountEnabled": false, "mobilePhone": nil,
            ]
            #expect(try await client.send("PATCH", "/me", json: changes).status == 204)
            let me = try await client.get(
                "/users/megan@contoso.com?$select=department,displayName,accountEnabled,jobTitle")
            #expect(me["department"] == "Sales")
            #expect(me["displayName"] == "Megan B")
            #expect(me["accountEnabled"] == false)
            #expect(me["jobTitle"] == "Marketing Manager")
            #expect(try await client.get("/users?$filter=department eq 'Sales'")["value"]?.array?.count == 1)
            for (body, status, code) in [
                (["id": "1"], 400, "Request_BadRequest"), (["displayName": ""], 400, "Request_BadRequest"),
                (["accountEnabled": "no"], 400, "RequestBodyRead"),
                (["aboutMe": "x"], 501, "sandboxNotImplemented"),
            ] as [(Value, Int, String)] {
                let answer = try await client.send("PATCH", "/users/alexw@contoso.com", json: body)
                #expect(answer.status == status, "\(body)")
                #expect(answer.errorCode == code, "\(body)")
            }
            #expect(try await client.get("/users/alexw@contoso.com")["displayName"] == "Alex Wilber")
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a user without a mailbox has null for mail`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            #expect(try await client.get("/users/confroom@contoso.com")["mail"] == .null)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `an unknown user is 404 and an unknown field 400`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let unknown = try await client.send("GET", "/users/nobody@contoso.com")
            #expect(unknown.status == 404)
            #expect(unknown.errorCode == "Request_ResourceNotFound")
            let field = try await client.send("GET", "/me?$select=shoeSize")
            #expect(field.status == 400)
            #expect(field.errorCode == "BadRequest")
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `what people do is known, and what the sandbox does not play it says`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let me = try await client.get(
                "/me?$select=department,employeeId,employeeHireDate,createdDateTime,usageLocation,proxyAddresses,"
                    + "assignedLicenses,onPremisesSyncEnabled")
            #expect(me["department"] == "Marketing" && me["usageLocation"] == "US")
            #expect(me["proxyAddresses"] == ["SMTP:megan@contoso.com"])
            #expect(me["onPremisesSyncEnabled"] == .null)
            let sales = try await client.get("/users?$filter=department eq 'Retail'&$select=displayName")
            #expect(sales["value"]?.array?.map { $0["displayName"] } == ["Adele Vance", "Lynne Robbins"])
            #expect(try await client.get("/users/alexw@contoso.com/manager")["displayName"] == "Megan Bowen")
            #expect(
                try await client.get("/me/directReports")["value"]?.array?.map { $0["displayName"] } == ["Alex Wilber"])
            #expect(try await client.send("GET", "/users/leeg@contoso.com/manager").status == 404)
            for path in [
                "/me?$select=skills", "/users?$filter=onPremisesDomainName eq 'x'", "/groups?$select=theme",
            ] {
                let answer = try await client.send("GET", path)
                #expect(
                    answer.status == 501 && answer.errorCode == "sandboxNotImplemented", "\(path): \(answer.status)")
            }
        }
    }

    @Test(
        arguments: [
            ("$filter=startswith(givenName,'M')", ["Megan Bowen", "Miriam Graham"]),
            ("$filter=startswith(displayName,%20'a')%20and%20startswith(surname,'W')", ["Alex Wilber"]),
            ("$filter=mail%20eq%20'leeg@contoso.com'%20or%20(mail%20eq%20null)", ["Lee Gu", "Conf Room Adams"]),
            ("$filter=startswith(surname,'O''Brien')", []),
            ("filter=surname%20eq%20'Gu'", ["Lee Gu"]),
            ("$top=2&$orderby=displayName%20desc", ["Miriam Graham", "Megan Bowen"]),
        ] as [(String, [String])])
    func `people are found by a filter`(query: String, names: [String]) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let found = try await client.get("/users?\(query)")
            #expect(found["value"]?.array?.compactMap { $0["displayName"]?.string } == names)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a search needs the header for eventual consistency`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let path = "/users?$search=%22displayName:bow%22&$count=true"
            let refused = try await client.send("GET", path)
            #expect(refused.status == 400)
            #expect(refused.errorCode == "Request_UnsupportedQuery")
            let found = try await client.get(path, headers: ["ConsistencyLevel": "eventual"])
            #expect(found["value"]?.array?.map { $0["mail"] } == ["megan@contoso.com"])
            #expect(found["@odata.count"] == 1)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `pages lead to the last user`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            var names: [String] = []
            var next: String? = "/users?$top=3&$select=displayName"
            while let path = next {
                let page = try await client.get(path)
                names += page["value"]?.array?.compactMap { $0["displayName"]?.string } ?? []
                next = page["@odata.nextLink"]?.string
            }
            #expect(names.count == 8)
            #expect(Set(names).count == 8)
        }
    }

    @Test func `thousands of users are found, by uneven pages too`() async throws {
        var settings = Sandbox.Settings()
        settings.userCount = 3000
        settings.hasUnevenPages = true
        try await SandboxWay.inProcess.withSandbox(settings: settings) { (_, client) async throws in
            var ids: [String] = []
            var sizes: Set<Int> = []
            var next: String? = "/users?$top=400&$select=id"
            while let path = next {
                let page = try await client.get(path)
                let found = page["value"]?.array?.compactMap { $0["id"]?.string } ?? []
                sizes.insert(found.count)
                ids += found
                next = page["@odata.nextLink"]?.string
                #expect(next?.hasPrefix("https://graph.microsoft.com/v1.0/users?") != false)
            }
            #expect(Set(ids).count == 3000)
            #expect(ids.count == 3000)
            #expect(sizes.isSuperset(of: [0, 200, 399, 400]))
            #expect(try await client.get("/users/\(ids[2999])")["id"] == .string(ids[2999]))
            #expect(
                try await client.get("/users?$filter=startswith(displayName,'Zulu%200')&$top=999")["value"]?.array?
                    .count == 115)
        }
    }

    @Test(
        arguments: [
            ("$filter=givenName%20ne%20'Megan'", 7), ("$filter=not(startswith(displayName,'A'))", 6),
            ("$filter=endswith(mail,'@contoso.com')", 7),
            ("$filter=startswith(displayName,'A')&$orderby=displayName", 2),
        ] as [(String, Int)])
    func `advanced queries need the header and the count`(query: String, count: Int) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let header: HTTPHeaders = ["ConsistencyLevel": "eventual"]
            for (path, headers) in [
                ("/users?\(query)", [:]), ("/users?\(query)&$count=true", [:]), ("/users?\(query)", header),
            ] as [(String, HTTPHeaders)] {
                let refused = try await client.send("GET", path, headers: headers)
                #expect(refused.status == 400)
                #expect(refused.errorCode == "Request_UnsupportedQuery")
            }
            let found = try await client.get("/users?\(query)&$count=true", headers: header)
            #expect(found["@odata.count"] == .integer(count))
            #expect(found["value"]?.array?.count == count)
        }
    }

    @Test func `users are counted as text, with the header only`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let refused = try await client.send("GET", "/users/$count")
            #expect(refused.status == 400)
            #expect(refused.errorCode == "Request_BadRequest")
            let counted = try await client.send(
                "GET", "/users/$count?$filter=startswith(displayName,'A')", headers: ["ConsistencyLevel": "eventual"])
            #expect(counted.body == Data("2".utf8))
            #expect(counted.headers["Content-Type"] == "text/plain")
            let quiet = try await client.get("/users?$count=true")
            #expect(quiet["@odata.count"] == nil)
        }
    }

    @Test(arguments: [
        "$filter=startswith(givenName,'J", "$filter=startswith(givenName)", "$filter=givenName%20ne%20'J'", "$filter=",
        "$filter=startswith(shoeSize,'J')", "$filter=((((((((((((((((((((((((((((((((((mail%20eq%20'x')", "$top=1000",
        "$top=0", "$top=x", "$skip=1", "$filter=contains(displayName,'a')", "$skiptoken=RFNwdAIAAQAAA!",
        "$skiptoken=-1", "$orderby=shoeSize", "$filter=%FF",
    ])
    func `a query that Graph does not take is 400`(query: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let answer = try await client.send("GET", "/users?\(query)")
            #expect(answer.status == 400)
            #expect(answer.errorCode != nil)
        }
    }
}
