import Foundation
import Promises
import TestSupport
import Testing
import MicrosoftGraph

struct GraphClientAnswerTests {
    private static let hostile: [String] = [
        "", "<html><title>Sign in</title></html>", #"{"id":"#, "[]", "null", "7", #""text""#, "{}", #"{"id":null}"#,
        #"{"id":7}"#, #"{"id":""}"#, "\u{0}\u{1}", #"{"id":"1"}{"id":"2"}"#,
        String(repeating: "[", count: 200_000), #"{"link":{"webUrl":""}}"#, #"{"link":"x"}"#,
    ]

    @Test(arguments: hostile)
    func `a success with an unusable body is a clear error`(body: String) async {
        let me = GraphFixture(.status(200, ["Content-Type": "text/html"], body))
        let error = await graphError(of: me.client().me())
        #expect(error?.code == .badAnswer)
        #expect(error?.operation == "me")
        #expect(error?.clientRequestID == "id-of-the-request")
        #expect(me.transport.requests.count == 1)
        let upload = GraphFixture(.status(201, [:], body))
        #expect(await graphError(of: upload.client().upload(Sample.photo, to: "a"))?.code == .badAnswer)
        let link = GraphFixture(.status(200, [:], body))
        #expect(await graphError(of: link.client().createLink(toItem: "1"))?.code == .badAnswer)
        let photo = GraphFixture(.status(200, ["Content-Type": "image/png"], body))
        #expect(await graphError(of: photo.client().photo())?.code == .badAnswer)
    }

    @Test(arguments: hostile)
    func `mail that was taken was taken, whatever the body says`(body: String) async throws {
        let fixture = GraphFixture(.status(202, [:], body))
        #expect(try await fixture.client().sendMail(Sample.mail).value.status == "accepted")
    }

    @Test(arguments: [200, 201, 204])
    func `a success that Graph does not answer with leaves open whether a mail was taken`(status: Int) async {
        let fixture = GraphFixture(.status(status, ["Content-Type": "text/html"], "<html>Sign in</html>"))
        let error = await graphError(of: fixture.client().sendMail(Sample.mail))
        #expect(error?.code == .unknownOutcome)
        #expect(error?.hint?.contains("Sent Items") == true)
        #expect(error?.clientRequestID == "id-of-the-request")
        #expect(fixture.transport.requests.count == 1)
    }

    @Test(arguments: [
        "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd",
        " https://contoso.example",
        "https://contoso.example/\\u001b[31m", "https://contoso.example/\\u009b", "java\\nscript:alert(1)",
    ])
    func `a link that is not the address of a page gets into no mail`(address: String) async {
        let fixture = GraphFixture(.json("{\"id\":\"p\",\"link\":{\"webUrl\":\"\(address)\"}}"))
        #expect(await graphError(of: fixture.client().createLink(toItem: "1"))?.code == .badAnswer)
    }

    @Test func `an upload that cannot be repeated and whose answer is unusable was done`() async {
        let fixture = GraphFixture(.status(201, [:], "<html>"))
        let upload = fixture.client().upload(Sample.photo, to: "a", conflictBehavior: .rename)
        let error = await graphError(of: upload)
        #expect(error?.code == .unknownOutcome)
        #expect(error?.message.hasPrefix("The request was carried out") == true)
    }

    @Test func `an answer that is too large is an error`() async {
        let fixture = GraphFixture(.failure(HTTPFailure(phase: .sent, reason: .tooLarge, detail: "1 GB")))
        #expect(await graphError(of: fixture.client().me())?.code == .badAnswer)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test(arguments: [404, 501])
    func `no photo is not found`(status: Int) async {
        let body = #"{"error":{"code":"ImageNotFound","message":"Exception of type ImageNotFoundException"}}"#
        let fixture = GraphFixture(.json(body, status: status))
        let error = await graphError(of: fixture.client().photo())
        #expect(error?.code == .notFound)
        #expect(error?.status == 404)
        #expect(error?.serviceCode == "ImageNotFound")
        #expect(fixture.transport.requests.count == 1)
    }

    @Test(
        arguments: [(400, .invalidRequest), (401, .unauthorized), (403, .forbidden), (404, .invalidInput)]
            as [(Int, GraphError.Code)])
    func `any other failure of a photo stays what it is`(status: Int, code: GraphError.Code) async {
        #expect(await graphError(of: GraphFixture(.status(status)).client().photo())?.code == code)
    }

    @Test func `a locked file is asked for four times, and then someone has it open`() async throws {
        let locked = ScriptedTransport.Reply.json(
            #"{"error":{"code":"resourceLocked","message":"It is."}}"#, status: 423)
        let fixture = GraphFixture(locked, locked, locked, locked)
        let error = await graphError(of: fixture.client().me())
        #expect(error?.code == .locked)
        #expect(error?.hint?.contains("Someone has the file open") == true)
        #expect(fixture.transport.requests.count == 4)
        let opened = GraphFixture(locked, .json(Sample.user))
        #expect(try await opened.client().me().value.displayName == "Megan Bowen")
    }

    @Test func `a photo has the type that its bytes have`() async throws {
        let answer = HTTPResponse(
            status: 200, headers: ["Content-Type": "image/jpeg"], body: try Blob.defaultPhoto.bytes)
        let photo = try await GraphFixture(.answer(answer)).client().photo(size: .pixels240).value
        #expect(photo.contentType == "image/png")
        #expect(photo == .defaultPhoto)
    }

    @Test(
        arguments: [
            (#"{"id":"1","displayName":"M","mail":"m@x","userPrincipalName":"u@x"}"#, "M", "m@x"),
            (#"{"id":"1","displayName":null,"mail":null,"userPrincipalName":"u@x"}"#, "Mysterious Stranger", "u@x"),
            (#"{"id":"1","displayName":"","mail":""}"#, "Mysterious Stranger", nil),
        ] as [(String, String, String?)])
    func `a user has a name, and an address where there is one`(body: String, name: String, email: String?) async throws
    {
        let user = try await GraphFixture(.json(body)).client().me().value
        #expect(user.displayName == name)
        #expect(user.email == email)
        #expect(user.value["email"] == email.map(Value.string) ?? .null)
        #expect(user.value["displayName"] == .string(name))
    }

    @Test func `what a link opens is at the top`() async throws {
        let link = try await GraphFixture(.json(Sample.link)).client().createLink(toItem: "1").value
        #expect(link.webURL == "https://contoso.example/s")
        #expect(link.value["webUrl"] == "https://contoso.example/s")
        #expect(link.value["link"]?["type"] == "view")
    }

    private static let page = "<html><title>Hotel: accept the terms</title>"

    private func portal(_ headers: HTTPHeaders = [:]) -> GraphFixture {
        var headers = headers
        headers["Content-Type"] = "text/html; charset=utf-8"
        return GraphFixture(.answer(HTTPResponse(status: 200, headers: headers, body: Data(Self.page.utf8))))
    }

    @Test func `a page of a portal is no answer, and is named`() async throws {
        let fixture = portal(["request-id": "r-1"])
        let error = await graphError(of: fixture.client().users())
        #expect(error?.code == .badAnswer)
        #expect(error?.message == "The answer is a web page: Hotel: accept the terms.")
        #expect(error?.requestID == "r-1")
        #expect(fixture.transport.requests.count == 1)
        #expect(await graphError(of: portal().client().me())?.code == .badAnswer)
    }

    @Test func `whether a page came after a mail was sent is not known`() async {
        let error = await graphError(of: portal().client().sendMail(Sample.mail))
        #expect(error?.message.contains("web page") == true)
        #expect(error?.code != .invalidRequest)
    }

    @Test(
        arguments: [
            ("a.txt", ["request-id": "r"], false), ("a.html", ["request-id": "r"], true),
            ("a.HTM", ["request-id": "r"], true),
            ("a.html", [:], false), ("html", ["request-id": "r"], false),
            ("x.html/a", ["request-id": "r"], false),
        ] as [(String, HTTPHeaders, Bool)])
    func `a download is a web page only if the file is one`(path: String, headers: HTTPHeaders, isFile: Bool)
        async throws
    {
        let download = portal(headers).client().download(path)
        if isFile {
            #expect(try await download.value.contentType == "text/html; charset=utf-8")
        } else {
            #expect(await graphError(of: download)?.message == "The answer is a web page: Hotel: accept the terms.")
        }
    }
}
