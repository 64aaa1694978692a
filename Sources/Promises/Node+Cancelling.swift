internal import Synchronization

extension Node {
    /// What this node waits for, unless that is just being released.
    ///
    /// A source cannot be freed while a waiting node is locked, because it has to take leave of that node first. But
    /// its release may have begun, and only a weak reference can be made of such an object and say so.
    final func lockedSource() -> Node? {
        guard lock() else { return nil }
        defer { unlock() }
        guard let source = unsafe source else { return nil }
        weak let reference = unsafe source._withUnsafeGuaranteedRef { $0 }
        return reference
    }

    /// Goes up from a promise that nobody wants any more, and rejects each promise up there that is pending, has no
    /// pending source itself, and that nobody else waits for. What lies between settles as rejections do.
    static func forsake(_ sources: [Node], consumer: Node) {
        var open = sources.map { (source: $0, consumer: consumer) }
        while let (source, consumer) = open.popLast() {
            guard source.isForsaken(by: consumer) else { continue }
            let above = source.pendingSources()
            open += above.map { (source: $0, consumer: source) }
            guard above.isEmpty else { continue }
            source.withdraw(PromiseError.cancelled)
            // A guarantee cannot be rejected; the first promise behind it can.
            if source.traits & Trait.guarantee != 0, consumer.traits & Trait.guarantee == 0 {
                consumer.withdraw(PromiseError.cancelled)
            }
        }
    }

    /// Whether everything else that waits for this promise has been cancelled too.
    private final func isForsaken(by consumer: Node) -> Bool {
        guard lock() else { return false }
        defer { unlock() }
        var entry = unsafe Node.unmanaged(word.load(ordering: .relaxed))
        while let waiting = unsafe entry {
            let node = unsafe waiting._withUnsafeGuaranteedRef { $0 }
            unsafe entry = node.next
            if node === consumer || node.isIndifferent { continue }
            return false
        }
        marks.bitwiseOr(Mark.doomed, ordering: .relaxed)
        return true
    }

    private final var isIndifferent: Bool {
        traits & Trait.consumer == 0 || word.load(ordering: .relaxed) & (Word.settled | Word.claimed) != 0
            || marks.load(ordering: .relaxed) & Mark.doomed != 0
    }

    /// The handlers for cancellation that wait in this promise's list, oldest first.
    final func cancellationHandlers() -> [CancellationHandler] {
        guard lock() else { return [] }
        defer { unlock() }
        var handlers: [CancellationHandler] = []
        var entry = unsafe Node.unmanaged(word.load(ordering: .relaxed))
        while let waiting = unsafe entry {
            let node = unsafe waiting._withUnsafeGuaranteedRef { $0 }
            unsafe entry = node.next
            if let handler = node as? CancellationHandler { handlers.append(handler) }
        }
        return handlers.reversed()
    }
}

extension State {
    /// Rejects this promise, if it is pending, and tells what it waits for that nobody wants it any more.
    @usableFromInline
    final func cancel(_ error: any Error) {
        // Once it is settled its source may go away at any time, so look first.
        let sources = pendingSources()
        let handlers = cancellationHandlers()
        if traits & Trait.guarantee == 0 {
            guard claim() else { return }
            marks.bitwiseOr(Mark.cancelled, ordering: .relaxed)
            result = .failure(error)
            publishFromOutside(rejected: true)
        }
        for handler in handlers { handler.cancel() }
        Node.forsake(sources, consumer: self)
    }
}
