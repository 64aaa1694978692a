public import Foundation

extension Expression {
    /// What an evaluation learns from outside: the time.
    ///
    /// It never sees the process's environment variables.
    public struct Environment: Sendable {
        /// The time that `now` gives.
        public var now: @Sendable () -> Date
        /// The time zone of `localtime` and `strflocaltime`.
        public var timeZone: @Sendable () -> TimeZone

        /// Creates an environment from a clock and a time zone.
        public init(
            now: @escaping @Sendable () -> Date = { Date() },
            timeZone: @escaping @Sendable () -> TimeZone = { TimeZone.current }
        ) {
            self.now = now
            self.timeZone = timeZone
        }
    }
}
