import Foundation
import TestSupport
import Testing
import Workflows

struct DryRunTests {
    @Test func `what only the service knows is symbolic and flows on`() async throws {
        let plan = PlanningTransport()
        let fixture = FunctionFixture(transport: plan)
        let me = try await fixture.call("me", [:])
        let photo = try await fixture.call("photo", [:])
        let item = try await fixture.call("upload", ["path": "me.jpg", "content": photo])
        let link = try await fixture.call("createLink", ["itemId": try #require(item["id"])])
        let sent = try await fixture.call(
            "sendMail",
            [
                "to": try #require(me["email"]), "subject": "s", "body": try #require(link["webUrl"]),
                "attachments": [["name": "me.jpg", "content": photo]],
            ])
        let requests = plan.requests.filter(\.isUsual)
        #expect(plan.unknowns.marked(sent).drawn() == ["messageId": "‹sendMail.messageId›", "status": "accepted"])
        #expect(requests.map(\.operation.name) == ["me", "photo", "upload", "createLink", "sendMail", "sendMail"])
        #expect(requests.map(\.request.method) == ["GET", "GET", "PUT", "POST", "POST", "POST"])
        #expect(requests[2].request.body == Data("‹photo›".utf8))
        let bodies = requests.map { $0.bodyDescription ?? "" }
        #expect(bodies.map { $0.contains("‹photo›") } == [false, false, true, false, true, false])
        #expect(bodies[2] == "‹photo›, image, size not known")
        #expect(
            requests[3].request.url.absoluteString.removingPercentEncoding?.contains(
                "/items/‹upload.id›/createLink")
                == true)
        let mail = try Value(json: try #require(requests[4].request.body))
        #expect(mail["body"]?["content"] == "‹createLink.webUrl›")
        #expect(mail["toRecipients"]?[0]?["emailAddress"]?["address"] == "‹me.mail›")
        #expect(
            requests[5].request.url.path().removingPercentEncoding == "/v1.0/me/messages/‹sendMail.messageId›/send"
        )
        #expect(requests[5].request.body == Data())
        #expect(requests.suffix(2).map(\.operation.scopes) == [["Mail.ReadWrite"], ["Mail.Send"]])
        #expect(requests.allSatisfy { !$0.operation.scopes.isEmpty })
    }

    @Test func `the same input gives the same requests in a plan and in a run`() async throws {
        let plan = PlanningTransport()
        let script = ScriptedTransport(
            .json(Sample.item, status: 201), .json(Sample.link),
            .json(#"{"id":"‹sendMail.messageId›"}"#, status: 201), .status(202))
        for transport in [plan, script] as [any HTTPTransport] {
            let fixture = FunctionFixture(transport: transport)
            let photo = try await fixture.call("defaultPhoto", [:])
            _ = try await fixture.call("upload", ["path": "me.png", "content": photo])
            _ = try await fixture.call("createLink", ["itemId": "item!1"])
            _ = try await fixture.call(
                "sendMail",
                [
                    "to": "megan@contoso.com", "subject": "s", "body": "b",
                    "attachments": [["name": "me.png", "content": photo]],
                ])
        }
        let planned = plan.requests.filter(\.isUsual).map(\.request)
        #expect(planned.map(\.url) == script.requests.map(\.url))
        #expect(planned.map(\.body) == script.requests.map(\.body))
    }
}
