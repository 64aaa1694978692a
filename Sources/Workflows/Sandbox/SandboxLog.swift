/// The latest requests, with as many of their bodies as the limits on memory allow.
struct SandboxLog {
    /// A larger body is not kept.
    private static let bodyLimit = 1 << 20
    /// The limit for all bodies together; the oldest ones are removed first.
    private static let allBodiesLimit = 64 << 20

    /// How many requests to keep.
    let limit: Int
    private var exchanges: ArraySlice<Sandbox.Exchange> = []
    private var bodyBytes = 0
    /// The index of the first exchange that may still have its body.
    private var firstBody = 0

    init(limit: Int) { self.limit = max(1, limit) }

    var all: [Sandbox.Exchange] { Array(exchanges) }

    /// Keeps an exchange, with the secrets of its request redacted.
    mutating func append(_ exchange: Sandbox.Exchange) {
        var exchange = exchange
        exchange.bodySize = exchange.request.body?.count ?? 0
        if exchange.bodySize > Self.bodyLimit { exchange.request.body = nil }
        exchange.request = exchange.request.redacted
        bodyBytes += exchange.request.body?.count ?? 0
        exchanges.append(exchange)
        while exchanges.count > limit, let first = exchanges.popFirst() { bodyBytes -= first.body.count }
        firstBody = max(firstBody, exchanges.startIndex)
        while bodyBytes > Self.allBodiesLimit, firstBody < exchanges.endIndex {
            bodyBytes -= exchanges[firstBody].body.count
            exchanges[firstBody].request.body = nil
            firstBody += 1
        }
    }
}
