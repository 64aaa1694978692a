public import Synchronization

/// The state of one promise: the one allocation behind `Promise` and `Guarantee`.
@usableFromInline
class State<T: Sendable>: Node, @unchecked Sendable {
    /// Written once by whoever wins the claim, read once `settled` is seen.
    @usableFromInline final var result: Result<T, any Error>?

    @inlinable
    init(
        pending origin: Origin, place: UInt8 = Place.inline, traits: UInt8 = Trait.consumer, flags: UInt8 = 0
    ) {
        result = nil
        super.init(origin, place: place, traits: traits, flags: flags)
    }

    @inlinable
    init(settled result: Result<T, any Error>, origin: Origin) {
        self.result = result
        super.init(origin, place: Place.inline, traits: Trait.consumer)
        switch result {
        case .success: word.store(Word.settled, ordering: .releasing)
        case .failure: word.store(Word.settled | Word.unobserved, ordering: .releasing)
        }
    }

    deinit {
        let current = word.load(ordering: .acquiring)
        if current == Word.settled { return }
        if current & Word.settled == 0 {
            retire(current)
        } else if case .failure(let error) = result, marks.load(ordering: .relaxed) & Mark.cancelled == 0 {
            conf.report(.unhandledRejection(error, origin.location))
        }
    }

    override func withdraw(_ error: any Error) { cancel(error) }

    final var isCancelled: Bool { marks.load(ordering: .relaxed) & Mark.cancelled != 0 }

    /// The result, as soon as everyone may know it.
    @inlinable
    final var settledResult: Result<T, any Error>? {
        word.load(ordering: .acquiring) & Word.settled == 0 ? nil : result
    }

    /// Settles from inside a list of work.
    ///
    /// - Returns: whether the caller's reference to this node went into the list of work.
    @inlinable
    final func settle(_ outcome: Result<T, any Error>, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        guard claim() else { return false }
        result = outcome
        switch outcome {
        case .success: return unsafe publish(rejected: false, work)
        case .failure: return unsafe publish(rejected: true, work)
        }
    }

    /// Settles from anywhere; of all that try, the first wins.
    @inlinable
    @discardableResult
    final func settle(_ outcome: Result<T, any Error>) -> Bool {
        guard claim() else { return false }
        result = outcome
        switch outcome {
        case .success: publishFromOutside(rejected: false)
        case .failure: publishFromOutside(rejected: true)
        }
        return true
    }

    @usableFromInline
    final func publishFromOutside(rejected: Bool) {
        unsafe WorkList.run { work in
            // In a list that has no place of its own, nothing is handed out by moving the caller's reference.
            _ = unsafe publish(rejected: rejected, work)
        }
    }

    /// Takes over the state of another promise; the caller's reference to this node goes with it.
    ///
    /// - Returns: whether the caller's reference to this node went elsewhere.
    @inlinable
    final func adopt(_ other: State<T>, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        if let outcome = other.settledResult {
            other.observe()
            return unsafe settle(outcome, work)
        }
        return unsafe follow(other, work)
    }

    @usableFromInline
    final func follow(_ other: State<T>, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        if other === self { return unsafe settle(.failure(PromiseError.returnedSelf), work) }
        guard lock() else {
            // Cancelled while its handler ran: nobody wants the other one either.
            Node.forsake([other], consumer: self)
            return false
        }
        unsafe source = nil
        place = Place.inline
        unlock()
        let mine = unsafe Unmanaged<Node>.passUnretained(self)
        if unsafe other.enlist(mine) { return true }
        guard let outcome = other.settledResult else { return false }
        return unsafe settle(outcome, work)
    }

    /// Notes that somebody took a rejection that was already there.
    @inlinable
    final func observe() {
        if word.load(ordering: .relaxed) & Word.unobserved != 0 {
            word.bitwiseAnd(~Word.unobserved, ordering: .relaxed)
        }
    }
}
