final class Evaluation {
    let program: Program
    let variables: [Value]
    let environment: Expression.Environment
    let budget: Expression.Budget
    let marks: Bool
    let planning: Planning?

    private var steps: StepCounter
    private var memoryLeft: Int
    private var depth = 0
    private var builds = 0
    private var lastLabel = 0
    private let stack: StackMark
    private var expressions: [String: RegularExpression] = [:]
    private var knownTimeZone: SystemTimeZone?

    init(
        _ program: Program, variables: [Value], environment: Expression.Environment, budget: Expression.Budget,
        stack: StackMark, marks: Bool, planning: Planning?
    ) {
        self.marks = marks
        self.planning = planning
        self.program = program
        self.variables = variables
        self.environment = environment
        self.budget = budget
        self.stack = stack
        steps = StepCounter(budget.steps, until: environment.interrupt)
        memoryLeft = budget.memory
    }

    func step(_ count: Int = 1) throws(Signal) {
        guard try steps.count(count) else { throw exhausted("the expression takes more than \(budget.steps) steps") }
    }

    func end() -> Bool { steps.end() }

    func allocate(_ bytes: Int) throws(Signal) {
        memoryLeft -= bytes
        if memoryLeft < 0 { throw exhausted("the expression builds more than \(budget.memory >> 20) MB of values") }
    }

    /// Charges the budget for a container with this many elements; call it with the container just built.
    ///
    /// Releasing a value takes stack for each of its levels. No value has more levels than were built, and a large
    /// stack suffices for any budget. Above a certain number, therefore, only a large stack will do.
    ///
    /// - Parameter levels: The maximum number of levels that this adds to earlier values.
    func built(_ value: Value, count: Int, levels: Int = 1) throws(Signal) {
        try allocate(96 * levels + count * 24)
        let before = builds
        builds += levels
        // Each build adds at most this many levels, so occasional checks suffice.
        if before >> 9 != builds >> 9 { try checkLevels(value) }
        try require(levels: builds)
    }

    /// Records that a value is put into another one, at the end of a path of this length.
    func nested(_ whole: Value, _ part: Value, at length: Int) throws(Signal) {
        // A path longer than the value is deep creates new levels, even around a scalar.
        if part.isContainer || length > 16 { try built(whole, count: 0, levels: length) }
    }

    var mayBeDeep: Bool { stack.isLarge }

    /// Requires a stack that can release a value with this many levels.
    func require(levels: Int) throws(Signal) {
        if levels <= stack.levels { return }
        throw stack.isLarge ? exhausted("the expression builds too many values") : Signal.stackTooSmall
    }

    /// Runs the body one call deeper; inlined, because an additional frame per level takes stack and time.
    @inline(__always)
    func deeper<Result>(_ body: () throws(Signal) -> Result) throws(Signal) -> Result {
        try enter()
        defer { depth -= 1 }
        return try body()
    }

    /// Throws if the stack or the budget does not allow another level.
    @inline(__always)
    private func enter() throws(Signal) {
        depth += 1
        if depth > budget.depth {
            depth -= 1
            throw exhausted("the expression is nested more than \(budget.depth) levels deep")
        }
        if stack.isExhausted {
            depth -= 1
            throw stack.isLarge
                ? exhausted("the expression is nested too deeply") : Signal.stackTooSmall
        }
    }

    func newLabel() -> Int {
        lastLabel += 1
        return lastLabel
    }

    func timeZone() throws(Signal) -> SystemTimeZone {
        if let knownTimeZone { return knownTimeZone }
        do throws(TimeZoneError) {
            let zone = try environment.timeZone()
            knownTimeZone = zone
            return zone
        } catch {
            throw .failure(error.description)
        }
    }

    func regularExpression(_ source: String, flags: String) throws(Signal) -> RegularExpression {
        let key = flags + "/" + source
        if let known = expressions[key] { return known }
        try require(levels: source.utf8.count { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "[") } * 40)
        let compiled = try RegularExpression(source, flags: flags)
        if expressions.count >= 64 { expressions.removeAll() }
        expressions[key] = compiled
        return compiled
    }

    func exhausted(_ message: String) -> Signal { .exhausted(ExpressionError(message)) }

    /// Follows nested containers near both ends, where every loop that nests values puts them.
    private func checkLevels(_ value: Value) throws(Signal) {
        var levels = 0
        var next: Value? = value
        while let current = next {
            levels += 1
            if levels > budget.depth { throw exhausted("a value has more than \(budget.depth) levels") }
            next = current.nestedContainer
        }
    }
}

enum Signal: Error, Sendable {
    /// An error that `try` catches.
    indirect case error(ExpressionError)
    /// The budget is used up; `try` does not catch this.
    indirect case exhausted(ExpressionError)
    /// `break`, or a consumer that needs no more outputs; the number identifies the target.
    case leave(Int)
    /// The result depends on an unknown in a way that no value can represent; `try` does not catch this.
    case undecided
    /// The thread's stack is too small, so the evaluation restarts on a larger one.
    case stackTooSmall

    /// A member's name would be visible to everyone.
    static var secretName: Signal { .failure("a secret cannot be the name of a member") }

    static func failure(_ message: String) -> Signal { .error(ExpressionError(message)) }
}

extension Value {
    var isContainer: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    fileprivate var nestedContainer: Value? {
        switch self {
        case .array(let elements):
            elements.prefix(4).first(where: \.isContainer) ?? elements.suffix(4).first(where: \.isContainer)
        case .object(let members):
            members.prefix(4).first(where: { $0.value.isContainer })?.value
                ?? members.suffix(4).first(where: { $0.value.isContainer })?.value
        default: nil
        }
    }
}
