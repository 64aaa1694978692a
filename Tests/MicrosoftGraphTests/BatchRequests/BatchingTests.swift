import Foundation
import Promises
import TestSupport
import Testing
import MicrosoftGraph

struct BatchingTests {
    private let clock = ManualClock()

    private func client(_ transport: ScriptedTransport) -> GraphClient {
        GraphClient(
            credential: .fixed(AccessToken("t")), transport: transport, clock: clock, randomness: { 0 },
            environment: [:]
        ).batchingReads()
    }

    private func responses(_ items: String...) -> ScriptedTransport.Reply {
        .json(#"{"responses":[\#(items.joined(separator: ","))]}"#)
    }

    private func requests(_ transport: ScriptedTransport, _ position: Int = 0) throws -> [Value] {
        let body = try #require(transport.requests[position].body)
        let batch = try Value(json: body)
        return try #require(batch["requests"]?.array)
    }

    @Test func `reads that are ready at the same time are one request, and each is answered by itself`() throws {
        let photo = ExamplePhoto.bytes("").base64EncodedString()
        let transport = ScriptedTransport(
            responses(
                #"{"id":"3","status":404,"headers":{"Content-Type":"application/json"},"body":{"error":{"code":"Request_ResourceNotFound"}}}"#,
                #"{"id":"2","status":200,"headers":{"Content-Type":"image/png"},"body":"\#(photo)"}"#,
                #"{"id":"1","status":200,"body":\#(Sample.user)}"#))
        let client = client(transport)
        let (me, picture, nobody) = (client.me(), client.photo(), client.me(user: "nobody@contoso.com"))
        #expect(transport.requests.isEmpty)
        clock.advance(by: .milliseconds(5))
        #expect(transport.requests.map(\.url.absoluteString) == ["https://graph.microsoft.com/v1.0/$batch"])
        #expect(transport.requests[0].headers["Authorization"] == "Bearer t")
        let items = try requests(transport)
        #expect(items.map { $0["url"]?.string } == ["/me", "/me/photo/$value", "/users/nobody@contoso.com"])
        #expect(
            items.allSatisfy { $0["headers"]?["Authorization"] == nil && $0["headers"]?["client-request-id"] != nil })
        #expect(try me.result?.get().id == "1")
        #expect(try picture.result?.get().contentType == "image/png")
        #expect(nobody.error.flatMap { GraphError($0) }?.serviceCode == "Request_ResourceNotFound")
    }

    @Test func `an item that was throttled is repeated by itself, after its own time`() throws {
        let transport = ScriptedTransport(
            responses(
                #"{"id":"1","status":429,"headers":{"retry-after":"7"}}"#,
                #"{"id":"2","status":200,"body":\#(Sample.user)}"#), .json(Sample.user))
        let client = client(transport)
        let (first, second) = (client.me(), client.me(user: "a@x.com"))
        clock.advance(by: .milliseconds(5))
        #expect(second.isFulfilled && first.isPending)
        clock.advance(by: .seconds(6))
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(1))
        clock.advance(by: .milliseconds(5))
        #expect(first.isFulfilled)
        // A single read is sent unchanged.
        #expect(transport.requests.map(\.method) == ["POST", "GET"])
    }

    @Test func `twenty fill a batch, and writing never waits for one`() throws {
        let transport = ScriptedTransport(.json(#"{"responses":[]}"#), .json(Sample.item, status: 201))
        let client = client(transport)
        let promises = (0..<20).map { client.me(user: "\($0)@x.com") }
        #expect(transport.requests.count == 1)
        #expect(try requests(transport).count == 20)
        let upload = client.upload(Sample.photo, to: "a.png")
        #expect(upload.isFulfilled)
        // A read that the batch did not answer is repeated.
        #expect(promises.allSatisfy { $0.isPending })
        for promise in promises { promise.cancel() }
    }

    @Test(arguments: [400, 404, 501])
    func `where batches are not taken everything goes by itself`(status: Int) {
        let transport = ScriptedTransport(.status(status), .json(Sample.user), .json(Sample.user))
        let client = client(transport)
        let promises = [client.me(), client.me(user: "a@x.com")]
        clock.advance(by: .milliseconds(5))
        #expect(transport.requests.map(\.method) == ["POST", "GET", "GET"])
        #expect(promises.allSatisfy { $0.isFulfilled })
    }

    @Test(arguments: [401, 403, 408, 429, 500, 502, 503, 504, 509])
    func `an answer that holds for a whole batch is everybody's answer`(status: Int) throws {
        let scripted = ScriptedTransport(.status(status))
        let base = try #require(URL(string: "https://graph.example/v1.0"))
        let transport = BatchingTransport(scripted, base: base, clock: clock)
        let answers = ["me", "users"].map { path in
            transport.send(
                HTTPRequest("GET", base.appending(path: path), headers: ["Authorization": "Bearer t"]),
                for: HTTPOperation(name: "get", effect: .read, example: HTTPResponse(status: 200)))
        }
        clock.advance(by: .milliseconds(5))
        #expect(try answers.map { try $0.result?.get().status } == [status, status])
        #expect(scripted.requests.count == 1)
    }

    @Test func `who gives up before the batch leaves is not in it`() {
        let transport = ScriptedTransport(.json(Sample.user))
        let client = client(transport)
        let (first, second) = (client.me(), client.me(user: "a@x.com"))
        second.cancel()
        clock.advance(by: .milliseconds(5))
        #expect(first.isFulfilled)
        #expect(transport.requests.map(\.url.lastPathComponent) == ["me"])
    }

    @Test func `a batch is cancelled with the last of its reads`() throws {
        let isCancelled = Locked(false)
        let sent = Promise<HTTPResponse>.pending()
        sent.resolver.onCancel { isCancelled.withLock { $0 = true } }
        let client = GraphClient(
            credential: .fixed(AccessToken("t")), transport: OneAnswer(promise: sent.promise), clock: clock,
            randomness: { 0 }, environment: [:]
        ).batchingReads()
        let reads = [client.me(), client.me(user: "a@x.com"), client.me(user: "b@x.com")]
        clock.advance(by: .milliseconds(5))
        for read in reads {
            #expect(!isCancelled.withLock { $0 })
            read.cancel()
        }
        #expect(isCancelled.withLock { $0 })
    }

    private struct OneAnswer: HTTPTransport {
        let promise: Promise<HTTPResponse>

        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> { promise }
    }
}
