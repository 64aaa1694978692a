/// Compiles the syntax tree of a regular expression into instructions.
struct RegularExpressionCompiler {
    private static let mostInstructions = 100_000

    private let groupNames: [String?]
    private(set) var instructions: [RegularExpression.Instruction] = []
    private(set) var registerCount = 0

    init(groupNames: [String?]) { self.groupNames = groupNames }

    mutating func add(_ instruction: RegularExpression.Instruction) { instructions.append(instruction) }

    /// The code point that every match starts with, if the instructions show it.
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
        if instructions.count > Self.mostInstructions { throw .failure("the regular expression is too large") }
        switch tree {
        case .empty: break
        case .scalar(let scalar, let ignoresCase):
            add(ignoresCase ? .folded(ScalarSet.lower(scalar)) : .scalar(scalar))
        case .set(let set): add(.set(set))
        case .any(let includingNewline): add(.any(includingNewline: includingNewline))
        case .position(let position): add(.position(position))
        case .sequence(let parts): for part in parts { try compile(part) }
        case .alternatives(let parts): try alternatives(parts)
        case .group(let number, let body):
            add(.save(number * 2))
            try compile(body)
            add(.save(number * 2 + 1))
        case .look(let ahead, let isNegative, let body):
            try enclosed(body) { .look(ahead: ahead, isNegative: isNegative, end: $0) }
        case .atomic(let body): try enclosed(body) { .atomic(end: $0) }
        case .loop(let body, let minimum, let maximum, .possessive):
            try enclosed(.loop(body, minimum: minimum, maximum: maximum, kind: .greedy)) { .atomic(end: $0) }
        case .loop(let body, let minimum, let maximum, let kind):
            try loop(body, minimum, maximum, isGreedy: kind == .greedy)
        case .backreference(let numbers, let ignoresCase):
            guard numbers.allSatisfy({ $0 <= groupNames.count && $0 > 0 }) else {
                throw .failure("the regular expression refers to a group that it does not have")
            }
            add(.backreference(numbers, ignoresCase: ignoresCase))
        case .namedBackreference(let name, let ignoresCase):
            let numbers = groupNames.indices.filter { groupNames[$0] == name }.map { $0 + 1 }
            if numbers.isEmpty { throw .failure("the regular expression refers to an undefined name <\(name)>") }
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
            add(.match)
            try compile(part)
            jumps.append(instructions.count)
            add(.match)
            instructions[split] = .split(split + 1, instructions.count)
        }
        if let last = parts.last { try compile(last) }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    private mutating func loop(
        _ body: RegularExpressionParser.Tree, _ minimum: Int, _ maximum: Int?, isGreedy: Bool
    ) throws(Signal) {
        for _ in 0..<minimum { try compile(body) }
        guard let maximum else {
            let register = registerCount
            registerCount += 1
            let split = instructions.count
            add(.match)
            add(.roundStart(register))
            try compile(body)
            add(.roundEnd(register))
            add(.jump(split))
            instructions[split] = Self.split(split + 1, instructions.count, isGreedy)
            return
        }
        var splits: [Int] = []
        for _ in minimum..<max(minimum, maximum) {
            splits.append(instructions.count)
            add(.match)
            try compile(body)
        }
        for split in splits { instructions[split] = Self.split(split + 1, instructions.count, isGreedy) }
    }

    private static func split(_ inside: Int, _ behind: Int, _ isGreedy: Bool) -> RegularExpression.Instruction {
        isGreedy ? .split(inside, behind) : .split(behind, inside)
    }
}
