import Foundation
import Promises

@testable import Workflows

/// A service on this machine that answers as a test says, and records its requests.
final class LoopbackService: Sendable {
    private struct State {
        var asked: [HTTPRequest] = []
        var waiting: [(count: Int, resolver: Resolver<Void>)] = []
    }

    private let listener: LoopbackListener
    private let state: Locked<State>

    /// - Parameter answer: Returns the answer to a request; nil to send none while the client waits.
    init(_ answer: @escaping @Sendable (HTTPRequest) -> Value?) throws {
        let state = Locked(State())
        self.state = state
        listener = try LoopbackListener(port: 0, bodyLimit: { _ in 1 << 20 }) { request in
            let reached = state.withLock { state in
                state.asked.append(request)
                let count = state.asked.count
                defer { state.waiting.removeAll { $0.count <= count } }
                return state.waiting.filter { $0.count <= count }.map(\.resolver)
            }
            for resolver in reached { resolver.fulfill(()) }
            guard let content = answer(request) else { return (HTTPResponse(status: 200), .silence) }
            return (
                HTTPResponse(
                    status: 200, headers: ["Content-Type": "application/json"], body: Data(content.json().utf8)),
                .whole
            )
        }
        listener.run()
    }

    deinit { listener.stop() }

    var address: String { "http://127.0.0.1:\(listener.port)" }

    /// The requests, in order of arrival.
    var asked: [HTTPRequest] { state.withLock { $0.asked } }

    /// The paths of the requests.
    var paths: [String] { asked.map { $0.url.path } }

    /// Is fulfilled when this many requests have arrived.
    func arrival(of count: Int) -> Promise<Void> {
        Promise { resolver in
            let isReached = state.withLock { state in
                if state.asked.count < count { state.waiting.append((count, resolver)) }
                return state.asked.count >= count
            }
            if isReached { resolver.fulfill(()) }
        }
    }
}
