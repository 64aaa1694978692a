struct ThrottleSigns: Sendable, Hashable {
    var isRefused: Bool
    /// The seconds to wait before the next request.
    var retryAfter: Int?
    /// The remaining units, and the seconds until all are available again.
    var left: (units: Double, seconds: Double)? {
        guard let remaining, let reset else { return nil }
        return (remaining, reset)
    }
    var units: Int?
    /// The used part of the limit, from 0.8 on; more than 1 beyond the limit.
    var usage: Double?

    private var remaining: Double?
    private var reset: Double?

    init(_ response: HTTPResponse, now: Date) {
        retryAfter = response.retryAfter(now: now)
        isRefused = response.status == 429 || (response.status == 503 && retryAfter != nil)
        func number(_ name: String) -> Double? {
            response.headers[name].flatMap { Double($0.trimmed) }
                .flatMap { $0.isFinite && $0 >= 0 && $0 < 1e9 ? $0 : nil }
        }
        remaining = number("RateLimit-Remaining")
        reset = number("RateLimit-Reset")
        units = number("x-ms-resource-unit").map { Int($0) }
        usage = number("x-ms-throttle-limit-percentage").flatMap { $0 >= 0.8 ? $0 : nil }
    }
}
