public import Synchronization

/// The state of one promise: the one allocation of a `Promise` or `Guarantee`.
///
/// In a chain it also contains the handler and its entry in the list of handlers (`Link`).
///
/// It is not generic: methods of generic classes run unspecialised, at several times the cost. Code that depends on the
/// value's type is in generic functions that are specialised by their callers, and in the function that a link runs.
///
/// Fields other than the word are only written with the right to do so: before the state is shared, after winning the
/// claim, or by the one thread that runs a link. The word makes them visible to others. They therefore need no check
/// for exclusive access, which would cost more than the work it guards.
///
/// The thread that runs a link writes its outcome before it tries for the word. Only a canceller may also settle a
/// link, and it writes neither `payload` nor `extra`, so one exchange of the word settles a link.
@usableFromInline
@safe
class State {
    /// The newest waiting link while pending, nothing once settled; the low bits are `Word`'s.
    @usableFromInline final let word: Atomic<UInt>
    @usableFromInline final let origin: Origin
    /// Where a link runs, and what it holds; written by the thread that runs it, and read by threads that wait for it.
    @usableFromInline final let place: Atomic<UInt16>
    /// The traits, which never change, and the marks.
    @usableFromInline final let marks: Atomic<UInt8>
    /// Whether the outcome is an error, of a state that has one.
    ///
    /// It cannot be a bit of the word: links are handed out, and run, before the word says that the promise is settled.
    @usableFromInline final let hasError: Atomic<Bool>
    /// The value once fulfilled, or a box with a larger value; before that, a link's handler.
    @exclusivity(unchecked) @usableFromInline final var payload: (UInt, UInt)
    /// The error once rejected, unless by a canceller; once fulfilled, the type of the payload, or 0 if it needs no
    /// destruction; before that, the first word of a link's function.
    @exclusivity(unchecked) @usableFromInline final var extra: UInt

    @inlinable
    init(pending origin: Origin, traits: UInt8 = Trait.consumer, place: UInt16 = PlaceNumber.inline) {
        word = Atomic(0)
        self.origin = origin
        self.place = Atomic(place)
        marks = Atomic(traits)
        hasError = Atomic(false)
        unsafe payload = (0, 0)
        unsafe extra = 0
    }

    @inlinable
    init<T: Sendable>(fulfilled value: T, origin: Origin) {
        word = Atomic(Word.settled)
        self.origin = origin
        place = Atomic(PlaceNumber.inline)
        marks = Atomic(Trait.consumer)
        hasError = Atomic(false)
        unsafe payload = (0, 0)
        unsafe extra = 0
        store(value)
    }

    @inlinable
    init(rejected error: any Error, origin: Origin) {
        word = Atomic(Word.settled | Word.unobserved)
        self.origin = origin
        place = Atomic(PlaceNumber.inline)
        marks = Atomic(Trait.consumer)
        hasError = Atomic(true)
        unsafe payload = (0, 0)
        unsafe extra = 0
        store(error: error)
    }

    deinit {
        let current = word.load(ordering: .acquiring)
        // Nothing to destroy and nothing to report: a plain value, or a link that only waited.
        if unsafe current == Word.settled && extra == 0 { return }
        if current & Word.pointer == 0, traits & Trait.bystander != 0 { return }
        discard(current)
    }

    /// Bits of `Trait`, among others.
    @inlinable
    final var traits: UInt8 { marks.load(ordering: .relaxed) }

    func pendingSources() -> [State] { [] }

    /// Locks the one promise that this one waits for, which is not freed until it is unlocked.
    ///
    /// To be called while this one is locked.
    /// - Returns: Nil if there is none, or if it is settled or being released.
    func lockSource() -> Unmanaged<State>? { nil }

    /// The consequences of leaving the pending promises of a `when` or a `race`; nil if there are none.
    func forsakeSources() -> [Forsaken]? { nil }
}

// The comment on `State` says why this is safe: the rights to a field are the same in every kind of state. The compiler
// requires it for each class; they are all in this file, so one file is responsible for what it cannot check.
extension State: @unchecked Sendable {}
extension Link: @unchecked Sendable {}
extension ReadyLink: @unchecked Sendable {}
extension QueueLink: @unchecked Sendable {}
extension Gather: @unchecked Sendable {}
extension Slots: @unchecked Sendable {}
extension Values: @unchecked Sendable {}
extension Pair: @unchecked Sendable {}
extension Arrival: @unchecked Sendable {}
extension Pumped: @unchecked Sendable {}
extension Awaiter: @unchecked Sendable {}
extension CancellationHandler: @unchecked Sendable {}

/// The bits next to the pointer in a promise's word.
@usableFromInline
enum Word {
    @inlinable static var settled: UInt { 1 }
    /// One settler has won; the outcome is being written and the links are being handed out.
    @inlinable static var claimed: UInt { 2 }
    /// A canceller reads a link's source or the list, for a few instructions.
    @inlinable static var locked: UInt { 4 }
    /// Both, because a claimed promise is never locked: the outcome is written, but not all links are handed out.
    @inlinable static var written: UInt { claimed | locked }
    /// A waiting link does not run at the standard place.
    @inlinable static var foreign: UInt { 8 }
    /// Nothing has ever waited for this rejection (only with `settled`, without a pointer).
    @inlinable static var unobserved: UInt { 16 }
    @inlinable static var pointer: UInt { ~15 }
}

@usableFromInline
enum Trait {
    /// Needs the outcome; a link without this only listens.
    @inlinable static var consumer: UInt8 { 16 }
    /// Runs even if its own promise was cancelled meanwhile.
    @inlinable static var always: UInt8 { 32 }
    /// Must not be rejected.
    @inlinable static var guarantee: UInt8 { 64 }
    /// Only waits, and is not a promise.
    @inlinable static var bystander: UInt8 { 128 }
}

/// What may happen to a state once, in addition to being settled.
@usableFromInline
enum Mark {
    /// Everything that waits for it has been cancelled.
    @inlinable static var doomed: UInt8 { 1 }
    /// It can no longer be settled; this was reported for the promise that it depends on.
    @inlinable static var abandoned: UInt8 { 2 }
    /// It was cancelled, not rejected.
    @inlinable static var cancelled: UInt8 { 4 }
    /// It was cancelled because it took too long.
    @inlinable static var timedOut: UInt8 { 8 }
    @inlinable static var all: UInt8 { 15 }
}
