struct RegularExpressionCompiler {
    private static let mostInstructions = 200_000

    private let groupNames: [String?]
    /// Whether a group counts only in its own iteration, as in ECMA-262.
    private let clearsGroups: Bool
    private(set) var instructions: [RegularExpression.Instruction] = []
    private(set) var registerCount = 0
    private(set) var failureRows = 0
    /// The registers of the iterations around the current position; lookaround has its own.
    private var rounds = 0..<0
    /// Whether matching runs from end to start, as in lookbehind.
    private var isBackward = false
    private var compiled = 0

    init(_ parser: RegularExpressionParser) {
        groupNames = parser.groupNames
        clearsGroups = parser.dialect == .ecmaScript && parser.hasBackreferences
    }

    mutating func add(_ instruction: RegularExpression.Instruction) { instructions.append(instruction) }

    var firstScalar: UInt32? {
        for instruction in instructions {
            switch instruction {
            case .save: continue
            case .scalar(let scalar): return scalar
            default: return nil
            }
        }
        return nil
    }

    mutating func compile(_ tree: RegularExpressionParser.Tree) throws(Signal) {
        compiled += 1
        // Repetitions of nothing add no instructions.
        if max(instructions.count, compiled / 4) > Self.mostInstructions {
            throw .failure("the regular expression is too large")
        }
        switch tree {
        case .empty: break
        case .scalar(let scalar, let ignoresCase):
            add(ignoresCase ? .folded(CaseFolding.folded(scalar)) : .scalar(scalar))
        case .set(let set): add(.set(set))
        case .any(let includingNewline): add(.any(includingNewline: includingNewline))
        case .position(let position): add(.position(position))
        case .sequence(let parts): for part in isBackward ? parts.reversed() : parts { try compile(part) }
        case .alternatives(let parts): try alternatives(parts)
        case .group(let number, let body):
            add(.save(number * 2 + (isBackward ? 1 : 0)))
            try compile(body)
            add(.save(number * 2 + (isBackward ? 0 : 1)))
        case .look(let ahead, let isNegative, let body):
            let outside = (rounds, isBackward)
            (rounds, isBackward) = (rounds.upperBound..<rounds.upperBound, !ahead)
            try enclosed(body) { .look(ahead: ahead, isNegative: isNegative, end: $0) }
            (rounds, isBackward) = outside
        case .atomic(let body): try enclosed(body) { .atomic(end: $0) }
        case .loop(let body, let minimum, let maximum, .possessive, let groups):
            let greedy = RegularExpressionParser.Tree.loop(
                body, minimum: minimum, maximum: maximum, kind: .greedy, groups: groups)
            try enclosed(greedy) { .atomic(end: $0) }
        case .loop(let body, let minimum, let maximum, let kind, let groups):
            try loop(body, minimum, maximum, isGreedy: kind == .greedy, groups)
        case .backreference(let numbers, let ignoresCase):
            add(.backreference(numbers, ignoresCase: ignoresCase))
        case .namedBackreference(let name, let ignoresCase):
            let numbers = groupNames.indices.filter { groupNames[$0] == name }.map { $0 + 1 }
            add(.backreference(numbers.reversed(), ignoresCase: ignoresCase))
        case .keep: add(.save(0))
        }
    }

    private mutating func enclosed(
        _ body: RegularExpressionParser.Tree, _ instruction: (Int) -> RegularExpression.Instruction
    ) throws(Signal) {
        let start = instructions.count
        add(.match)
        try compile(body)
        add(.match)
        instructions[start] = instruction(instructions.count)
    }

    private mutating func alternatives(_ parts: [RegularExpressionParser.Tree]) throws(Signal) {
        var jumps: [Int] = []
        for part in parts.dropLast() {
            let split = instructions.count
            let failures = newFailures()
            add(.match)
            try compile(part)
            jumps.append(instructions.count)
            add(.match)
            instructions[split] = .split(split + 1, instructions.count, failures)
        }
        if let last = parts.last { try compile(last) }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    private mutating func loop(
        _ body: RegularExpressionParser.Tree, _ minimum: Int, _ maximum: Int?, isGreedy: Bool, _ groups: Range<Int>
    ) throws(Signal) {
        for _ in 0..<minimum { try iteration(body, groups, endsIfEmpty: false) }
        guard let maximum else {
            let split = instructions.count
            let failures = newFailures()
            add(.match)
            try iteration(body, groups, endsIfEmpty: body.canBeEmpty)
            add(.jump(split))
            instructions[split] = Self.split(split + 1, instructions.count, isGreedy, failures)
            return
        }
        var splits: [(Int, RegularExpression.Failures)] = []
        for _ in minimum..<max(minimum, maximum) {
            splits.append((instructions.count, newFailures()))
            add(.match)
            // ECMA-262 has no empty iterations, which matters only with backreferences.
            try iteration(body, groups, endsIfEmpty: clearsGroups && body.canBeEmpty)
        }
        for (split, failures) in splits {
            instructions[split] = Self.split(split + 1, instructions.count, isGreedy, failures)
        }
    }

    private mutating func iteration(
        _ body: RegularExpressionParser.Tree, _ groups: Range<Int>, endsIfEmpty: Bool
    ) throws(Signal) {
        let outside = rounds
        let register = rounds.upperBound
        if endsIfEmpty {
            add(.roundStart(register))
            rounds = rounds.lowerBound..<(register + 1)
            registerCount = max(registerCount, register + 1)
        }
        if clearsGroups { for slot in groups.lowerBound * 2..<groups.upperBound * 2 { add(.clear(slot)) } }
        try compile(body)
        if endsIfEmpty { add(.roundEnd(register)) }
        rounds = outside
    }

    private mutating func newFailures() -> RegularExpression.Failures {
        let row = failureRows
        failureRows += rounds.count + 1
        return RegularExpression.Failures(row: row, rounds: rounds)
    }

    private static func split(
        _ inside: Int, _ after: Int, _ isGreedy: Bool, _ failures: RegularExpression.Failures
    ) -> RegularExpression.Instruction {
        isGreedy ? .split(inside, after, failures) : .split(after, inside, failures)
    }
}

extension RegularExpressionParser.Tree {
    /// Whether it can match without advancing in the text.
    fileprivate var canBeEmpty: Bool {
        switch self {
        case .scalar, .set, .any: false
        case .empty, .position, .look, .backreference, .namedBackreference, .keep: true
        case .sequence(let parts): parts.allSatisfy(\.canBeEmpty)
        case .alternatives(let parts): parts.contains(where: \.canBeEmpty)
        case .group(_, let body), .atomic(let body): body.canBeEmpty
        case .loop(let body, let minimum, _, _, _): minimum == 0 || body.canBeEmpty
        }
    }
}
