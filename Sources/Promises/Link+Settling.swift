internal import Synchronization

extension Link {
    /// Fulfills, on the thread that runs this link.
    /// - Returns: Whether the caller's reference to this link went into the list of work.
    @inlinable
    final func finish<T: Sendable>(with value: T, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        store(value)
        return unsafe publishUnclaimed(work, isError: false)
    }

    /// Rejects, on the thread that runs this link.
    /// - Returns: Whether the caller's reference to this link went into the list of work.
    @inlinable
    final func fail(with error: any Error, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        store(error: error)
        return unsafe publishUnclaimed(work, isError: true)
    }

    /// Rejects with the source's error, on the thread that runs this link.
    ///
    /// An error that nothing else can read is moved, which saves counting its references in every link.
    /// - Returns: Whether the caller's reference to this link went into the list of work.
    @usableFromInline
    final func fail(as source: State, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        guard !source.isCancelled, isLastOfSource else { return unsafe fail(with: source.error, work) }
        hasError.store(true, ordering: .relaxed)
        unsafe extra = source.extra
        unsafe source.extra = 0
        return unsafe publishUnclaimed(work, isError: true)
    }

    private final var isLastOfSource: Bool {
        guard let source = unsafe source else { return false }
        return unsafe State.isReferencedOnce(source)
    }

    final var isOnlyReferenced: Bool { unsafe State.isReferencedOnce(Unmanaged.passUnretained(self)) }

    /// Settles, on the thread that runs this link.
    /// - Returns: Whether the caller's reference to this link went into the list of work.
    @inlinable
    final func finish<T: Sendable>(_ outcome: Result<T, any Error>, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        switch outcome {
        case .success(let value): unsafe finish(with: value, work)
        case .failure(let error): unsafe fail(with: error, work)
        }
    }

    /// Settles with the outcome just written, or destroys it if a canceller has settled this link.
    /// - Returns: Whether the caller's reference to this link went into the list of work.
    @usableFromInline
    final func publishUnclaimed(_ work: UnsafeMutablePointer<WorkList>, isError: Bool) -> Bool {
        var current = word.load(ordering: .relaxed)
        let here = unsafe work.pointee.place
        while current & (Word.settled | Word.claimed) == 0 {
            if current & Word.locked != 0 {
                current = pause()
                continue
            }
            // Only the owner of the list may read its links, but the word alone shows whether all of them run here.
            let isAlone = current & Word.pointer == 0
            let isHere = current & Word.foreign == 0 && here == PlaceNumber.standard
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

extension State {
    fileprivate static func isReferencedOnce<Kind: State>(_ state: Unmanaged<Kind>) -> Bool {
        var reference = unsafe state
        return unsafe withUnsafeMutablePointer(to: &reference) { pointer in
            unsafe pointer.withMemoryRebound(to: Kind.self, capacity: 1) { kind in
                unsafe isKnownUniquelyReferenced(&kind.pointee)
            }
        }
    }
}
