/// Decides when requests to one service may start, by its known limits and the times that the caller passes in.
struct GateLane: Sendable {
    enum Admission: Sendable, Hashable {
        case go
        case later(Duration)
        case full
    }

    private static let pause = Duration.seconds(1)
    private static let memory = Duration.seconds(10)
    /// The longest spacing in seconds between requests that are slowed down to avoid a refusal.
    private static let widestSpacing = 1.0

    private(set) var opensAt = Duration.zero
    private(set) var reason = ""

    private let most: Int
    private var limit: Int
    private var running = 0
    private var successes = 0
    private var spacing = 0.0
    private var spacingEndsAt = Duration.zero
    private var nextStart = Duration.zero
    private var spent: [(at: Duration, units: Int)] = []

    init(_ service: GraphService) { (limit, most) = service.concurrency }

    func isIdle(at now: Duration) -> Bool {
        running == 0 && opensAt <= now && spacingEndsAt <= now && limit == most
    }

    mutating func admit(cost: Int, at now: Duration) -> Admission {
        if now < opensAt { return .later(opensAt) }
        guard running < limit else { return .full }
        if now < spacingEndsAt {
            if now < nextStart { return .later(nextStart) }
            nextStart = max(now, nextStart) + .seconds(min(spacing * Double(cost), 60))
        }
        running += 1
        return .go
    }

    /// Records that a request has ended, with its answer's signs; nil if there was none.
    mutating func leave(_ signs: ThrottleSigns?, service: GraphService, at now: Duration) {
        running -= 1
        guard let signs else { return }
        if signs.isRefused {
            close(for: signs.retryAfter.map { .seconds($0) } ?? Self.pause, service: service, at: now)
            return
        }
        // Requests that started before the pause say nothing about the time after it.
        if now >= opensAt { successes += 1 }
        if successes >= limit, limit < most {
            limit += 1
            successes = 0
        }
        slowDown(signs, service: service, at: now)
    }

    /// Pauses, then starts with one request at a time, so the one refused most often gets through.
    private mutating func close(for time: Duration, service: GraphService, at now: Duration) {
        guard time <= .seconds(RetryAfter.longest) else { return }
        limit = 1
        successes = 0
        if now + time > opensAt {
            opensAt = now + time
            reason = "\(service) asked for a pause"
        }
    }

    /// Spreads the requests over the remaining units, so the service refuses none.
    private mutating func slowDown(_ signs: ThrottleSigns, service: GraphService, at now: Duration) {
        if let units = signs.units {
            spent.removeAll { $0.at + Self.memory < now }
            if spent.count < 10_000 { spent.append((now, units)) }
        }
        if let (left, seconds) = signs.left, seconds > 0 {
            if left < 1 {
                if now + .seconds(min(seconds, 600)) > opensAt {
                    opensAt = now + .seconds(min(seconds, 600))
                    reason = "\(service) has reached its limit"
                }
            } else {
                spacing = seconds / left
                spacingEndsAt = now + .seconds(min(seconds, 600))
            }
        } else if let usage = signs.usage {
            // This program's recent units, scaled to a usage below the warning level of 0.8.
            let own = Double(max(1, spent.reduce(0) { $0 + $1.units }))
            spacing = min(Self.widestSpacing, Self.memory.seconds * usage / (0.8 * own))
            spacingEndsAt = now + Self.memory
        }
    }
}
