import Promises
internal import Synchronization

/// Ends computations, such as evaluations and validations, from outside them or when their time is over.
///
/// A computation may occupy the thread on which an alarm would go off, so it asks for itself after every slice of its
/// steps.
package final class Interrupt: Sendable {
    /// The steps between two questions: a millisecond, or two.
    static let slice = 8_192

    private let isSet = Atomic<Bool>(false)
    private let outer: Interrupt?
    private let isOver: (@Sendable () -> Bool)?

    /// Creates an interrupt.
    /// - Parameters:
    ///   - outer: What ends the same computations besides this one.
    ///   - isOver: Whether their time is over; nil if it is not limited.
    package init(inside outer: Interrupt? = nil, when isOver: (@Sendable () -> Bool)? = nil) {
        self.outer = outer
        self.isOver = isOver
    }

    /// Ends the computations; may be called on any thread.
    package func request() { isSet.store(true, ordering: .relaxed) }

    /// Whether the computations are to end.
    package var isRequested: Bool {
        if isSet.load(ordering: .relaxed) { return true }
        return isOver?() ?? false || outer?.isRequested ?? false
    }
}

extension ExpressionError {
    static var interrupted: ExpressionError { ExpressionError("the computation was interrupted") }
}

/// The steps that a computation may take, in slices after each of which it asks its interrupt.
struct StepCounter {
    /// After so many slices, 20 ms or a little more, other computations go on beside this one.
    private static let slicesInARow = 16

    /// The steps until the next question, so that counting is one subtraction.
    private var left: Int
    /// The steps after that.
    private var reserve: Int
    /// How many questions were asked.
    private var slices = 0
    /// While other handlers run beside this computation.
    private var absence: Absence?
    private let interrupt: Interrupt?

    init(_ steps: Int, until interrupt: Interrupt?) {
        self.interrupt = interrupt
        left = min(steps, Interrupt.slice)
        reserve = steps - left
    }

    /// Counts steps.
    /// - Returns: Whether the budget allows them.
    @inline(__always)
    mutating func count(_ steps: Int) throws(Signal) -> Bool {
        left -= steps
        if left >= 0 { return true }
        return try beginSlice()
    }

    /// Adds steps to the budget.
    mutating func add(_ steps: Int) { reserve += steps }

    /// Ends the computation, which may have to wait for its turn if others were let in.
    /// - Returns: Whether its result counts: false if it was interrupted meanwhile.
    mutating func end() -> Bool {
        guard let absence else { return true }
        absence.end()
        self.absence = nil
        return interrupt?.isRequested != true
    }

    @inline(never)
    private mutating func beginSlice() throws(Signal) -> Bool {
        let more = min(reserve, max(Interrupt.slice, -left))
        reserve -= more
        left += more
        guard left >= 0 else { return false }
        guard interrupt?.isRequested != true else {
            throw .exhausted(.interrupted)
        }
        slices += 1
        if slices >= Self.slicesInARow, absence == nil { absence = Absence() }
        return true
    }
}
