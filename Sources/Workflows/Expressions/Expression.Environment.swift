public import Foundation

extension Expression {
    /// What an evaluation learns from outside: the time. It never sees the process's environment variables.
    public struct Environment: Sendable {
        /// The time that `now` gives.
        public var now: @Sendable () -> Date

        /// Creates an environment from a clock.
        public init(now: @escaping @Sendable () -> Date = { Date() }) {
            self.now = now
        }
    }
}
