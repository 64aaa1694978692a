import Foundation
package import Promises

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The network.
///
/// Nothing is cached or stored: no responses, no cookies, no credentials. Certificates are always checked. Deadlines
/// follow the given clock, because `timeoutInterval` counts whole seconds and restarts with every byte.
///
/// Plain `http` is limited to this machine, over a socket of its own. A request that may change something is never sent
/// on a reused connection: if a server closes such a connection, libcurl sends the request again by itself.
package final class URLSessionTransport: HTTPTransport {
    private let maximumResponseSize: Int
    private let clock: any PromiseClock
    private let isSessionForAll: Bool
    private let shared = Locked<URLSessionExchanges?>(nil)

    /// Creates a transport; it connects to nothing before the first request.
    /// - Parameters:
    ///   - maximumResponseSize: The largest response body in bytes; a larger one is a failure.
    ///   - clock: Measures deadlines.
    package convenience init(maximumResponseSize: Int = 1_000_000_000, clock: any PromiseClock = .continuous) {
        self.init(maximumResponseSize: maximumResponseSize, clock: clock, isSessionForAll: false)
    }

    /// - Parameter isSessionForAll: Whether plain HTTP also uses `URLSession`, for tests.
    init(maximumResponseSize: Int = 1_000_000_000, clock: any PromiseClock = .continuous, isSessionForAll: Bool) {
        self.maximumResponseSize = maximumResponseSize
        self.clock = clock
        self.isSessionForAll = isSessionForAll
    }

    deinit {
        shared.withLock { $0 }?.finish()
    }

    /// Sends the request; rejected with ``HTTPFailure`` if there is no complete response.
    package func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        if let refusal = Self.refusal(of: request.url) { return Promise(error: refusal) }
        if request.url.scheme?.lowercased() == "http", !isSessionForAll {
            return LoopbackExchange.send(
                request, for: operation, maximumResponseSize: limit(for: operation), clock: clock)
        }
        let exchanges = exchanges(for: operation.effect)
        let isReused = operation.effect == .read
        return Promise { resolver in
            let exchange = exchanges.prepare(request, maximumResponseSize: limit(for: operation)) {
                resolver.resolve($0.mapError { $0 })
            }
            let deadline = clock.schedule(after: operation.timeout) {
                exchange.fail(
                    HTTPFailure(
                        phase: .sent, reason: .timedOut, detail: "there was no response within \(operation.timeout)"))
            }
            exchange.whenDone {
                deadline.cancel()
                if !isReused { exchanges.finish() }
            }
            resolver.onCancel {
                exchange.fail(HTTPFailure(phase: .sent, reason: .cancelled, detail: "the request was cancelled"))
            }
            exchange.start()
        }
    }

    private func limit(for operation: HTTPOperation) -> Int {
        min(operation.maximumResponseSize ?? .max, maximumResponseSize)
    }

    private func exchanges(for effect: Effect) -> URLSessionExchanges {
        guard effect == .read else { return URLSessionExchanges() }
        return shared.withLock { shared in
            if let shared { return shared }
            let made = URLSessionExchanges()
            shared = made
            return made
        }
    }

    private static func refusal(of url: URL) -> HTTPFailure? {
        let host = url.host() ?? ""
        switch url.scheme?.lowercased() {
        case "https" where !host.isEmpty: return nil
        case "http" where HostName(of: url).isLoopback: return nil
        case "http":
            return HTTPFailure(
                phase: .notSent, reason: .cannotConnect,
                detail: "plain http goes to this machine only, not to '\(host)': use https")
        default:
            return HTTPFailure(
                phase: .notSent, reason: .cannotConnect, detail: "'\(url.absoluteString)' is not an https address")
        }
    }
}
