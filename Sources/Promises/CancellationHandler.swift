/// What `Resolver.onCancel` registers: listens in a promise's list, and is called by who cancels it.
final class CancellationHandler: Link {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void, _ origin: Origin) {
        self.body = body
        // When the promise is settled, in whatever way, nothing is left to cancel.
        unsafe super.init({ _, _, _ in false }, Place.inline, origin, traits: Trait.bystander)
    }

    func cancel() {
        if claim() { body() }
    }
}
