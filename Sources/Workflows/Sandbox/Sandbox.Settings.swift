extension Sandbox {
    /// What the organisation is like that the sandbox plays, and how it is set up.
    public struct Settings: Sendable, Hashable {
        /// How many users there are; the first is signed in.
        public var userCount: Int = 8
        /// How long a message takes from being accepted to lying in Sent Items.
        ///
        /// For the first half of that time its draft can still be seen, for the second half neither.
        public var sentItemsDelay: Duration = .zero
        /// How long the session of a file lasts without another range.
        public var uploadSessionLifetime: Duration = .seconds(3600)
        /// How many bytes a drive has room for.
        public var driveQuota: Int = 1 << 40
        /// Whether an administrator lets links be opened by everybody.
        public var allowsAnonymousLinks = true
        /// Whether pages of users are shorter than asked for at times, and empty.
        public var hasUnevenPages = false
        /// How much is answered before requests are refused with 429.
        public var limits = Limits()
        /// How long every answer takes.
        public var latency: Duration = .zero
        /// How many requests are kept to be read back, the latest ones.
        public var keptRequests: Int = 50_000

        /// Creates the settings of a small organisation that allows everything.
        public init() {}
    }
}
