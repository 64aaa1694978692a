internal import Synchronization

/// What `Resolver.onCancel` registers: listens in a promise's list, and is called by who cancels it.
final class CancellationHandler: Node, @unchecked Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void, _ origin: Origin) {
        self.body = body
        super.init(origin, place: Place.inline, traits: 0)
    }

    /// The promise is settled: in whatever way, nothing is left to cancel here.
    override func fire(_ work: UnsafeMutablePointer<WorkList>) -> Bool {
        unsafe release(source: source)
        return false
    }

    func cancel() {
        if claim() { body() }
    }
}
