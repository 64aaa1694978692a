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

/// The steps that a computation may take, in slices after each of which it asks its interrupt.
struct StepCounter {
    /// The steps until the next question, so that counting is one subtraction.
    private var left: Int
    /// The steps after that.
    private var reserve: Int
    private let interrupt: Interrupt?

    init(_ steps: Int, until interrupt: Interrupt?) {
        self.interrupt = interrupt
        left = interrupt == nil ? steps : min(steps, Interrupt.slice)
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

    @inline(never)
    private mutating func beginSlice() throws(Signal) -> Bool {
        let more = min(reserve, max(Interrupt.slice, -left))
        reserve -= more
        left += more
        guard left >= 0 else { return false }
        guard interrupt?.isRequested != true else {
            throw .exhausted(ExpressionError("the computation was interrupted"))
        }
        return true
    }
}
