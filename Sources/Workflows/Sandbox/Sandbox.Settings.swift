extension Sandbox {
    /// The properties of the simulated organisation.
    public struct Settings: Sendable, Hashable {
        /// The number of users; the first is signed in.
        public var userCount: Int = 8
        /// How long a message takes from acceptance to Sent Items.
        ///
        /// Its draft is visible for the first half of this time; for the second half neither is.
        public var sentItemsDelay: Duration = .zero
        /// How long a file's upload session lasts without another range.
        public var uploadSessionLifetime: Duration = .seconds(3600)
        /// The capacity of a drive in bytes.
        public var driveQuota: Int = 1 << 40
        /// Whether an administrator allows links for anyone.
        public var allowsAnonymousLinks = true
        /// Whether some pages of users are shorter than requested, or empty.
        public var hasUnevenPages = false
        /// The limits beyond which requests are refused with 429.
        public var limits = Limits()
        /// How long every answer takes.
        public var latency: Duration = .zero
        /// How many of the latest requests are kept.
        public var keptRequests: Int = 50_000

        /// Creates the settings of a small organisation that allows everything.
        public init() {}
    }
}
