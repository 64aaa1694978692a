public import Foundation
public import Promises

/// Microsoft Graph over any transport: signs requests, repeats what may be repeated, and tells errors by their kind.
///
/// How a request fails and when it is sent again follows its ``Effect``: what must not happen twice is never repeated
/// unless the service said that it did nothing.
public struct GraphClient: Sendable {
    /// Where in a workflow the requests come from; nil for a chain composed in Swift.
    package var task: JSONPointer?

    package var credential: any Credential
    package var transport: any HTTPTransport
    package var clock: any PromiseClock
    /// The gate that was given; nil for the one that follows from the clock.
    package var gate: RequestGate?
    private let ownGate = RequestGate()
    /// How many bytes go to OneDrive in one request, and how many in each range beyond that: a multiple of 320 KiB.
    package var largestPut = 10 << 20
    let now: @Sendable () -> Date
    let randomness: @Sendable () -> Double
    package var ids: @Sendable () -> String
    package var onEvent: @Sendable (GraphEvent) -> Void
    /// What a request waits for that must not be sent twice: that what was told is on disk.
    package var barrier: @Sendable () -> Promise<Void> = { .value(()) }
    private let address: Result<URL, GraphError>

    /// Creates a client; it connects to nothing before the first request.
    ///
    /// - Parameters:
    ///   - credential: What gets the tokens.
    ///   - baseURL: The service's address with its version; nil for `GRAPHFLOW_GRAPH_URL` of the environment, else
    ///     `https://graph.microsoft.com/v1.0`. A wrong one rejects the first request.
    ///   - transport: What carries the requests; nil for the network.
    ///   - clock: What waits between attempts.
    ///   - now: The time of day, which dates in answers are compared with.
    ///   - randomness: Numbers from 0 to 1, which spread the attempts of many clients.
    ///   - ids: A fresh id for each logical request, sent as `client-request-id`.
    ///   - environment: Environment variables.
    ///   - gate: Where requests wait their turn when the service is busy; nil for the one that all clients of this
    ///     process share, or one of the client's own where the clock is not the machine's.
    ///   - onEvent: Is told what happens between a request and its answer.
    public init(
        credential: any Credential, baseURL: URL? = nil, transport: (any HTTPTransport)? = nil,
        clock: any PromiseClock = .continuous, now: @escaping @Sendable () -> Date = { Date() },
        randomness: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        ids: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() },
        environment: [String: String] = ProcessInfo.processInfo.environment,
        gate: RequestGate? = nil, onEvent: @escaping @Sendable (GraphEvent) -> Void = { _ in }
    ) {
        self.credential = credential
        self.transport = transport ?? URLSessionTransport()
        self.clock = clock
        self.now = now
        self.randomness = randomness
        self.ids = ids
        self.gate = gate
        self.onEvent = onEvent
        address = Self.resolve(baseURL, environment: environment)
    }

    /// The service's address; throws what is wrong with it where requests cannot go there.
    public var baseURL: URL {
        get throws(GraphError) { try address.get() }
    }

    /// The gate that requests pass.
    package var gateInUse: RequestGate { gate ?? (clock is ContinuousPromiseClock ? .shared : ownGate) }

    /// Tells what happens between a request and its answer.
    func tell(_ kind: GraphEvent.Kind, of operation: String) {
        onEvent(GraphEvent(operation: operation, task: task, kind: kind))
    }

    /// Sends a request and reads its JSON answer.
    func json<Result: Sendable>(
        _ request: () throws -> GraphRequest, as read: @escaping @Sendable (Value) throws(GraphError) -> Result
    ) -> Promise<Result> {
        exchange(request) { response, effect throws(GraphError) in
            try Answer.json(response, effect: effect, read)
        }
    }

    /// Sends a request whose answer's body is bytes, or is not looked at.
    func send(_ request: () throws -> GraphRequest) -> Promise<HTTPResponse> {
        exchange(request) { response, _ in response }
    }

    /// Sends a request and reads its answer, which an error that the reading throws is completed with.
    func exchange<Result: Sendable>(
        _ request: () throws -> GraphRequest,
        _ read: @escaping @Sendable (HTTPResponse, Effect) throws(GraphError) -> Result
    ) -> Promise<Result> {
        do {
            let exchange = try GraphExchange(try request(), client: self, url: try baseURL, id: ids())
            return exchange.perform().map(on: nil) { response in
                do throws(GraphError) {
                    return try read(response, exchange.request.effect)
                } catch {
                    throw exchange.complete(error, response)
                }
            }
        } catch {
            return Promise(error: error)
        }
    }
}
