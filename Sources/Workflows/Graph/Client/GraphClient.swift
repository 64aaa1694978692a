/// Microsoft Graph over any transport: authorizes requests, repeats those that may be repeated, classifies errors.
///
/// A request's ``Idempotency`` decides whether it is sent again: one that must not happen twice is repeated only if the
/// service said that it did nothing.
public struct GraphClient: Sendable {
    package var task: JSONPointer?
    package var occurrence = ""

    package var condition: PlannedCondition?

    package var credential: any Credential
    /// The permissions requested before the first request: what they include is not requested again.
    package var askedPermissions: [String] = []
    package var transport: any HTTPTransport
    package var clock: any PromiseClock
    /// The initializer's gate; nil for the default of the clock.
    package var gate: RequestGate?
    private let ownGate = RequestGate()
    /// The largest upload to OneDrive in one request, and the range size of larger ones: a multiple of 320 KiB.
    package var largestPut = 10 << 20
    let now: @Sendable () -> Date
    let randomness: @Sendable () -> Double
    package var ids: @Sendable () -> String
    package var onEvent: @Sendable (GraphEvent) -> Void
    /// Keeps what requests replace or change, before they are sent; nil to keep nothing.
    package var keep: Keeping?
    /// Records effects before their request is sent, and returns them with their identities.
    package var begin: @Sendable ([Effect]) -> Promise<[Effect]> = { .value($0) }
    /// When an earlier process began an effect of this call, and may have sent its request; nil if none did.
    package var begunBefore: Date?
    /// How long requests wait for a service that does not answer.
    public var patience = RequestPatience()
    /// Requests that must not be sent twice wait until the events so far are on disk.
    package var barrier: @Sendable () -> Promise<Void> = { .value(()) }
    private let address: Result<URL, GraphError>

    /// Creates a client; it does not connect before the first request.
    ///
    /// - Parameters:
    ///   - credential: Gets the tokens.
    ///   - baseURL: The service's address with its version; nil for the environment's `GRAPHFLOW_GRAPH_URL`, else
    ///     `https://graph.microsoft.com/v1.0`. An invalid address rejects the first request.
    ///   - transport: Sends the requests; nil for the network.
    ///   - clock: Measures waits between attempts.
    ///   - now: The current date, with which dates in answers are compared.
    ///   - randomness: Numbers from 0 to 1, which spread the retries of many clients.
    ///   - ids: A fresh id for each logical request, sent as `client-request-id`.
    ///   - environment: Environment variables.
    ///   - gate: Where requests wait while the service is busy; nil for the one that all clients of this process share,
    ///     or the client's own if the clock is not the machine's.
    ///   - onEvent: Called for each event between a request and its answer.
    public init(
        credential: any Credential, baseURL: URL? = nil, transport: (any HTTPTransport)? = nil,
        clock: any PromiseClock = .continuous, now: @escaping @Sendable () -> Date = { Date() },
        randomness: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        ids: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() },
        environment: [String: String] = ProcessInfo.processInfo.environment,
        gate: RequestGate? = nil, onEvent: @escaping @Sendable (GraphEvent) -> Void = { _ in }
    ) {
        self.credential = credential
        self.transport = transport ?? NetworkTransport()
        self.clock = clock
        self.now = now
        self.randomness = randomness
        self.ids = ids
        self.gate = gate
        self.onEvent = onEvent
        address = Self.resolve(baseURL, environment: environment)
    }

    /// The service's address; throws if it is invalid.
    public var baseURL: URL {
        get throws(GraphError) { try address.get() }
    }

    package var gateInUse: RequestGate { gate ?? (clock is ContinuousPromiseClock ? .shared : ownGate) }

    func tell(_ kind: GraphEvent.Kind, of operation: String) {
        onEvent(GraphEvent(operation: operation, task: task, kind: kind))
    }

    private func account(_ answer: Promise<HTTPResponse>, of exchange: GraphExchange) -> Promise<HTTPResponse> {
        guard exchange.isAccounted else { return answer }
        let name = exchange.request.operation
        return answer.get(on: nil) { response in
            let path = path(of: exchange.request)
            for effect in exchange.effects {
                tell(.effect(exchange.completed(effect, by: response, at: path), .done), of: name)
            }
        }.recover(on: nil, policy: .allErrors) { error -> Promise<HTTPResponse> in
            let (code, wasSent) = ((error as? GraphError)?.code, exchange.giveUp())
            let isOpen =
                code == .unknownOutcome || code == .network || code == .timedOut
                || exchange.isUnclear || error.isCancelled && wasSent
            for effect in exchange.effects {
                // What did not begin has an outcome only if its call began it.
                let hasBegun = effect.identity != nil || isOpen && wasSent || effect.isOnce && !error.isCancelled
                guard hasBegun else { continue }
                tell(.effect(effect, isOpen && !exchange.wasMember ? .unknown : .refused), of: name)
            }
            throw error
        }
    }

    func json<Result: Sendable>(
        _ request: () throws -> GraphRequest, as read: @escaping @Sendable (Value) throws(GraphError) -> Result
    ) -> Promise<Result> {
        exchange(request) { response, effect throws(GraphError) in
            try Answer.json(response, effect: effect, read)
        }
    }

    func send(_ request: () throws -> GraphRequest) -> Promise<HTTPResponse> {
        exchange(request) { response, _ in response }
    }

    func exchange<Result: Sendable>(
        _ request: () throws -> GraphRequest,
        _ read: @escaping @Sendable (HTTPResponse, Idempotency) throws(GraphError) -> Result
    ) -> Promise<Result> {
        firstly { () throws -> Promise<Result> in
            let exchange = try GraphExchange(try request(), client: self, url: try baseURL, id: ids())
            let answer =
                keepFormer(of: exchange.request)?.then(on: nil) { former in
                    exchange.note(former: former)
                    return exchange.perform()
                }.then(on: nil) { response in
                    look(after: exchange, response).map(on: nil) { response }
                } ?? exchange.perform()
            return account(answer, of: exchange).map(on: nil) { response in
                do throws(GraphError) {
                    return try read(response, exchange.request.effect)
                } catch {
                    throw exchange.complete(error, response)
                }
            }
        }
    }
}
