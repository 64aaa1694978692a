/// Receives CloudEvents over HTTP at 127.0.0.1 and ::1, and publishes them on a bus.
///
/// Specification: CloudEvents 1.0.2, HTTP protocol binding, in structured, batched and binary mode. By default, only
/// this machine can reach it. A web page cannot post to it, because browsers do not send these types and headers
/// without asking.
public final class EventServer: Sendable {
    /// Why the server could not be started.
    public struct StartError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The problem.
        public var description: String
    }

    /// Why events are not taken; they can be sent again later.
    package struct Refusal: Error, Sendable {
        /// The reason, for the sender.
        package var reason: String
        package var status = 503
        /// The number of seconds after which the sender can try again.
        package var retryAfter = 1

        package init(reason: String, status: Int = 503, retryAfter: Int = 1) {
            (self.reason, self.status, self.retryAfter) = (reason, status, retryAfter)
        }
    }

    /// Takes the events of one request, all or none.
    package typealias Receiving = @Sendable ([CloudEvent]) throws(Refusal) -> Void

    private let receive: Receiving
    private let listener = Locked<LoopbackListener?>(nil)

    /// Creates a server without starting it.
    public init(_ bus: EventBus) {
        receive = { events in for event in events { bus.publish(event) } }
    }

    package init(receive: @escaping Receiving) { self.receive = receive }

    deinit { stop() }

    /// Starts to listen.
    /// - Parameter port: The port; 0 for any free port.
    /// - Returns: The port that it listens on.
    /// - Throws: ``StartError`` if the port is in use or not allowed.
    @discardableResult
    public func start(port: UInt16 = 0) throws(StartError) -> UInt16 {
        try start(at: Reception(at: .loopback(port: port)))
    }

    @discardableResult
    package func start(at reception: Reception) throws(StartError) -> UInt16 {
        let port = try open(at: reception)
        answer()
        return port
    }

    /// Opens the port of a reception; clients are answered after ``answer()``.
    package func open(at reception: Reception) throws(StartError) -> UInt16 {
        let made: LoopbackListener
        do {
            made = try LoopbackListener(
                at: reception.address, refusal: reception.refusal,
                servesAnyHost: reception.servesAnyHost,
                bodyLimit: { _ in Self.largestBody }, limits: .service
            ) { [receive] request in
                (reception.page(request) ?? Self.answer(request, receive), .whole)
            }
        } catch {
            let port = reception.address.port
            throw StartError(
                description: error.isAddressInUse
                    ? "port \(port) is in use" : "cannot listen on port \(port): \(error.description)")
        }
        let former = listener.withLock { listener in
            defer { listener = made }
            return listener
        }
        former?.stop()
        return made.port
    }

    /// Answers requests from now on, including those that came since the port was opened.
    package func answer() { listener.withLock { $0 }?.run() }

    /// Stops listening and ends all connections.
    public func stop() {
        listener.withLock { listener in
            defer { listener = nil }
            return listener
        }?.stop()
    }

    private static func answer(_ request: HTTPRequest, _ receive: Receiving) -> HTTPResponse {
        guard request.method == "POST" else {
            var response = problem(405, "send events with POST")
            response.headers["Allow"] = "POST"
            return response
        }
        do throws(Refusal) {
            try receive(try events(in: request))
            return HTTPResponse(status: 202, headers: [:], body: Data())
        } catch {
            var response = problem(error.status, error.reason)
            if error.status == 503 { response.headers["Retry-After"] = String(error.retryAfter) }
            return response
        }
    }

    /// A larger event is an attack, or should link to a file.
    private static let largestBody = 16 << 20

    private static func events(in request: HTTPRequest) throws(Refusal) -> [CloudEvent] {
        let body = request.body ?? Data()
        let contentType = ContentType.essence(of: request.headers["Content-Type"] ?? "")
        do {
            switch contentType {
            case "application/cloudevents+json": return [try CloudEvent(try json(body))]
            case "application/cloudevents-batch+json":
                guard case .array(let elements) = try json(body) else {
                    throw Refusal(reason: "a batch of events must be an array", status: 400)
                }
                // All events are read before the first is published: a batch is accepted as a whole or not at all.
                return try elements.map { try CloudEvent($0) }
            case _ where request.headers["ce-specversion"] != nil:
                return [try CloudEvent(headers: request.headers, body: body)]
            default:
                throw Refusal(
                    reason: "send 'application/cloudevents+json', or the event's attributes in 'ce-' header fields",
                    status: 415)
            }
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal(reason: "\(error)", status: 400)
        }
    }

    private static func json(_ body: Data) throws(Refusal) -> Value {
        do {
            return try Value(json: body)
        } catch {
            throw Refusal(reason: "the body is not JSON", status: 400)
        }
    }

    private static func problem(_ status: Int, _ reason: String) -> HTTPResponse {
        let body: Value = ["type": "about:blank", "status": .integer(status), "detail": .string(reason)]
        return HTTPResponse(
            status: status, headers: ["Content-Type": "application/problem+json"], body: body.jsonData())
    }
}

extension EventServer.Refusal {
    package init(_ refusal: Inbox.Refusal) {
        switch refusal {
        case .full(let count): self.init(reason: "\(count) events are already waiting", retryAfter: 10)
        case .closed: self.init(reason: "the service is stopping", retryAfter: 5)
        case .disk(let error): self.init(reason: "events cannot be kept: \(error)", retryAfter: 30)
        case .tooLarge: self.init(reason: "an event is too large", status: 413)
        }
    }
}
