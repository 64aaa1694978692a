extension Expression {
    /// What one evaluation may use before it ends in an error.
    public struct Budget: Sendable, Hashable {
        /// How many steps it may take; an output, a call and a bulk operation's elements are steps.
        public var steps: Int
        /// How many calls may be open at a time, and how many levels a value built by it may have.
        public var depth: Int
        /// How many bytes all values that it builds may take together.
        public var memory: Int

        /// Creates a budget; what is not given is what a workflow's expressions get.
        public init(steps: Int = 10_000_000, depth: Int = 10_000, memory: Int = 256 << 20) {
            self.steps = steps
            self.depth = depth
            self.memory = memory
        }
    }
}
