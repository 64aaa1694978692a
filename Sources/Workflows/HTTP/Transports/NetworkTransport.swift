import Essentials
package import Promises

/// The network: https through libcurl on Linux and `URLSession` on macOS, plain `http` to this machine, and to hosts that the
/// operation allows.
///
/// Nothing is cached or stored: no responses, no cookies, no credentials. Certificates are always checked. Deadlines
/// follow the given clock. A request that must not happen twice gets a connection of its own: if a server closes a kept
/// connection, a request on it is sent again.
package final class NetworkTransport: FileTransport {
    /// The largest response body in bytes, unless something else is asked for: it is read into the memory.
    package static let usualLimit = 64_000_000

    private let maximumResponseSize: Int
    private let clock: any PromiseClock
    private let isLibraryForAll: Bool
    private let loopback = LoopbackConnections()
    #if canImport(Darwin)
        private let sessions = URLSessions()
    #endif

    /// Creates a transport; it connects to nothing before the first request.
    /// - Parameters:
    ///   - maximumResponseSize: The largest response body in bytes, for operations without a limit of their own; a
    ///     larger one is a failure.
    ///   - clock: Measures deadlines.
    package convenience init(
        maximumResponseSize: Int = NetworkTransport.usualLimit, clock: any PromiseClock = .continuous
    ) {
        self.init(maximumResponseSize: maximumResponseSize, clock: clock, isLibraryForAll: false)
    }

    /// - Parameter isLibraryForAll: Whether plain HTTP is sent like https, for tests.
    init(maximumResponseSize: Int, clock: any PromiseClock = .continuous, isLibraryForAll: Bool) {
        self.maximumResponseSize = maximumResponseSize
        self.clock = clock
        self.isLibraryForAll = isLibraryForAll
    }

    #if canImport(Darwin)
        deinit { sessions.finish() }
    #endif

    /// Any request may: it is read while it is sent, but for `URLSession`.
    package func sendsFile(of request: HTTPRequest) -> Bool { true }

    /// Sends the request; rejected with ``HTTPFailure`` if there is no complete response.
    package func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        if let refusal = Self.refusal(of: request.url, allowing: operation.plainHosts) {
            return Promise(error: refusal)
        }
        let limit = operation.maximumResponseSize ?? maximumResponseSize
        return PendingResponse.promise(request, for: operation, maximumSize: limit, clock: clock) { pending in
            let isPlain = request.url.scheme?.lowercased() == "http"
            if isPlain, HostName(of: request.url).isLoopback, !isLibraryForAll {
                loopback.send(pending)
            } else {
                sendByLibrary(pending, isPlain: isPlain)
            }
        }
    }

    private func sendByLibrary(_ pending: PendingResponse, isPlain: Bool) {
        #if canImport(Darwin)
            sessions.send(pending)
        #else
            switch CurlLoop.shared {
            case .success(let loop):
                loop.send(pending, isLibraryForAll ? .ofTests : CurlLoop.Settings(allowsPlainHTTP: isPlain))
            case .failure(let failure): pending.finish(.failure(failure))
            }
        #endif
    }

    private static func refusal(of url: URL, allowing plainHosts: PlainHosts) -> HTTPFailure? {
        let host = url.host() ?? ""
        switch url.scheme?.lowercased() {
        case "https" where !host.isEmpty: return nil
        case "http" where Origin(url).map(plainHosts.allow) == true: return nil
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
