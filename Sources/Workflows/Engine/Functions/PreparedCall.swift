import Promises

/// A call that only has to be made: what it does to the world is known.
struct PreparedCall: Sendable {
    /// What making it does to the world.
    var effect: Effect
    /// Whether it says itself when what follows must be done once, and has what led to it written down then.
    var commitsItself = false
    /// Makes it.
    var perform: @Sendable () throws -> Promise<Value>

    init(effect: Effect, perform: @escaping @Sendable () throws -> Promise<Value>) {
        self.effect = effect
        self.perform = perform
    }
}
