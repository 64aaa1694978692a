extension Sandbox {
    /// How often a service refused requests because of its limit.
    public struct Throttle: Sendable, Hashable {
        /// `directory`, `files`, or `mailbox` with its owner.
        public var service: String
        /// How many requests were refused with 429.
        public var refused: Int
        /// How many requests arrived before the service's Retry-After had elapsed.
        public var early: Int

        package init(service: String, refused: Int, early: Int) {
            self.service = service
            self.refused = refused
            self.early = early
        }
    }
}

extension Sandbox.Throttle {
    var value: Value { ["service": .string(service), "refused": .integer(refused), "early": .integer(early)] }
}
