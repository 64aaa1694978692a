/// One evaluation: what it reads from outside and what is left of its budget.
final class Evaluation {
    let program: Program
    let variables: [Value]
    let environment: Expression.Environment
    let budget: Expression.Budget

    private var stepsLeft: Int
    private var memoryLeft: Int
    private var depth = 0
    private var builds = 0
    private var lastLabel = 0
    private let stack: StackMark
    private var expressions: [String: RegularExpression] = [:]

    init(
        _ program: Program, variables: [Value], environment: Expression.Environment, budget: Expression.Budget,
        stack: StackMark
    ) {
        self.program = program
        self.variables = variables
        self.environment = environment
        self.budget = budget
        self.stack = stack
        stepsLeft = budget.steps
        memoryLeft = budget.memory
    }

    /// Takes steps from the budget.
    func step(_ count: Int = 1) throws(Signal) {
        stepsLeft -= count
        if stepsLeft < 0 { throw exhausted("the expression takes more than \(budget.steps) steps") }
    }

    /// Takes memory from the budget, for a value about to be built.
    func allocate(_ bytes: Int) throws(Signal) {
        memoryLeft -= bytes
        if memoryLeft < 0 { throw exhausted("the expression builds more than \(budget.memory >> 20) MB of values") }
    }

    /// Takes what a container of that many elements needs; call it with the container just built.
    func built(_ value: Value, count: Int) throws(Signal) {
        try allocate(64 + count * 24)
        builds += 1
        // Values grow by a level at most each time one is built, so a look at every so many is enough.
        if builds & 0x1FF == 0 { try checkLevels(value) }
    }

    /// Whether values may have been built that are deeper than a caller's stack can release.
    var mayBeDeep: Bool { builds > 256 }

    /// Runs the body one call deeper.
    func deeper<Result>(_ body: () throws(Signal) -> Result) throws(Signal) -> Result {
        try enter()
        defer { depth -= 1 }
        return try body()
    }

    /// Refuses to go deeper than the stack or the budget allows.
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
                ? exhausted("the expression is nested too deep") : Signal.stackTooSmall
        }
    }

    /// A number that no other label of this evaluation has.
    func newLabel() -> Int {
        lastLabel += 1
        return lastLabel
    }

    /// The compiled regular expression, from a few that were used before.
    func regularExpression(_ source: String, flags: String) throws(Signal) -> RegularExpression {
        let key = flags + "/" + source
        if let known = expressions[key] { return known }
        let compiled = try RegularExpression(source, flags: flags)
        if expressions.count >= 64 { expressions.removeAll() }
        expressions[key] = compiled
        return compiled
    }

    func exhausted(_ message: String) -> Signal { .exhausted(ExpressionError(message)) }

    /// Follows containers inside containers near both ends, which is how every loop that nests values nests them.
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
