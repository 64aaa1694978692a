internal import Synchronization

extension Link {
    /// Fulfills, as the thread that runs this link.
    ///
    /// - Returns: whether the caller's reference to this link went into the list of work.
    @inlinable
    final func finish<T: Sendable>(with value: T, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        store(value)
        return unsafe publishUnclaimed(work, isError: false)
    }

    /// Rejects, as the thread that runs this link.
    ///
    /// - Returns: whether the caller's reference to this link went into the list of work.
    @inlinable
    final func fail(with error: any Error, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        store(error: error)
        return unsafe publishUnclaimed(work, isError: true)
    }

    /// Rejects as the source is rejected, as the thread that runs this link.
    ///
    /// Where nobody else is left who could ask for the error it moves, instead of being counted twice for every link.
    /// - Returns: whether the caller's reference to this link went into the list of work.
    @usableFromInline
    final func fail(as source: State, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        guard !source.isCancelled, isLastOfSource else { return unsafe fail(with: source.error, work) }
        hasError.store(true, ordering: .relaxed)
        unsafe extra = source.extra
        unsafe source.extra = 0
        return unsafe publishUnclaimed(work, isError: true)
    }

    /// Whether nobody but this link, which runs, refers to its source any more.
    private final var isLastOfSource: Bool {
        guard var reference = unsafe source else { return false }
        return unsafe withUnsafeMutableBytes(of: &reference) { bytes in
            unsafe bytes.withMemoryRebound(to: State.self) { unsafe isKnownUniquelyReferenced(&$0[0]) }
        }
    }

    /// Settles, as the thread that runs this link.
    ///
    /// - Returns: whether the caller's reference to this link went into the list of work.
    @inlinable
    final func finish<T: Sendable>(_ outcome: Result<T, any Error>, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        switch outcome {
        case .success(let value): unsafe finish(with: value, work)
        case .failure(let error): unsafe fail(with: error, work)
        }
    }

    /// Settles with what was just written, unless a canceller has settled this link: then that is destroyed.
    ///
    /// - Returns: whether the caller's reference to this link went into the list of work.
    @usableFromInline
    final func publishUnclaimed(_ work: UnsafeMutablePointer<WorkList>, isError: Bool) -> Bool {
        var current = word.load(ordering: .relaxed)
        let here = unsafe work.pointee.place
        while current & (Word.settled | Word.claimed) == 0 {
            if current & Word.locked != 0 {
                current = pause()
                continue
            }
            // What waits may be looked at only by who has it. But that all of it runs here, the word alone can say.
            let isAlone = current & Word.pointer == 0
            let isHere = current & Word.foreign == 0 && here == Place.standard
            var desired = Word.written
            if isAlone { desired = isError ? Word.settled | Word.unobserved : Word.settled }
            if isHere, !isAlone { desired = Word.settled }
            let (done, now) = word.weakCompareExchange(
                expected: current, desired: desired, successOrdering: .acquiringAndReleasing,
                failureOrdering: .relaxed)
            guard done else {
                current = now
                continue
            }
            if isAlone { return false }
            let isHandedOutHere = unsafe isHere || endsHandingOut(current, work)
            guard isHandedOutHere else {
                unsafe publishInTurn(current, work)
                return false
            }
            unsafe handOutHere(current, work)
            return true
        }
        erase(isError: isError)
        return false
    }
}
