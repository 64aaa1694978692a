import Foundation
import Promises
import TestSupport
import Testing
import MicrosoftGraph

/// The gate with clients that share it, on a clock that only the test moves.
struct RequestGateTests {
    /// A transport that answers when the test says so.
    private final class PatientTransport: HTTPTransport {
        private let waiting = Locked<[(path: String, resolver: Resolver<HTTPResponse>)]>([])
        private let sent = Locked<[String]>([])

        var paths: [String] { sent.withLock { $0 } }
        var underWay: Int { waiting.withLock { $0.count } }

        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
            let path = String(request.url.path().dropFirst("/v1.0".count))
            sent.withLock { $0.append(path) }
            return Promise { resolver in waiting.withLock { $0.append((path, resolver)) } }
        }

        /// Answers the oldest request.
        func answer(_ status: Int, _ headers: HTTPHeaders = [:]) {
            let (path, resolver) = waiting.withLock { $0.removeFirst() }
            let isPhoto = path.hasSuffix("$value")
            resolver.fulfill(
                HTTPResponse(
                    status: status, headers: headers, body: isPhoto ? ExamplePhoto.bytes("") : Data(Sample.user.utf8)))
        }
    }

    private let transport = PatientTransport()
    private let clock = ManualClock()
    private let gate = RequestGate()
    private let log = Locked<[GraphEvent]>([])

    private func client() -> GraphClient {
        GraphClient(
            credential: .fixed(AccessToken("t")), transport: transport, clock: clock, randomness: { 0 },
            environment: [:], gate: gate, onEvent: { [log] event in log.withLock { $0.append(event) } })
    }

    private var held: [Duration] {
        log.withLock { $0 }.compactMap { if case .held(let delay, _) = $0.kind { delay } else { nil } }
    }

    @Test func `Retry-After holds back everybody who would run into it, and nobody else`() {
        let (first, second) = (client(), client())
        let promises = [first.me().asVoid(), second.me(user: "a@x.com").asVoid()]
        transport.answer(429, ["Retry-After": "10"])
        let late = [second.me(user: "b@x.com").asVoid(), first.photo().asVoid()]
        #expect(transport.paths == ["/me", "/users/a@x.com", "/me/photo/$value"])
        transport.answer(200)
        transport.answer(200)
        clock.advance(by: .milliseconds(9_999))
        #expect(transport.underWay == 0)
        clock.advance(by: .milliseconds(1))
        // The refused request goes first, and alone.
        #expect(transport.paths.dropFirst(3) == ["/me"])
        transport.answer(200)
        #expect(transport.paths.dropFirst(4) == ["/users/b@x.com"])
        transport.answer(200)
        #expect((promises + late).allSatisfy { $0.isFulfilled })
        #expect(held == [.seconds(10)])
    }

    @Test func `a pause of one mailbox is none of another`() {
        let client = client()
        let promises = [client.photo(user: "a@x.com"), client.photo(user: "b@x.com")]
        transport.answer(429, ["Retry-After": "10"])
        transport.answer(200)
        let later = client.photo(user: "b@x.com")
        transport.answer(200)
        #expect(promises[1].isFulfilled && later.isFulfilled && promises[0].isPending)
        clock.advance(by: .seconds(10))
        transport.answer(200)
        #expect(promises[0].isFulfilled)
    }

    @Test func `a mailbox gets four requests at once, and one after it refused one, until it goes well`() {
        let client = client()
        let promises = (0..<6).map { _ in client.photo() }
        #expect(transport.underWay == 4)
        transport.answer(200)
        #expect(transport.underWay == 4)
        transport.answer(429, ["Retry-After": "1"])
        #expect(transport.underWay == 3)
        for _ in 0..<3 { transport.answer(200) }
        clock.advance(by: .seconds(1))
        #expect(transport.underWay == 1)
        transport.answer(200)
        #expect(transport.underWay == 1)
        while transport.underWay > 0 { transport.answer(200) }
        #expect(promises.allSatisfy { $0.isFulfilled })
    }

    @Test func `after a refusal a mailbox gets one more request at once each time that all of them went well`() {
        let client = client()
        let promises = (0..<20).map { _ in client.photo() }
        transport.answer(429, ["Retry-After": "1"])
        for _ in 0..<3 { transport.answer(200) }
        clock.advance(by: .seconds(1))
        for limit in 1...4 {
            #expect(transport.underWay == limit)
            for _ in 0..<limit { transport.answer(200) }
        }
        #expect(transport.underWay == 4)
        while transport.underWay > 0 { transport.answer(200) }
        #expect(promises.allSatisfy { $0.isFulfilled })
    }

    @Test func `who gives up waiting is not sent, and takes no place`() {
        let client = client()
        let promises = (0..<6).map { _ in client.photo() }
        promises[4].cancel()
        promises[0].cancel()
        #expect(transport.paths.count == 5)
        for _ in 0..<5 { transport.answer(200) }
        #expect(transport.paths.count == 5)
        #expect(promises[5].isFulfilled)
        let others = (0..<4).map { _ in client.photo() }
        #expect(transport.underWay == 4)
        for _ in 0..<4 { transport.answer(200) }
        #expect(others.allSatisfy { $0.isFulfilled })
    }

    @Test func `what is left of a limit is spread over the time until there is more`() {
        let client = client()
        let first = client.me()
        transport.answer(200, ["RateLimit-Limit": "1200", "RateLimit-Remaining": "10", "RateLimit-Reset": "5"])
        let next = (0..<3).map { _ in client.me() }
        #expect(transport.underWay == 1)
        clock.advance(by: .milliseconds(999))
        #expect(transport.underWay == 1)
        clock.advance(by: .milliseconds(1))
        #expect(transport.underWay == 2)
        clock.advance(by: .seconds(1))
        #expect(transport.underWay == 3)
        for _ in 0..<3 { transport.answer(200) }
        #expect(first.isFulfilled && next.allSatisfy { $0.isFulfilled })
    }

    @Test func `where nothing is left nothing is sent before there is more`() {
        let client = client()
        clock.advance(by: .seconds(100))
        let first = client.me()
        transport.answer(200, ["RateLimit-Remaining": "0", "RateLimit-Reset": "7"])
        let next = client.me()
        clock.advance(by: .seconds(6))
        #expect(transport.underWay == 0)
        clock.advance(by: .seconds(1))
        transport.answer(200)
        #expect(first.isFulfilled && next.isFulfilled)
        #expect(held == [.seconds(7)])
    }

    @Test(arguments: [("-1", "7"), ("-inf", "7"), ("few", "7"), ("0", "1e9"), ("0", "inf")])
    func `a limit that makes no sense delays no request`(remaining: String, reset: String) throws {
        let client = client()
        let first = client.me()
        transport.answer(200, ["RateLimit-Remaining": remaining, "RateLimit-Reset": reset])
        let next = client.me()
        try #require(transport.underWay == 1)
        transport.answer(200)
        #expect(first.isFulfilled && next.isFulfilled)
        #expect(held.isEmpty)
    }

    @Test(arguments: [[:], ["RateLimit-Remaining": "5", "RateLimit-Reset": "0"]] as [[String: String]])
    func `a limit that is nearly used up slows requests down, also if another one has just begun anew`(
        others: [String: String]
    ) {
        let client = client()
        let first = client.me()
        var headers: HTTPHeaders = ["x-ms-throttle-limit-percentage": "1.2", "x-ms-resource-unit": "2"]
        for (name, value) in others { headers[name] = value }
        transport.answer(200, headers)
        let next = (0..<2).map { _ in client.me() }
        #expect(transport.underWay == 1)
        clock.advance(by: .seconds(2))
        #expect(transport.underWay == 2)
        for _ in 0..<2 { transport.answer(200) }
        #expect(first.isFulfilled && next.allSatisfy { $0.isFulfilled })
    }

    @Test func `thousands that wait for one need no stack`() {
        let client = client()
        let first = client.me()
        let others = (0..<5_000).map { _ in client.me() }
        transport.answer(200)
        while transport.underWay > 0 { transport.answer(200) }
        #expect(first.isFulfilled && others.allSatisfy { $0.isFulfilled })
    }
}
