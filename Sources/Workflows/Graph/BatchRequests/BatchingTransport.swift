/// A transport to Microsoft Graph that sends concurrent reads in one request.
///
/// Each read gets its own answer, as if it had been sent alone: its sender checks the status and retries. Single reads
/// and other requests are sent unchanged.
package final class BatchingTransport: FileTransport {
    package static let largestBatch = 20
    private static let patience = Duration.milliseconds(5)

    private struct Item: Sendable {
        var number: Int
        var request: HTTPRequest
        var operation: HTTPOperation
        var resolver: Resolver<HTTPResponse>
    }

    private struct Group: Sendable {
        var number: Int
        var items: [Item]
        var authorization: String? { items.first?.request.headers["Authorization"] }
    }

    private struct State {
        var groups: [Group] = []
        var count = 0
    }

    private let inner: any HTTPTransport
    private let base: URL
    private let clock: any PromiseClock
    private let ids: @Sendable () -> String
    private let state = Locked(State())

    /// - Parameters:
    ///   - inner: Sends the batches.
    ///   - base: The service's address with its version.
    ///   - clock: Measures how long a read waits for others.
    ///   - ids: A fresh id for each batch, sent as `client-request-id`.
    package init(
        _ inner: any HTTPTransport, base: URL, clock: any PromiseClock = .continuous,
        ids: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }
    ) {
        self.inner = inner
        self.base = base
        self.clock = clock
        self.ids = ids
    }

    package func sendsFile(of request: HTTPRequest) -> Bool {
        request.method != "GET" && (inner as? any FileTransport)?.sendsFile(of: request) == true
    }

    package func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        guard operation.effect == .read, request.method == "GET", request.headers["Authorization"] != nil,
            address(of: request) != nil
        else { return inner.send(request, for: operation) }
        return Promise { resolver in
            let (number, group, isNew, full) = state.withLock { Self.add(request, operation, resolver, to: &$0) }
            resolver.onCancel {
                self.state.withLock { state in
                    for index in state.groups.indices { state.groups[index].items.removeAll { $0.number == number } }
                }
            }
            if let full {
                dispatch(full)
            } else if isNew {
                _ = clock.schedule(after: Self.patience) { self.close(group) }
            }
        }
    }

    private static func add(
        _ request: HTTPRequest, _ operation: HTTPOperation, _ resolver: Resolver<HTTPResponse>, to state: inout State
    ) -> (number: Int, group: Int, isNew: Bool, full: [Item]?) {
        state.count += 1
        let item = Item(number: state.count, request: request, operation: operation, resolver: resolver)
        let authorization = request.headers["Authorization"]
        guard let index = state.groups.firstIndex(where: { $0.authorization == authorization }) else {
            state.groups.append(Group(number: state.count, items: [item]))
            return (item.number, item.number, true, nil)
        }
        state.groups[index].items.append(item)
        let group = state.groups[index]
        guard group.items.count >= largestBatch else { return (item.number, group.number, false, nil) }
        state.groups.remove(at: index)
        return (item.number, group.number, false, group.items)
    }

    private func close(_ group: Int) {
        let items = state.withLock { state -> [Item] in
            guard let index = state.groups.firstIndex(where: { $0.number == group }) else { return [] }
            return state.groups.remove(at: index).items
        }
        dispatch(items)
    }

    private func dispatch(_ items: [Item]) {
        guard items.count > 1, let first = items.first else {
            for item in items { sendAlone(item) }
            return
        }
        var operation = HTTPOperation(
            name: "batch", task: first.operation.task, effect: .read,
            scopes: Array(Set(items.flatMap(\.operation.scopes))).sorted(),
            timeout: items.map(\.operation.timeout).max() ?? first.operation.timeout,
            example: HTTPResponse(status: 200))
        operation.occurrence = first.operation.occurrence
        let sent = inner.send(batch(items), for: operation)
        // The batch is cancelled when all its reads are.
        let left = Locked(Set(items.map(\.number)))
        for item in items {
            item.resolver.onCancel {
                let isLast = left.withLock { left in
                    left.remove(item.number)
                    return left.isEmpty
                }
                if isLast { sent.cancel() }
            }
        }
        sent.done(on: nil) { response in
            self.distribute(response, to: items)
        }.catch(on: nil, policy: .allErrors) { error in
            for item in items { item.resolver.reject(error) }
        }
    }

    private func sendAlone(_ item: Item) {
        let sent = inner.send(item.request, for: item.operation)
        item.resolver.onCancel { sent.cancel() }
        sent.done(on: nil) { item.resolver.fulfill($0) }
            .catch(on: nil, policy: .allErrors) { item.resolver.reject($0) }
    }

    private func batch(_ items: [Item]) -> HTTPRequest {
        let requests = items.enumerated().map { position, item -> Value in
            var headers = Object()
            for field in item.request.headers.fields where !Self.shared.contains(field.name.lowercased()) {
                headers[field.name] = .string(field.value)
            }
            return [
                "id": .string(String(position + 1)), "method": "GET",
                "url": .string(address(of: item.request) ?? ""), "headers": .object(headers),
            ]
        }
        var headers: HTTPHeaders = [
            "Content-Type": "application/json", "Accept": "application/json", "User-Agent": Graphflow.userAgent,
            "client-request-id": ids(),
        ]
        headers["Authorization"] = items.first?.request.headers["Authorization"]
        let body: Value = ["requests": .array(requests)]
        return HTTPRequest("POST", base.appending(path: "$batch"), headers: headers, body: body.jsonData())
    }

    private static let shared: Set<String> = ["authorization", "user-agent"]

    private func address(of request: HTTPRequest) -> String? {
        let (whole, base) = (request.url.absoluteString, base.absoluteString)
        guard whole.hasPrefix(base + "/") else { return nil }
        return String(whole.dropFirst(base.count))
    }

    private func distribute(_ response: HTTPResponse, to items: [Item]) {
        if let answers = BatchAnswers(response) {
            for (position, item) in items.enumerated() {
                if let answer = answers[String(position + 1)] {
                    item.resolver.fulfill(answer)
                } else {
                    item.resolver.reject(
                        HTTPFailure(phase: .sent, reason: .connectionLost, detail: "the batch left it unanswered"))
                }
            }
        } else if [401, 403, 408, 429, 500, 502, 503, 504, 509].contains(response.status) {
            // The batch's status applies to each read.
            for item in items { item.resolver.fulfill(response) }
        } else {
            // This service does not accept batches.
            for item in items { sendAlone(item) }
        }
    }
}

extension GraphClient {
    package func batchingReads() -> GraphClient {
        guard let base = try? baseURL else { return self }
        var client = self
        client.transport = BatchingTransport(transport, base: base, clock: clock, ids: ids)
        return client
    }
}
