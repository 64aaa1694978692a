import Foundation
package import Promises

/// Sends the requests of an approved plan, and refuses every other request that would change something.
///
/// Requests that only read are always sent: a run reads more than its plan has, for example to find out whether a mail
/// was sent.
package final class ApprovingTransport: HTTPTransport {
    private struct State {
        /// The values that responses had for the plan's unknowns.
        var answers: [String: Set<String>] = [:]
    }

    private let planned: [PlannedRequest]
    private let transport: any HTTPTransport
    private let state = Locked(State())

    /// Creates a transport for an approved plan.
    /// - Parameters:
    ///   - plan: The approved plan.
    ///   - transport: Sends the requests that are not refused.
    package init(_ plan: Plan, over transport: any HTTPTransport) {
        planned = plan.requests
        self.transport = transport
    }

    /// Sends a request that only reads or is in the plan; rejects any other with ``PlanDeviation``.
    package func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let answers = state.withLock { $0.answers }
        let match = planned.first { $0.allows(request, for: operation, answers: answers) }
        guard operation.effect == .read || match != nil || isDraftThrownAway(request, operation, answers) else {
            return Promise(error: PlanDeviation(request, of: operation, instead: nearest(to: request, operation)))
        }
        return transport.send(request, for: operation).map(on: nil) { response in
            if let match { self.learn(response, from: match.operation.example) }
            return response
        }
    }

    /// A draft that the plan creates may be deleted: this is how a run cleans up a mail that it could not send.
    private func isDraftThrownAway(
        _ request: HTTPRequest, _ operation: HTTPOperation, _ answers: [String: Set<String>]
    ) -> Bool {
        guard request.method == "DELETE" else { return false }
        return planned.contains { planned in
            guard planned.operation.task == operation.task, planned.address.hasSuffix("/send") else { return false }
            var match = SymbolicMatch(answers: answers)
            return match.matches(String(planned.address.dropLast("/send".count)), request.url.absoluteString)
        }
    }

    private func nearest(to request: HTTPRequest, _ operation: HTTPOperation) -> PlannedRequest? {
        let candidates = planned.filter { $0.operation.task == operation.task }
        return candidates.first { $0.request.method == request.method } ?? candidates.first
    }

    /// Records the response's values for the unknowns of the plan's example.
    private func learn(_ response: HTTPResponse, from example: HTTPResponse) {
        guard (200..<300).contains(response.status), let planned = try? Value(json: example.body),
            let real = try? Value(json: response.body)
        else { return }
        state.withLock { state in
            for (symbol, text) in planned.symbols(in: real) { state.answers[symbol, default: []].insert(text) }
        }
    }
}

extension PlannedRequest {
    /// Whether a request is this one, with values for its unknowns.
    fileprivate func allows(
        _ real: HTTPRequest, for operation: HTTPOperation, answers: [String: Set<String>]
    ) -> Bool {
        guard operation.task == self.operation.task, real.method == request.method else { return false }
        var match = SymbolicMatch(answers: answers)
        let planned = request.url.absoluteString.showingSymbols
        let address = real.url.absoluteString
        // The plan has a placeholder host for upload sessions, whose URLs only the service knows.
        let isSession = planned.hasPrefix("https://upload.example/‹")
        guard isSession || match.matches(planned, address) else { return false }
        let names = Set((request.headers.fields + real.headers.fields).map { $0.name.lowercased() })
            .subtracting(["authorization", "client-request-id", "retry-attempt"])
        for name in names.sorted() {
            guard let one = request.headers[name], let other = real.headers[name], match.matches(one, other) else {
                return false
            }
        }
        return matchesBody(of: real, &match)
    }

    private func matchesBody(of real: HTTPRequest, _ match: inout SymbolicMatch) -> Bool {
        guard let body else { return real.body == nil }
        guard let data = real.body else { return false }
        switch body {
        case .unknown: return true
        case .bytes(_, let size, let sha256): return data.count == size && SHA256.hex(of: data) == sha256
        case .text(let text): return match.matches(text, String(decoding: real.redactedBody ?? data, as: UTF8.self))
        case .json(let planned):
            guard let value = try? Value(json: data) else { return false }
            return match.matches(planned, value)
        }
    }
}

extension Value {
    /// The texts that real data has for the unknowns of this data.
    fileprivate func symbols(in real: Value) -> [(symbol: String, text: String)] {
        switch (self, real) {
        case (.string(let symbol), _) where symbol.isSymbol: [(symbol, real.string ?? real.json())]
        case (.array(let mine), .array(let theirs)):
            theirs.enumerated().flatMap { number, element in
                (number < mine.count ? mine[number] : mine.last)?.symbols(in: element) ?? []
            }
        case (.object(let mine), .object):
            mine.flatMap { name, value in real[name].map { value.symbols(in: $0) } ?? [] }
        default: []
        }
    }
}
