internal import Synchronization

/// Ends computations, such as evaluations and validations, from outside or when their time has passed.
///
/// A computation may occupy the thread that would run a timer, so it polls after every slice of its steps.
package final class Interrupt: Sendable {
    /// The steps between two polls: one or two milliseconds.
    static let slice = 8_192

    private let isSet = Atomic<Bool>(false)
    private let outer: Interrupt?
    private let isOver: (@Sendable () -> Bool)?

    /// - Parameters:
    ///   - outer: Another interrupt for the same computations.
    ///   - isOver: Whether their time has passed; nil for no limit.
    package init(inside outer: Interrupt? = nil, when isOver: (@Sendable () -> Bool)? = nil) {
        self.outer = outer
        self.isOver = isOver
    }

    package func request() { isSet.store(true, ordering: .relaxed) }

    package var isRequested: Bool {
        if isSet.load(ordering: .relaxed) { return true }
        return isOver?() ?? false || outer?.isRequested ?? false
    }
}

extension ExpressionError {
    static var interrupted: ExpressionError { ExpressionError("the computation was interrupted") }
}

/// The steps of a computation, in slices; it polls its interrupt after each slice.
struct StepCounter {
    /// After this many slices, at least 20 ms, other computations may run as well.
    private static let slicesInARow = 16

    /// The steps until the next poll, so counting is one subtraction.
    private var left: Int
    private var reserve: Int
    private var slices = 0
    private var absence: Absence?
    private let interrupt: Interrupt?

    init(_ steps: Int, until interrupt: Interrupt?) {
        self.interrupt = interrupt
        left = min(steps, Interrupt.slice)
        reserve = steps - left
    }

    /// - Returns: Whether the budget allows them.
    @inline(__always)
    mutating func count(_ steps: Int) throws(Signal) -> Bool {
        left -= steps
        if left >= 0 { return true }
        return try beginSlice()
    }

    mutating func add(_ steps: Int) { reserve += steps }

    /// Ends the computation, which may have to wait for its turn if others were admitted.
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
