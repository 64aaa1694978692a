import Foundation
import Promises
import TestSupport
import Testing
import MicrosoftGraph

struct GraphClientRetryTests {
    @Test func `a throttled request waits as long as it is asked to, and says so`() async throws {
        let fixture = GraphFixture(.status(429, ["Retry-After": "2.128"]), .json(Sample.user))
        var client = fixture.client()
        client.task = JSONPointer(["do", "0", "getUser"])
        _ = try await client.me().value
        #expect(fixture.clock.delays == [.seconds(3)])
        let event = try #require(fixture.events.first)
        #expect(fixture.events.count == 1)
        #expect(event.operation == "me")
        #expect(event.task == JSONPointer(["do", "0", "getUser"]))
        #expect(
            event.kind
                == .retrying(attempt: 2, reason: "429 Too Many Requests, Retry-After 3 s", delay: .seconds(3)))
    }

    @Test func `retries three times, then gives up`() async throws {
        let fixture = GraphFixture(.status(500), .status(502), .lost(), .status(504), .json(Sample.user))
        let error = await graphError(of: fixture.client().me())
        #expect(error?.code == .timedOut)
        #expect(error?.status == 504)
        #expect(fixture.transport.requests.count == 4)
        #expect(fixture.clock.delays == [.seconds(1), .seconds(2), .seconds(4)])
    }

    @Test func `a service that gives no answer is asked for as long as it may be silent`() async throws {
        let fixture = GraphFixture(.lost(), .lost(), .lost(), .lost(), .lost(), .lost(), .json(Sample.user))
        var client = fixture.client()
        client.patience = RequestPatience(silence: .seconds(100))
        _ = try await client.me().value
        #expect(fixture.clock.delays == [1, 2, 4, 8, 16, 30].map { .seconds($0) })
        let second = GraphFixture(.lost(), .lost(), .lost(), .lost(), .json(Sample.user))
        client = second.client()
        client.patience = RequestPatience(silence: .seconds(10))
        let error = await graphError(of: client.me())
        #expect(error != nil)
        // After seven seconds, another eight would be too many.
        #expect(second.clock.delays == [1, 2, 4].map { .seconds($0) })
    }

    @Test func `an answer begins the silence anew, and does not allow more attempts`() async throws {
        let fixture = GraphFixture(.lost(), .status(503), .lost(), .lost(), .json(Sample.user))
        var client = fixture.client()
        client.patience = RequestPatience(silence: .seconds(13))
        _ = try await client.me().value
        #expect(fixture.clock.delays == [1, 2, 4, 8].map { .seconds($0) })
        let refused = GraphFixture(.status(503), .status(503), .status(503), .status(503), .json(Sample.user))
        client = refused.client()
        client.patience = RequestPatience(silence: .seconds(1000))
        #expect(await graphError(of: client.me())?.status == 503)
    }

    @Test func `a request may take as long as it is given, and no longer than the service may be silent`() async throws
    {
        let fixture = GraphFixture(.lost(), .json(Sample.user))
        var client = fixture.client()
        client.patience = RequestPatience(timeout: .seconds(30))
        _ = try await client.me().value
        #expect(fixture.transport.operations.map(\.timeout) == [.seconds(30), .seconds(30)])
        let other = GraphFixture(.lost(), .json(Sample.user))
        client = other.client()
        client.patience = RequestPatience(timeout: .seconds(30), silence: .seconds(20))
        _ = try await client.me().value
        #expect(other.transport.operations.map(\.timeout) == [.seconds(20), .seconds(19)])
        let usual = GraphFixture(.json(Sample.item))
        _ = try await usual.client().upload(Sample.photo, to: "me.png").value
        #expect(usual.transport.operations.map(\.timeout) == [.seconds(100)])
    }

    @Test func `all attempts are one logical request, and each retry has its number`() async throws {
        let fixture = GraphFixture(.status(503), .lost(.notSent), .json(Sample.item))
        _ = try await fixture.client().upload(Sample.photo, to: "me.png").value
        let headers = fixture.transport.requests.map(\.headers)
        #expect(headers.map { $0["client-request-id"] } == Array(repeating: "id-of-the-request", count: 3))
        #expect(headers.map { $0["Retry-Attempt"] } == [nil, "1", "2"])
        #expect(try fixture.transport.requests.allSatisfy { try $0.body == Sample.photo.bytes })
    }

    @Test func `a date in Retry-After is compared with the answer's own date`() async throws {
        let fixture = GraphFixture(
            .status(
                429, ["Date": "Fri, 20 Nov 2026 10:00:00 GMT", "Retry-After": "Fri, 20 Nov 2026 10:00:09 GMT"]),
            .json(Sample.user))
        _ = try await fixture.client().me().value
        #expect(fixture.clock.delays == [.seconds(9)])
    }

    @Test func `mail that was refused for a while is sent once it is taken`() async throws {
        let fixture = GraphFixture(
            .status(429), .status(503, ["Retry-After": "1"]), .status(202, ["Retry-After": "5"]), .status(202))
        #expect(try await fixture.client().sendMail(Sample.mail).value.status == "accepted")
        #expect(fixture.transport.requests.count == 3)
    }

    @Test(arguments: [500, 502, 503, 504, 509, 408])
    func `mail of which nobody knows whether it was sent is not sent again`(status: Int) async {
        let fixture = GraphFixture(.status(status, ["request-id": "r"]), .status(202))
        let error = await graphError(of: fixture.client().sendMail(Sample.mail))
        #expect(error?.code == .unknownOutcome)
        #expect(error?.status == status)
        #expect(error?.requestID == "r")
        #expect(error?.hint?.contains("Sent Items") == true)
        #expect(error?.problem["type"] == "urn:graphflow:error:unknown-outcome")
        #expect(fixture.transport.requests.count == 1)
        #expect(fixture.events.withoutEffects.allSatisfy { $0.kind == .committing() })
    }

    @Test func `mail is unknown when the connection ends, and not sent when there was none`() async {
        let sent = GraphFixture(.lost(.sent), .status(202))
        #expect(await graphError(of: sent.client().sendMail(Sample.mail))?.code == .unknownOutcome)
        #expect(sent.transport.requests.count == 1)
        let refused = GraphFixture(
            .failure(HTTPFailure(phase: .notSent, reason: .cannotConnect, detail: "refused")), .status(202))
        #expect(await graphError(of: refused.client().sendMail(Sample.mail))?.code == .network)
        #expect(refused.transport.requests.count == 1)
    }

    @Test(arguments: [ConflictBehavior.rename, .fail])
    func `an upload that would differ the second time is not repeated`(behavior: ConflictBehavior) async {
        let fixture = GraphFixture(.status(504), .json(Sample.item))
        let upload = fixture.client().upload(Sample.photo, to: "me.png", conflictBehavior: behavior)
        #expect(await graphError(of: upload)?.code == .unknownOutcome)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `an answer that ends early is a lost connection`() async throws {
        let fixture = GraphFixture(
            .status(200, ["Content-Type": "application/json", "Content-Length": "71"], #"{"id":"1","displa"#),
            .json(Sample.user))
        #expect(try await fixture.client().me().value.id == "1")
        #expect(fixture.transport.requests.count == 2)
    }

    @Test func `mail whose answer ends early was sent`() async throws {
        let fixture = GraphFixture(.status(202, ["Content-Length": "71"], "{"))
        #expect(try await fixture.client().sendMail(Sample.mail).value.status == "accepted")
    }
}
