struct RegularExpressionMatcher {
    /// What to restore or try next when the current attempt fails.
    private enum Fallback {
        case branch(instruction: Int, position: Int)
        case save(slot: Int, position: Int)
        case register(Int, position: Int)
        /// Both branches of a split failed.
        case failure(bit: Int)
    }

    /// The memory for failures in 64-bit words, 32 MB; a larger search remembers none.
    private static let mostFailures = 4 << 20
    private static let mostFallbacks = 4_000_000

    private let expression: RegularExpression
    private let text: [UInt32]
    private let budget: any StepBudget
    private var saves: [Int]
    private var registers: [Int]
    private var fallbacks: [Fallback] = []
    /// A bit for each row and position; empty until a search takes long.
    private var failures: [UInt64] = []
    private var searchStart = 0
    private var steps = 0
    /// The number of steps from which failures are remembered.
    private var patience: Int
    private let patienceOfSearch: Int

    /// - Parameter patience: The number of steps from which failures are remembered; nil for the default.
    init(_ expression: RegularExpression, _ text: [UInt32], _ budget: any StepBudget, patience: Int? = nil) {
        self.expression = expression
        self.text = text
        self.budget = budget
        saves = Array(repeating: -1, count: expression.groupNames.count * 2 + 2)
        registers = Array(repeating: -1, count: expression.registerCount)
        // More than most searches take.
        patienceOfSearch = patience ?? 1_000 + text.count * 4
        self.patience = patienceOfSearch
    }

    mutating func firstMatch(from start: Int) throws(Signal) -> RegularExpression.Match? {
        searchStart = start
        for slot in saves.indices { saves[slot] = -1 }
        fallbacks.removeAll(keepingCapacity: true)
        if expression.forgetsFailures {
            failures = []
            patience = steps + patienceOfSearch
        }
        try rememberFailures()
        var position = start
        while position <= text.count {
            if let first = expression.firstScalar {
                while position < text.count, text[position] != first { position += 1 }
                if position == text.count { return nil }
            }
            if let match = try match(at: position) { return match }
            position += 1
        }
        return nil
    }

    private mutating func match(at start: Int) throws(Signal) -> RegularExpression.Match? {
        saves[0] = start
        guard var end = try run(from: 0, at: start, bottom: 0, isBackward: false) else { return nil }
        var best = saves
        best[1] = end
        while expression.findsLongest, let (instruction, position) = fallBack(to: 0),
            let other = try run(from: instruction, at: position, bottom: 0, isBackward: false)
        {
            if other > end {
                end = other
                best = saves
                best[1] = end
            }
        }
        return best
    }

    private mutating func step() throws(Signal) {
        steps += 1
        guard steps & 0xFF == 0 else { return }
        try budget.step(16)
        try rememberFailures()
    }

    private mutating func rememberFailures() throws(Signal) {
        guard steps >= patience, failures.isEmpty, expression.failureRows > 0 else { return }
        let words = (expression.failureRows * (text.count + 1)) >> 6 + 1
        guard words <= Self.mostFailures else { return }
        try budget.step(words >> 6)
        failures = Array(repeating: 0, count: words)
    }

    /// Runs instructions until a match is complete.
    ///
    /// - Parameter bottom: The number of fallbacks that belong to outer runs.
    /// - Returns: The position at the other end of the match; nil if there is none.
    private mutating func run(
        from start: Int, at origin: Int, bottom: Int, isBackward: Bool
    ) throws(Signal) -> Int? {
        var instruction = start
        var position = origin
        while true {
            try step()
            if fallbacks.count > Self.mostFallbacks {
                throw .exhausted(ExpressionError("a regular expression backtracks too much"))
            }
            let place = isBackward ? position - 1 : position
            var isMatching = place >= 0 && place < text.count
            switch expression.instructions[instruction] {
            case .scalar(let scalar): isMatching = isMatching && text[place] == scalar
            case .folded(let scalar): isMatching = isMatching && CaseFolding.folded(text[place]) == scalar
            case .set(let set): isMatching = isMatching && set.contains(text[place])
            case .any(let includingNewline): isMatching = isMatching && (includingNewline || text[place] != 10)
            case .split(let first, let second, let split):
                guard failures.isEmpty || remember(split, at: position) else {
                    isMatching = false
                    break
                }
                fallbacks.append(.branch(instruction: second, position: position))
                instruction = first
                continue
            case .jump(let target):
                instruction = target
                continue
            case .save(let slot):
                save(slot, position)
                instruction += 1
                continue
            case .clear(let slot):
                save(slot, -1)
                instruction += 1
                continue
            case .roundStart(let register):
                fallbacks.append(.register(register, position: registers[register]))
                registers[register] = position
                instruction += 1
                continue
            case .roundEnd(let register):
                let isEmpty = registers[register] == position
                if isEmpty, expression.dialect == .ecmaScript {
                    isMatching = false
                    break
                }
                // An empty iteration would repeat forever, so the loop's jump is skipped.
                instruction += isEmpty ? 2 : 1
                continue
            case .position(let kind):
                guard holds(kind, at: position) else {
                    isMatching = false
                    break
                }
                instruction += 1
                continue
            case .backreference(let groups, let ignoresCase):
                guard let length = try length(ofRepeated: groups, at: position, ignoresCase, isBackward) else {
                    isMatching = false
                    break
                }
                position += isBackward ? -length : length
                instruction += 1
                continue
            case .look(let ahead, let isNegative, let end):
                let isFound = try look(ahead: ahead, instruction + 1, at: position, isNegative)
                guard isFound != isNegative else {
                    isMatching = false
                    break
                }
                instruction = end
                continue
            case .atomic(let end):
                let height = fallbacks.count
                let inside = instruction + 1
                guard let next = try run(from: inside, at: position, bottom: height, isBackward: isBackward) else {
                    isMatching = false
                    break
                }
                dropBranches(above: height)
                position = next
                instruction = end
                continue
            case .match: return position
            }
            if isMatching {
                position += isBackward ? -1 : 1
                instruction += 1
            } else if let next = fallBack(to: bottom) {
                (instruction, position) = next
            } else {
                return nil
            }
        }
    }

    private mutating func save(_ slot: Int, _ position: Int) {
        fallbacks.append(.save(slot: slot, position: saves[slot]))
        saves[slot] = position
    }

    /// Prepares to remember that a split failed; false if it already did.
    private mutating func remember(_ split: RegularExpression.Failures, at position: Int) -> Bool {
        var row = split.row
        for round in split.rounds.reversed() {
            guard registers[round] == position else { break }
            row += 1
        }
        let bit = row * (text.count + 1) + position
        if failures[bit >> 6] & (1 << UInt64(bit & 63)) != 0 { return false }
        fallbacks.append(.failure(bit: bit))
        return true
    }

    private mutating func fallBack(to bottom: Int) -> (instruction: Int, position: Int)? {
        while fallbacks.count > bottom, let fallback = fallbacks.popLast() {
            switch fallback {
            case .branch(let instruction, let position): return (instruction, position)
            case .failure(let bit): failures[bit >> 6] |= 1 << UInt64(bit & 63)
            case .save, .register: restore(fallback)
            }
        }
        return nil
    }

    private mutating func restore(_ fallback: Fallback) {
        switch fallback {
        case .save(let slot, let position): saves[slot] = position
        case .register(let register, let position): registers[register] = position
        case .branch, .failure: break
        }
    }

    /// Discards alternatives, but keeps what must be restored if the whole attempt fails.
    private mutating func dropBranches(above height: Int) {
        var kept: [Fallback] = []
        for fallback in fallbacks[height...] {
            switch fallback {
            case .branch, .failure: continue
            case .save, .register: kept.append(fallback)
            }
        }
        fallbacks.replaceSubrange(height..., with: kept)
    }

    private mutating func look(
        ahead: Bool, _ instruction: Int, at position: Int, _ isNegative: Bool
    ) throws(Signal) -> Bool {
        let height = fallbacks.count
        guard try run(from: instruction, at: position, bottom: height, isBackward: !ahead) != nil else { return false }
        if isNegative {
            while fallbacks.count > height, let fallback = fallbacks.popLast() { restore(fallback) }
        } else {
            dropBranches(above: height)
        }
        return true
    }

    private func length(
        ofRepeated groups: [Int], at position: Int, _ ignoresCase: Bool, _ isBackward: Bool
    ) throws(Signal) -> Int? {
        for group in groups where saves[group * 2] >= 0 && saves[group * 2 + 1] >= saves[group * 2] {
            let repeated = text[saves[group * 2]..<saves[group * 2 + 1]]
            let start = isBackward ? position - repeated.count : position
            guard start >= 0, start + repeated.count <= text.count else { return nil }
            try budget.step(repeated.count >> 6)
            let found = text[start..<(start + repeated.count)]
            let isSame = found.elementsEqual(repeated) { left, right in
                left == right || ignoresCase && CaseFolding.folded(left) == CaseFolding.folded(right)
            }
            return isSame ? repeated.count : nil
        }
        // In ECMA-262, a reference to a group that did not participate matches nothing.
        return expression.dialect == .ecmaScript ? 0 : nil
    }

    private func holds(_ kind: RegularExpression.Position, at position: Int) -> Bool {
        switch kind {
        case .textStart: position == 0
        case .textEnd: position == text.count
        case .textEndBeforeNewline:
            position == text.count || position == text.count - 1 && text[position] == 10
        case .lineStart: position == 0 || text[position - 1] == 10 && position < text.count
        case .lineEnd: position == text.count || text[position] == 10
        case .wordBoundary: isWord(position - 1) != isWord(position)
        case .noWordBoundary: isWord(position - 1) == isWord(position)
        case .searchStart: position == searchStart
        }
    }

    private func isWord(_ position: Int) -> Bool {
        guard text.indices.contains(position), let scalar = Unicode.Scalar(text[position]) else { return false }
        return (expression.dialect == .oniguruma || scalar.isASCII) && ScalarSet.Property.word.contains(scalar)
    }
}
