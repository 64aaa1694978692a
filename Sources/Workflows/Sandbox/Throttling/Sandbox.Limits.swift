extension Sandbox {
    /// How much the services behind Graph answer before they refuse with 429.
    public struct Limits: Sendable, Hashable {
        /// Units that can be used at once, and that come back evenly over a time.
        public struct Bucket: Sendable, Hashable {
            /// How many units there are.
            public var units: Int
            /// How many seconds it takes until all of them are back.
            public var seconds: Double

            /// Creates a bucket of so many units in so many seconds.
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
        /// Requests for one mailbox that may be under way at a time; nil for no limit.
        ///
        /// Requests overlap only where answers take time: with ``Settings/latency``, or a fault's delay.
        public var mailboxConcurrency: Int?

        /// Creates limits; nil stands for none.
        public init(
            directory: Bucket? = nil, files: Bucket? = nil, mailbox: Bucket? = nil, mailboxConcurrency: Int? = nil
        ) {
            self.directory = directory
            self.files = files
            self.mailbox = mailbox
            self.mailboxConcurrency = mailboxConcurrency
        }

        /// What Microsoft documents for a small organisation.
        public static let documented = Limits(
            directory: Bucket(units: 3500, seconds: 10), files: Bucket(units: 1200, seconds: 60),
            mailbox: Bucket(units: 10_000, seconds: 600), mailboxConcurrency: 4)

        /// So little that a handful of requests runs into it.
        public static let scarce = Limits(
            directory: Bucket(units: 20, seconds: 10), files: Bucket(units: 20, seconds: 10),
            mailbox: Bucket(units: 10, seconds: 5), mailboxConcurrency: 4)
    }
}
