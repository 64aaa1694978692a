/// The plan of a dry run: it sends nothing, records each request, and responds with the operation's example.
///
/// With another transport, requests that only read and are fully known are sent and get the real response.
public final class PlanningTransport: HTTPTransport {
    private struct State {
        var requests: [PlannedRequest] = []
        var note: (@Sendable (PlannedRequest) -> Void)?
        var isNamed: (@Sendable (String) -> Bool)?
        /// What was read for names; null for what cannot be read.
        var named: [URL: Value] = [:]
        var writes = PlannedWrites()
        /// The number of active rehearsals, during which no request is sent.
        var rehearsals = 0
        /// Whether a rehearsal left out what reads.
        var lacksReads = false
    }

    /// State that a rehearsal must not change.
    package struct Rehearsal {
        fileprivate var requests: [PlannedRequest]
        fileprivate var names: [String: Int]
        /// Whether it planned requests with examples as responses that would be sent.
        fileprivate var lacksReads = false
    }

    private let state = Locked(State())
    package let unknowns = UnknownTokens()
    private let reads: (any HTTPTransport)?
    /// The objects that other items of a batch write as well, as ``PlannedRequest/objects`` names them.
    private let contested: Set<String>

    /// Creates an empty plan.
    /// - Parameter transport: Sends the requests that only read; nil to send none.
    public init(reading transport: (any HTTPTransport)? = nil) { (reads, contested) = (transport, []) }

    package init(reading transport: (any HTTPTransport)?, contested: Set<String>) {
        (reads, self.contested) = (transport, contested)
    }

    /// The requests in order.
    public var requests: [PlannedRequest] { state.withLock { $0.requests } }

    /// Whether it sends requests that only read.
    package var isReading: Bool { reads != nil }

    /// - Parameter isNamed: Whether a name for an id is known, which is not read then.
    package func onRequest(
        isNamed: @escaping @Sendable (String) -> Bool, _ note: @escaping @Sendable (PlannedRequest) -> Void
    ) {
        state.withLock { ($0.note, $0.isNamed) = (note, isNamed) }
    }

    /// Starts planning calls only for their results, with examples as responses.
    package func beginRehearsal() -> Rehearsal {
        let names = unknowns.names
        return state.withLock { state in
            state.rehearsals += 1
            return Rehearsal(requests: state.requests, names: names)
        }
    }

    /// Restores what was planned before; returns what the rehearsal planned, which ``adopt(_:)`` makes a part of it.
    package func endRehearsal(_ before: Rehearsal) -> Rehearsal {
        let names = unknowns.names
        unknowns.names = before.names
        return state.withLock { state in
            state.rehearsals -= 1
            let planned = Rehearsal(requests: state.requests, names: names, lacksReads: state.lacksReads)
            state.requests = before.requests
            state.lacksReads = state.rehearsals > 0 && state.lacksReads
            return planned
        }
    }

    /// Keeps what a rehearsal planned.
    /// - Returns: False if it left out reads that are sent now.
    package func adopt(_ planned: Rehearsal) -> Bool {
        let isWhole = state.withLock { state in
            guard reads == nil || state.rehearsals > 0 || !planned.lacksReads else { return false }
            state.requests = planned.requests
            return true
        }
        if isWhole { unknowns.names = planned.names }
        return isWhole
    }

    /// Records the request and responds with the operation's example.
    public func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let planned = PlannedRequest(request.withoutSession, for: operation, unknowns)
        let isRead = operation.isQuery || operation.effect == .read && ["GET", "HEAD"].contains(request.method)
        let isRehearsed = state.withLock { state in
            state.lacksReads = state.rehearsals > 0 && (state.lacksReads || isRead || operation.replaced != nil)
            return state.rehearsals > 0
        }
        guard let reads, !isRehearsed else {
            record(planned)
            return .value(operation.example)
        }
        if isRead {
            if let reason = reason(against: request, operation) {
                var planned = planned
                planned.unread = reason
                record(planned)
                return .value(operation.example)
            }
            return reads.send(request.identified, for: operation).map(on: nil) { response in
                var planned = planned
                planned.status = response.status
                self.record(planned)
                return response
            }
        }
        return names(for: request, operation, by: reads).then(on: nil) { names -> Promise<HTTPResponse> in
            var planned = planned
            planned.named = names
            guard let address = operation.replaced else {
                self.record(planned)
                return .value(operation.example)
            }
            return self.found(at: address, for: request, operation, by: reads).map(on: nil) { [planned] found in
                var planned = planned
                let isFirst = self.state.withLock { state in found.id.map { state.writes.isFirst($0) } ?? true }
                planned.note(found, at: address, isFirst: isFirst, contested: self.contested)
                self.record(planned)
                return operation.example
            }
        }
    }

    /// Reads what people call the ids of a request; what cannot be read has no name.
    private func names(
        for request: HTTPRequest, _ operation: HTTPOperation, by reads: any HTTPTransport
    ) -> Promise<[Value]> {
        operation.named.reduce(.value([])) { all, one in
            all.then(on: nil) { names -> Promise<[Value]> in
                let question = request.reading(one.address)
                let (isNamed, known) = self.state.withLock { ($0.isNamed?(one.id) ?? false, $0.named[one.address]) }
                guard !isNamed, question.isKnown(asQuery: false), !self.writesFirst(question) else {
                    return .value(names)
                }
                if let known { return .value(names + [known]) }
                return reads.send(question.identified, for: operation.reading).map(on: nil) { answer in
                    answer.status == 200 ? (try? Value(json: answer.body)) ?? .null : .null
                }.recover(on: nil) { error -> Promise<Value> in
                    guard let failure = error as? HTTPFailure, failure.reason != .cancelled else { throw error }
                    return .value(.null)
                }.map(on: nil) { name in
                    self.state.withLock { $0.named[one.address] = name }
                    return names + [name]
                }
            }
        }
    }

    /// Why the plan does not send this reading request; nil if it sends it.
    private func reason(against request: HTTPRequest, _ operation: HTTPOperation) -> String? {
        if let condition = operation.condition { return "it is sent only \(condition.words)" }
        guard request.isKnown(asQuery: operation.isQuery) else {
            let unknown = unknowns.parts(ofAddress: request.url.absoluteString).first(where: \.isUnknown)
            return unknown.map { "it depends on \(Value.drawn([$0]))" }
                ?? "it depends on a value that is only known at run time"
        }
        return writesFirst(request) ? "the run itself would write there first" : nil
    }

    /// Whether the run itself writes before it to what a request reads.
    func writesFirst(_ request: HTTPRequest) -> Bool { state.withLock { $0.writes.concern(request) } }

    private func record(_ planned: PlannedRequest) {
        let note = state.withLock { state in
            if let first = state.requests.last?.answered(by: planned) {
                state.requests[state.requests.count - 1] = first
            } else {
                state.requests.append(planned)
            }
            state.writes.note(planned.request, planned.operation.consequences)
            return state.note
        }
        note?(planned)
    }
}

extension HTTPRequest {
    var identified: HTTPRequest {
        guard headers["client-request-id"] != nil else { return self }
        var request = self
        request.headers["client-request-id"] = UUID().uuidString.lowercased()
        return request
    }

    /// Whether it has no unknowns, and so can be sent; a body is unknown unless it is part of a query.
    func isKnown(asQuery isQuery: Bool) -> Bool {
        !UnknownTokens.isIn(url.absoluteString)
            && !headers.fields.contains {
                UnknownTokens.isIn($0.value) && $0.name.lowercased() != "client-request-id"
            }
            && headers["Authorization"] != "Bearer planned"
            && (body.map { isQuery && !UnknownTokens.isIn($0) } ?? true)
    }
}

extension PlannedRequest {
    /// The request with the answer of another one that repeats it, because the service refused it for now.
    ///
    /// A run may need no repetition, or another number of them. Nil if the other request is none.
    package func answered(by other: PlannedRequest) -> PlannedRequest? {
        guard let status, status == 401 || status == 408 || status == 429 || status >= 500,
            request.method == other.request.method, request.url == other.request.url,
            operation.task == other.operation.task, operation.occurrence == other.operation.occurrence
        else { return nil }
        var first = self
        first.status = other.status
        return first
    }
}
