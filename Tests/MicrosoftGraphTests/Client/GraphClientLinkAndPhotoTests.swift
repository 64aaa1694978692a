import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox
import MicrosoftGraph

struct GraphClientLinkAndPhotoTests {
    @Test func `where links for everybody are forbidden, the scopes that remain are said`() async throws {
        let body = #"{"error":{"code":"accessDenied","message":"Sharing is disabled."}}"#
        for scope in [nil, SharingLink.Scope.anonymous] {
            let fixture = GraphFixture(.json(body, status: 403))
            let error = await graphError(of: fixture.client().createLink(toItem: "1", scope: scope))
            #expect(error?.code == .forbidden)
            #expect(error?.hint?.contains("organization and users") == true)
            #expect(error?.hint?.contains("Files.ReadWrite") == false)
        }
        let inside = GraphFixture(.json(body, status: 403))
        let error = await graphError(of: inside.client().createLink(toItem: "1", scope: .organization))
        #expect(error?.hint?.contains("organization and users") == false)
    }

    /// A token with the claims, as the sign-in service writes one, without a signature.
    private static func token(_ claims: Value) -> AccessToken {
        let parts = [Data("{}".utf8), claims.jsonData(), Data("x".utf8)].map { part in
            part.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        return AccessToken(parts.joined(separator: "."))
    }

    private static let denied = #"{"error":{"code":"accessDenied","message":"Access denied"}}"#

    @Test(
        arguments: [
            (
                ["SharePoint-CreateSharingLink-Error": "Sharing by link is not enabled for this site."], denied,
                "mail.read"
            ),
            (
                [:], #"{"error":{"code":"accessDenied","message":"Sharing has been disabled by your admin."}}"#,
                "mail.read"
            ),
            ([:], #"{"error":{"code":"accessDenied","innerError":{"code":"sharingDisabled"}}}"#, "mail.read"),
            ([:], denied, "Files.ReadWrite User.Read"), ([:], denied, "Files.ReadWrite.All"),
        ] as [(HTTPHeaders, String, String)])
    func `a link that a setting forbids needs no permission`(headers: HTTPHeaders, body: String, scopes: String)
        async throws
    {
        let credential = FixedCredential.fixed(Self.token(["scp": .string(scopes)]))
        let client = GraphFixture(.status(403, headers, body)).client(credential: credential)
        let error = try #require(await graphError(of: client.createLink(toItem: "1", scope: .organization)))
        #expect(error.code == .forbidden)
        #expect(error.message.hasPrefix("The organisation does not allow this link: "))
        #expect(!"\(error)".contains("Sign in with it"))
        #expect(error.problem["title"] == "Not allowed")
    }

    @Test func `a link without the permission says which one is missing`() async throws {
        for token in [AccessToken("t"), Self.token(["scp": "Mail.Read"])] {
            let client = GraphFixture(.status(403, [:], Self.denied)).client(credential: FixedCredential.fixed(token))
            let error = try #require(await graphError(of: client.createLink(toItem: "1", scope: .organization)))
            #expect(error.hint?.contains("Files.ReadWrite") == true)
            #expect(error.problem["title"] == "Permission missing")
        }
    }

    @Test(arguments: ["Request_ResourceNotFound", "ErrorUserNotFound", "ResourceNotFound", ""])
    func `a person who does not exist has no missing photo`(code: String) async throws {
        let body = Value.object(["error": ["code": .string(code), "message": "Nobody."]]).json()
        for promise in [
            GraphFixture(.json(body, status: 404)).client().photo(user: "nobody@contoso.com").asVoid(),
            GraphFixture(.json(body, status: 404)).client().photoInfos(user: "nobody@contoso.com").asVoid(),
        ] {
            let error = await graphError(of: promise)
            #expect(error?.code == .invalidInput)
            #expect(error?.problem["status"] == 400)
        }
    }

    @Test func `a misspelt address gets no default picture`() async throws {
        let fixture = FunctionFixture(Sandbox())
        #expect(await fixture.problem("photo", ["user": "nobody@contoso.com"])?["status"] == 400)
        #expect(await fixture.problem("photo", ["user": "adelev@contoso.com"])?["status"] == 404)
    }

    @Test(arguments: [200, 201])
    func `a link is new or was there before`(status: Int) async throws {
        let fixture = GraphFixture(.json(Sample.link, status: status))
        #expect(try await fixture.client().createLink(toItem: "1").value.webURL == "https://contoso.example/s")
    }

    @Test func `what is said about a photo is read, in every size that there is`() async throws {
        let graph = FunctionFixture(Sandbox()).graph
        let photo = try await graph.photoInfo(user: nil, size: .pixels48).value
        #expect((photo.width, photo.height) == (48, 48))
        #expect(photo.contentType == "image/jpeg")
        #expect(try await graph.photoInfos().value.map(\.width) == [48, 240])
        let nobody = FunctionFixture(Sandbox(profile: .noPhoto)).graph
        #expect(await graphError(of: nobody.photoInfo())?.code == .notFound)
        #expect(try await nobody.photoInfos().value.isEmpty)
    }

    @Test func `a dry run has an example of what is said about photos`() async throws {
        let plan = PlanningTransport()
        let graph = GraphClient(credential: .fixed(AccessToken("t")), transport: plan, environment: [:])
        #expect(try await graph.photoInfos().value.map(\.width) == [240])
        #expect(plan.requests.map(\.request.method) == ["GET"])
    }

    @Test(arguments: [404, 501])
    func `both mean that there is no photo, and so does a placeholder`(status: Int) async throws {
        let none = ScriptedTransport.Reply.json(
            #"{"error":{"code":"ImageNotFound","message":"None."}}"#, status: status)
        #expect(await graphError(of: GraphFixture(none).client().photo())?.code == .notFound)
        #expect(await graphError(of: GraphFixture(none).client().photoInfo())?.code == .notFound)
        let placeholder = GraphFixture(
            .json(#"{"id":"1x1","width":1,"height":1,"@odata.mediaContentType":"image/gif"}"#))
        let error = await graphError(of: placeholder.client().photoInfo())
        #expect(error?.code == .notFound)
        #expect(error?.message.hasPrefix("There is no photo: the answer describes") == true)
    }

    @Test(arguments: [401, 403, 429, 500])
    func `nothing else does`(status: Int) async throws {
        let reply = ScriptedTransport.Reply.status(status)
        let error = await graphError(of: GraphFixture(reply, reply, reply, reply).client().photoInfos())
        #expect(error?.status == status)
        #expect(error?.code != .notFound)
    }

    @Test func `a mail that is sent on to where it was is not sent again`() async {
        let fixture = GraphFixture(.redirect(307, to: "https://graph.microsoft.com/v1.0/me/sendMail"), .status(202))
        #expect(await graphError(of: fixture.client().sendMail(Sample.mail))?.code == .badAnswer)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test(arguments: [
        ("https://contoso.example/s?a=b#c", true), ("HTTP://contoso.example/s", true), ("/s/1", true),
        ("https://contoso.example/\u{A0}", true), ("javascript:alert(1)", false), ("data:text/html,x", false),
        ("https://contoso.example/a b", false), ("https://contoso.example/\u{7F}", false),
        ("https://contoso.example/\u{80}", false), ("https://contoso.example/\u{9F}", false),
    ])
    func `a link is the address of a page, without invisible characters`(address: String, isPage: Bool)
        async throws
    {
        let answer: Value = ["id": "p", "link": ["webUrl": .string(address)]]
        let fixture = GraphFixture(.json(answer.json()))
        let link = fixture.client().createLink(toItem: "1")
        if isPage {
            #expect(try await link.value.webURL == address)
        } else {
            #expect(await graphError(of: link)?.code == .badAnswer)
        }
    }

    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    @Test(arguments: [
        ("image/png", png + Data(count: 40), "incomplete"),
        ("image/jpeg", Data([0xFF, 0xD8, 0xFF, 0xE0]) + Data(count: 60), "incomplete"),
        (
            "text/html", Data("<html><title>Sign in to the hotel</title></html>".utf8),
            "a web page: Sign in to the hotel"
        ),
        ("image/jpeg", Data(repeating: 0x41, count: 5_000), "not a picture but text/plain"),
    ])
    func `what is no whole picture is refused`(type: String, body: Data, problem: String) async throws {
        let answer = HTTPResponse(
            status: 200, headers: ["Content-Type": type, "request-id": "id-of-the-answer"], body: body)
        let error = await graphError(of: GraphFixture(.answer(answer)).client().photo())
        #expect(error?.code == .badAnswer)
        #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
        #expect(error?.requestID == "id-of-the-answer")
    }
}
