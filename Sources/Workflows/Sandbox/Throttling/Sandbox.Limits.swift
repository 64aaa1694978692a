extension Sandbox {
    /// The limits beyond which Graph's services refuse requests with 429.
    public struct Limits: Sendable, Hashable {
        /// Units that can be used at once and that refill evenly over time.
        public struct Bucket: Sendable, Hashable {
            /// The number of units.
            public var units: Int
            /// The seconds until all units are refilled.
            public var seconds: Double

            /// Creates a bucket.
            public init(units: Int, seconds: Double) {
                self.units = units
                self.seconds = seconds
            }
        }

        /// Resource units of the directory for the application; nil for no limit.
        public var directory: Bucket?
        /// Resource units of OneDrive for the application; nil for no limit.
        public var files: Bucket?
        /// Requests for mail and photos of each mailbox; nil for no limit.
        public var mailbox: Bucket?
        /// Concurrent requests for one mailbox; nil for no limit.
        ///
        /// Requests overlap only if answers take time: with ``Settings/latency`` or a fault's delay.
        public var mailboxConcurrency: Int?

        /// Creates limits; nil for no limit.
        public init(
            directory: Bucket? = nil, files: Bucket? = nil, mailbox: Bucket? = nil, mailboxConcurrency: Int? = nil
        ) {
            self.directory = directory
            self.files = files
            self.mailbox = mailbox
            self.mailboxConcurrency = mailboxConcurrency
        }

        /// The limits that Microsoft documents for a small organisation.
        public static let documented = Limits(
            directory: Bucket(units: 3500, seconds: 10), files: Bucket(units: 1200, seconds: 60),
            mailbox: Bucket(units: 10_000, seconds: 600), mailboxConcurrency: 4)

        /// Limits so low that a handful of requests exceeds them.
        public static let scarce = Limits(
            directory: Bucket(units: 20, seconds: 10), files: Bucket(units: 20, seconds: 10),
            mailbox: Bucket(units: 10, seconds: 5), mailboxConcurrency: 4)
    }
}
