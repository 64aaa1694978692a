/// The requests that came last, with no more of their bodies than memory should bear.
struct SandboxLog {
    /// A larger body is not kept.
    private static let bodyLimit = 1 << 20
    /// What all bodies have together; the oldest ones are forgotten first.
    private static let allBodiesLimit = 64 << 20

    /// How many requests are kept.
    let limit: Int
    private var exchanges: ArraySlice<Sandbox.Exchange> = []
    private var bodyBytes = 0
    /// The first exchange that may have its body still.
    private var firstBody = 0

    init(limit: Int) { self.limit = max(1, limit) }

    var all: [Sandbox.Exchange] { Array(exchanges) }

    mutating func append(_ exchange: Sandbox.Exchange) {
        var exchange = exchange
        exchange.bodySize = exchange.request.body?.count ?? 0
        if exchange.bodySize > Self.bodyLimit { exchange.request.body = nil }
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
