import Foundation
import Promises
import Testing

@testable import WorkflowHTTP

struct RPCConnectionTests {
    private struct Trouble: Error {}

    @Test(arguments: [RPCFraming.lines, .contentLength])
    func `a request is answered with its result or its error`(framing: RPCFraming) async throws {
        let peer = try RPCPeer(framing) { method, params, _ in
            switch method {
            case "echo": .value(params)
            case "refuse": Promise(error: RPCError(.params, "no", data: [1]))
            default: Promise(error: Trouble())
            }
        }
        try peer.request(1, "echo", ["a": 1])
        #expect(try peer.next() == .response(id: 1, .success(["a": 1])))
        try peer.request("b", "refuse")
        #expect(try peer.next() == .response(id: "b", .failure(RPCError(.params, "no", data: [1]))))
        try peer.request(3, "fail")
        #expect(try peer.nextError() == (3, .failure))
        try await peer.end()
    }

    @Test func `what cannot be read is refused, and what follows is answered`() async throws {
        var limits = RPCConnection.Limits()
        limits.message = 1_000
        let peer = try RPCPeer(limits: limits)
        for (text, id, code) in [
            ("{", nil as Value, RPCError.Code.parse), ("[]", nil, .request),
            (#"{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}"#, nil, .parse),
            (#"{"jsonrpc":"2.0","id":7,"method":"m","params":1}"#, 7, .request),
            (String(repeating: "x", count: 1_001), nil, .request),
        ] {
            try peer.send(text)
            #expect(try peer.nextError() == (id, code))
            try peer.request("next", "m")
            #expect(try peer.next() == .response(id: "next", .success([:])))
        }
        try await peer.end()
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#,
        #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
        #"{"jsonrpc":"2.0","id":1,"result":{}}"#, #"{"jsonrpc":"2.0","id":"x","error":"no"}"#,
        #"{"jsonrpc":"2.0","method":"unknown"}"#,
    ])
    func `an answer and a notification get no answer`(text: String) async throws {
        let peer = try RPCPeer()
        try peer.send(text)
        try peer.request("next", "m")
        #expect(try peer.next() == .response(id: "next", .success([:])))
        try await peer.end()
    }

    @Test func `header fields without a length end the connection`() async throws {
        let peer = try RPCPeer(.contentLength)
        try peer.send("Content-Type: x\r\n\r\n")
        #expect(try peer.nextError() == (nil, .parse))
        try await peer.end()
    }

    @Test func `both sides can ask while a request is in progress`() async throws {
        let peer = try RPCPeer { method, params, connection in
            connection.request("inner", ["of": params]).then { first in
                connection.request("inner", ["then": first], id: "second")
            }
        }
        try peer.request("outer", "m", [5])
        #expect(try peer.next() == .request(id: 1, method: "inner", params: ["of": [5]]))
        try peer.send(#"{"jsonrpc":"2.0","id":1,"result":"first"}"#)
        #expect(try peer.next() == .request(id: "second", method: "inner", params: ["then": "first"]))
        // The id is another one.
        try peer.send(#"{"jsonrpc":"2.0","id":2,"result":"other"}"#)
        try peer.send(#"{"jsonrpc":"2.0","id":"second","error":{"code":-32000,"message":"busy"}}"#)
        #expect(try peer.next() == .response(id: "outer", .failure(RPCError(.busy, "busy"))))
        try await peer.end()
    }

    @Test func `a request that is cancelled gets no answer, and its work ends`() async throws {
        let (cancelled, wasCancelled) = Promise<Void>.pending()
        let waiting = Locked<[Resolver<Value>]>([])
        let peer = try RPCPeer(
            answer: { method, _, _ in
                guard method == "wait" else { return .value([:]) }
                let (promise, resolver) = Promise<Value>.pending()
                resolver.onCancel { wasCancelled.fulfill(()) }
                waiting.withLock { $0.append(resolver) }
                return promise
            }, notified: { _, params, connection in connection.cancel(params["id"] ?? nil) })
        try peer.request(1, "wait")
        try peer.request(1, "other")
        #expect(try peer.nextError() == (1, .request))
        // A request that is cancelled before its work has begun has none to end.
        while waiting.withLock({ $0.isEmpty }) { await Task.yield() }
        try peer.send(#"{"jsonrpc":"2.0","method":"cancel","params":{"id":2}}"#)
        try peer.send(#"{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}"#)
        try peer.send(#"{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}"#)
        try peer.request(1, "other")
        #expect(try peer.next() == .response(id: 1, .success([:])))
        try await cancelled.value
        try await peer.end()
    }

    @Test func `more requests than the limit are refused until others end`() async throws {
        var limits = RPCConnection.Limits()
        limits.inProgress = 2
        let waiting = Locked<[Resolver<Value>]>([])
        let peer = try RPCPeer(limits: limits) { _, _, _ in
            let (promise, resolver) = Promise<Value>.pending()
            waiting.withLock { $0.append(resolver) }
            return promise
        }
        for id in 1...4 { try peer.request(.integer(id), "wait") }
        #expect(try peer.nextError() == (3, .busy))
        #expect(try peer.nextError() == (4, .busy))
        while waiting.withLock({ $0.count }) < 2 { await Task.yield() }
        waiting.withLock { $0 }.forEach { $0.fulfill("done") }
        let ids = [try peer.next(), try peer.next()].map { message -> Value? in
            guard case .response(let id, .success("done"))? = message else { return nil }
            return id
        }
        #expect(Set(ids) == [1, 2])
        try peer.request(5, "wait")
        peer.stopWriting()
        try await peer.end()
    }

    @Test func `notifications that a peer does not read are dropped, and answers are not`() async throws {
        var limits = RPCConnection.Limits()
        limits.unread = 3
        let peer = try RPCPeer(limits: limits)
        // More than a pipe holds, so that the peer has to read.
        peer.connection.notify("first", [.string(String(repeating: "x", count: 200_000))])
        for _ in 0..<1_000 { peer.connection.notify("next", [:]) }
        try peer.request(1, "m")
        var notifications = 0
        while case .notification? = try peer.next() { notifications += 1 }
        #expect((1...7).contains(notifications))
        try await peer.end()
    }

    @Test func `a peer that reads late gets all its answers`() async throws {
        var limits = RPCConnection.Limits()
        (limits.unwritten, limits.inProgress) = (10_000, 100_000)
        let peer = try RPCPeer(limits: limits)
        let count = 5_000
        let (sent, resolver) = Promise<Void>.pending()
        let requests = (1...count).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"m"}"# }.joined(separator: "\n")
        let send = peer.sender
        SystemThread.start { resolver.resolve(Result { try send(requests) }) }
        var ids: Set<Value> = []
        while ids.count < count, case .response(let id, .success)? = try peer.next() { ids.insert(id) }
        #expect(ids.count == count)
        try await sent.value
        try await peer.end()
    }

    @Test func `what is in progress ends with the peer's last message, and what is asked is rejected`() async throws {
        let (cancelled, wasCancelled) = Promise<Void>.pending()
        let (begun, hasBegun) = Promise<Void>.pending()
        let waiting = Locked<[Resolver<Value>]>([])
        let peer = try RPCPeer { _, _, _ in
            let (promise, resolver) = Promise<Value>.pending()
            resolver.onCancel { wasCancelled.fulfill(()) }
            waiting.withLock { $0.append(resolver) }
            hasBegun.fulfill(())
            return promise
        }
        try peer.request(1, "wait")
        let asked = peer.connection.request("never", [:])
        #expect(try peer.next() == .request(id: 1, method: "never", params: [:]))
        try await begun.value
        peer.stopWriting()
        try await cancelled.value
        await #expect(throws: RPCError(.failure, "the connection has ended")) { try await asked.value }
        await #expect(throws: RPCError(.failure, "the connection has ended")) {
            try await peer.connection.request("late", [:]).value
        }
        try await peer.end()
    }

    @Test func `a peer that cannot be written to ends what is in progress`() async throws {
        let peer = try RPCPeer()
        peer.stopReading()
        await #expect(throws: RPCError(.failure, "the connection has ended")) {
            try await peer.connection.request("m", [:]).value
        }
        try await peer.end()
    }

    @Test func `what was answered before the end is still written`() async throws {
        let peer = try RPCPeer()
        let text = String(repeating: "x", count: 200_000)
        try peer.request(1, "m", [.string(text)])
        #expect(try peer.next() == .response(id: 1, .success([.string(text)])))
        for id in 2...50 { try peer.request(.integer(id), "m") }
        var ids: Set<Value> = []
        while ids.count < 49, case .response(let id, .success)? = try peer.next() { ids.insert(id) }
        #expect(ids.count == 49)
        try await peer.end()
    }
}
