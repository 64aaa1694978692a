package struct BatchLimits: Sendable, Hashable {
    package enum Failures: Sendable, Hashable, CustomStringConvertible {
        /// The number of items that have faulted or are unknown.
        case count(Int)
        /// The percentage of finished items that have faulted or are unknown.
        case percent(Double)

        /// The number of items from which a percentage applies.
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

        package var description: String {
            switch self {
            case .count(let count): "\(count)"
            case .percent(let share): "\(Value.jsonNumber(share))%"
            }
        }

        func isReached(_ failures: Int, of ended: Int) -> Bool {
            switch self {
            case .count(let most): failures >= most
            case .percent(let share): ended >= Self.fewest && Double(failures) * 100 >= share * Double(ended)
            }
        }
    }

    /// The maximum number of items in progress; nil to let the service decide.
    package var concurrency: Int?
    /// The maximum number of items begun per second; nil for no limit.
    package var rate: Double?
    /// When the batch stops taking items; nil for never.
    package var failures: Failures?
    /// Whether the mails of a named batch are looked up.
    package var looksUpMails = true
    /// How long after the start a mail that is not found as sent counts as not sent.
    package var mailPatience = Mail.Key.usualPatience

    /// Keeps every service busy: the requests wait at the gate, which limits them further.
    private static let usualConcurrency = 64

    package init(concurrency: Int? = nil, rate: Double? = nil, failures: Failures? = nil) {
        (self.concurrency, self.rate, self.failures) = (concurrency, rate, failures)
    }

    /// The limits with which a batch began.
    package init(_ header: BatchLedger.Header) {
        self.init(
            concurrency: header.concurrency, rate: header.rate, failures: header.maxFailures.flatMap { Failures($0) })
        if let delay = header.lookupDelay { mailPatience = .seconds(delay) }
    }

    var mostAtWork: Int { concurrency ?? Self.usualConcurrency }
}
