/// How many requests one service is asked, and when: what is known of it, and the decisions that follow.
///
/// Times are those of a clock that whoever asks brings along. Nothing here waits.
struct GateLane: Sendable {
    /// What becomes of a request that wants to go.
    enum Admission: Sendable, Hashable {
        /// It goes.
        case go
        /// It goes at that time at the earliest.
        case later(Duration)
        /// It goes when another one has come back.
        case full
    }

    /// How long a service is left alone that refuses without saying for how long.
    private static let pause = Duration.seconds(1)
    /// How long what a service said about its limits is believed.
    private static let memory = Duration.seconds(10)
    /// The longest wait between two requests that are slowed down before they are refused.
    private static let widestSpacing = 1.0

    /// Until when nothing goes, because the service asked for it.
    private(set) var opensAt = Duration.zero
    /// What closed it, in words.
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

    /// Whether nothing is under way and nothing is remembered, so that it can be forgotten.
    func isIdle(at now: Duration) -> Bool {
        running == 0 && opensAt <= now && spacingEndsAt <= now && limit == most
    }

    /// Decides about a request, and counts it where it goes.
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

    /// Notes that a request has come back, and what its answer says; nil where there was none.
    mutating func leave(_ signs: ThrottleSigns?, service: GraphService, at now: Duration) {
        running -= 1
        guard let signs else { return }
        if signs.isRefused {
            close(for: signs.retryAfter.map { .seconds($0) } ?? Self.pause, service: service, at: now)
            return
        }
        // What was under way already when the service asked for a pause says nothing about the time after it.
        if now >= opensAt { successes += 1 }
        if successes >= limit, limit < most {
            limit += 1
            successes = 0
        }
        slowDown(signs, service: service, at: now)
    }

    /// Sends nothing for a while, and one at a time at first afterwards: whoever was refused most often finds room then.
    private mutating func close(for time: Duration, service: GraphService, at now: Duration) {
        guard time <= .seconds(RetryAfter.longest) else { return }
        limit = 1
        successes = 0
        if now + time > opensAt {
            opensAt = now + time
            reason = "\(service) asked for a pause"
        }
    }

    /// Spreads what is left, so that the service need not refuse anything.
    private mutating func slowDown(_ signs: ThrottleSigns, service: GraphService, at now: Duration) {
        if let units = signs.units {
            spent.removeAll { $0.at + Self.memory < now }
            if spent.count < 10_000 { spent.append((now, units)) }
        }
        if let (left, seconds) = signs.left, seconds > 0 {
            if left < 1 {
                if now + .seconds(min(seconds, 600)) > opensAt {
                    opensAt = now + .seconds(min(seconds, 600))
                    reason = "\(service) has no room left until then"
                }
            } else {
                spacing = seconds / left
                spacingEndsAt = now + .seconds(min(seconds, 600))
            }
        } else if let usage = signs.usage {
            // What this program spent lately, scaled down to where the service does not complain.
            let own = Double(max(1, spent.reduce(0) { $0 + $1.units }))
            spacing = min(Self.widestSpacing, Self.memory.seconds * usage / (0.8 * own))
            spacingEndsAt = now + Self.memory
        }
    }
}
