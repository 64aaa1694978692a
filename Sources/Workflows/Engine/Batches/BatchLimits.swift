/// What bounds the work of a batch.
package struct BatchLimits: Sendable, Hashable {
    /// When a batch stops taking items.
    package enum Failures: Sendable, Hashable, CustomStringConvertible {
        /// When this many items have faulted or are unknown.
        case count(Int)
        /// When this share of the items that are over, of 100, has faulted or is unknown.
        case percent(Double)

        /// After how many items a share counts.
        private static let fewest = 20

        /// Reads what a user wrote: `5` or `5%`; nil for anything else.
        package init?(_ text: String) {
            if text.hasSuffix("%") {
                guard let share = Double(text.dropLast()), share > 0, share <= 100 else { return nil }
                self = .percent(share)
            } else {
                guard let count = Int(text), count > 0 else { return nil }
                self = .count(count)
            }
        }

        /// The limit as a user writes it.
        package var description: String {
            switch self {
            case .count(let count): "\(count)"
            case .percent(let share): "\(Value.jsonNumber(share))%"
            }
        }

        /// Whether no more items are taken after so many failures among those that ended.
        func isReached(_ failures: Int, of ended: Int) -> Bool {
            switch self {
            case .count(let most): failures >= most
            case .percent(let share): ended >= Self.fewest && Double(failures) * 100 >= share * Double(ended)
            }
        }
    }

    /// The most items at work at the same time; nil to let the service decide.
    package var concurrency: Int?
    /// The most items begun in a second; nil for no limit.
    package var rate: Double?
    /// When the batch stops taking items; nil for never.
    package var failures: Failures?
    /// How long after the start a mail that is looked up and not found as sent counts as not sent.
    package var mailPatience = Mail.Key.usualPatience

    /// So many items keep every service busy, whose requests wait at the gate for as many as it lets through.
    private static let usualConcurrency = 64

    /// Creates limits.
    package init(concurrency: Int? = nil, rate: Double? = nil, failures: Failures? = nil) {
        (self.concurrency, self.rate, self.failures) = (concurrency, rate, failures)
    }

    var mostAtWork: Int { concurrency ?? Self.usualConcurrency }
}
