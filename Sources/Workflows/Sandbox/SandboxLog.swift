/// The latest requests and answers, with as many bodies as the memory limits allow.
struct SandboxLog {
    private static let bodyLimit = 1 << 20
    /// For all bodies together; the oldest are removed first.
    private static let allBodiesLimit = 64 << 20

    let limit: Int
    private var exchanges: ArraySlice<Sandbox.Exchange> = []
    private var bodyBytes = 0
    private var firstBody = 0

    init(limit: Int) { self.limit = max(1, limit) }

    var all: [Sandbox.Exchange] { Array(exchanges) }

    var count: Int { exchanges.endIndex }

    /// The latest exchanges with their numbers, which never change.
    func numbered(_ count: Int) -> [(number: Int, exchange: Sandbox.Exchange)] {
        let latest = exchanges.suffix(count)
        return Array(zip(latest.indices, latest))
    }

    subscript(number: Int) -> Sandbox.Exchange? { exchanges.indices.contains(number) ? exchanges[number] : nil }

    /// Keeps an exchange, with its request's secrets redacted.
    mutating func append(_ exchange: Sandbox.Exchange) {
        var exchange = exchange
        exchange.bodySize = exchange.request.body?.count ?? 0
        if exchange.bodySize > Self.bodyLimit { exchange.request.body = nil }
        if exchange.answer?.body.count ?? 0 > Self.bodyLimit { exchange.answer?.body.removeAll() }
        exchange.request = exchange.request.redacted
        bodyBytes += exchange.keptBytes
        exchanges.append(exchange)
        while exchanges.count > limit, let first = exchanges.popFirst() { bodyBytes -= first.keptBytes }
        firstBody = max(firstBody, exchanges.startIndex)
        while bodyBytes > Self.allBodiesLimit, firstBody < exchanges.endIndex {
            bodyBytes -= exchanges[firstBody].keptBytes
            exchanges[firstBody].request.body = nil
            exchanges[firstBody].answer?.body.removeAll()
            firstBody += 1
        }
    }
}

extension Sandbox.Exchange {
    fileprivate var keptBytes: Int { body.count + (answer?.body.count ?? 0) }
}
