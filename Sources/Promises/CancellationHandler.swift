/// What `Resolver.onCancel` registers: a link in a promise's list that cancelling the promise calls.
final class CancellationHandler: Link {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void, _ origin: Origin) {
        self.body = body
        // Once the promise is settled, nothing is left to cancel.
        unsafe super.init({ _, _, _ in false }, Place.inline, origin, traits: Trait.bystander)
    }

    func cancel() {
        if claim() { body() }
    }
}
