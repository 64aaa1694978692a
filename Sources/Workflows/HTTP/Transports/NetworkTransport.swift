/// The network: https by libcurl on Linux and `URLSession` on macOS, and plain `http` to this machine or allowed hosts.
///
/// Responses, cookies and credentials are not stored. Certificates are always checked. Deadlines follow the given
/// clock. A request that must not happen twice gets its own connection: a request on a kept connection is sent again if
/// the server closes it.
package final class NetworkTransport: FileTransport {
    /// The default limit in bytes of a response body, which is read into memory.
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
    ///   - maximumResponseSize: The largest response body in bytes, for operations without a limit; a larger one fails.
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

    /// Files are read while they are sent, except by `URLSession`.
    package func sendsFile(of request: HTTPRequest) -> Bool { true }

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
