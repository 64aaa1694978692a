extension Expression {
    /// The clock and the time zone of an evaluation.
    ///
    /// Expressions have no access to the process's environment variables.
    public struct Environment: Sendable {
        /// The time returned by `now`.
        public var now: @Sendable () -> Date
        /// The time zone for `localtime` and `strflocaltime`.
        public var timeZone: @Sendable () throws(TimeZoneError) -> SystemTimeZone
        /// Ends the evaluation; nil if only the budget does.
        package var interrupt: Interrupt?

        /// Creates an environment from a clock and a time zone.
        public init(
            now: @escaping @Sendable () -> Date = { Date() },
            timeZone: @escaping @Sendable () throws(TimeZoneError) -> SystemTimeZone = {
                () throws(TimeZoneError) in try .current
            }
        ) {
            self.now = now
            self.timeZone = timeZone
        }
    }
}
