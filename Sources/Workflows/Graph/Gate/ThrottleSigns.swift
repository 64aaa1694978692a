import Foundation

/// What an answer says about how much its service still wants to be asked.
struct ThrottleSigns: Sendable, Hashable {
    /// Whether the request was refused because there were too many.
    var isRefused: Bool
    /// After how many seconds the service wants to be asked again.
    var retryAfter: Int?
    /// The units that are left, and the seconds until there are all of them again.
    var left: (units: Double, seconds: Double)? {
        guard let remaining, let reset else { return nil }
        return (remaining, reset)
    }
    /// The units that the request took.
    var units: Int?
    /// How much of the limit is used, where it is a lot: from 0.8 on, and more than 1 beyond the limit.
    var usage: Double?

    private var remaining: Double?
    private var reset: Double?

    /// Reads the header fields of Graph and of SharePoint.
    init(_ response: HTTPResponse, now: Date) {
        let date = response.headers.date ?? now
        retryAfter = response.headers["Retry-After"].flatMap { RetryAfter.seconds($0, now: date) }
        isRefused = response.status == 429 || (response.status == 503 && retryAfter != nil)
        func number(_ name: String) -> Double? {
            response.headers[name].flatMap { Double($0.trimmingCharacters(in: .whitespaces)) }
                .flatMap { $0.isFinite && $0 >= 0 && $0 < 1e9 ? $0 : nil }
        }
        remaining = number("RateLimit-Remaining")
        reset = number("RateLimit-Reset")
        units = number("x-ms-resource-unit").map { Int($0) }
        usage = number("x-ms-throttle-limit-percentage").flatMap { $0 >= 0.8 ? $0 : nil }
    }
}
