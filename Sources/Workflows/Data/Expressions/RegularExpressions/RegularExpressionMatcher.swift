/// Matches a regular expression against one text.
struct RegularExpressionMatcher {
    /// What to restore, or to try next, when the current attempt fails.
    private enum Fallback {
        case branch(instruction: Int, position: Int)
        case save(slot: Int, position: Int)
        case register(Int, position: Int)
    }

    private let expression: RegularExpression
    private let text: [UInt32]
    private var saves: [Int]
    private var registers: [Int]
    private var fallbacks: [Fallback] = []
    private var searchStart = 0

    init(_ expression: RegularExpression, _ text: [UInt32]) {
        self.expression = expression
        self.text = text
        saves = Array(repeating: -1, count: expression.groupNames.count * 2 + 2)
        registers = Array(repeating: -1, count: expression.registerCount)
    }

    /// The first match that starts at or after the position.
    mutating func firstMatch(from start: Int, _ evaluation: Evaluation) throws(Signal) -> RegularExpression.Match? {
        searchStart = start
        var position = start
        while position <= text.count {
            if let first = expression.firstScalar {
                while position < text.count, text[position] != first { position += 1 }
                if position == text.count { return nil }
            }
            if let match = try match(at: position, evaluation) { return match }
            position += 1
        }
        return nil
    }

    private mutating func match(at start: Int, _ evaluation: Evaluation) throws(Signal) -> RegularExpression.Match? {
        for slot in saves.indices { saves[slot] = -1 }
        saves[0] = start
        fallbacks.removeAll(keepingCapacity: true)
        guard var end = try run(from: 0, at: start, bottom: 0, evaluation) else { return nil }
        var best = saves
        best[1] = end
        while expression.findsLongest, let other = try resume(bottom: 0, evaluation) {
            if other > end {
                end = other
                best = saves
                best[1] = end
            }
        }
        return best
    }

    /// Runs instructions until a match is complete.
    ///
    /// - Parameter bottom: how many fallbacks belong to outer runs.
    /// - Returns: the position after the match; nil if there is none.
    private mutating func run(
        from start: Int, at origin: Int, bottom: Int, _ evaluation: Evaluation
    ) throws(Signal) -> Int? {
        var instruction = start
        var position = origin
        var steps = 0
        while true {
            steps += 1
            if steps & 0xFF == 0 { try evaluation.step(16) }
            if fallbacks.count > 4_000_000 { throw evaluation.exhausted("a regular expression backtracks too much") }
            var isMatching = true
            switch expression.instructions[instruction] {
            case .scalar(let scalar): isMatching = position < text.count && text[position] == scalar
            case .folded(let scalar):
                isMatching = position < text.count && ScalarSet.lower(text[position]) == scalar
            case .set(let set): isMatching = position < text.count && set.contains(text[position])
            case .any(let includingNewline):
                isMatching = position < text.count && (includingNewline || text[position] != 10)
            case .split(let first, let second):
                fallbacks.append(.branch(instruction: second, position: position))
                instruction = first
                continue
            case .jump(let target):
                instruction = target
                continue
            case .save(let slot):
                fallbacks.append(.save(slot: slot, position: saves[slot]))
                saves[slot] = position
                instruction += 1
                continue
            case .roundStart(let register):
                fallbacks.append(.register(register, position: registers[register]))
                registers[register] = position
                instruction += 1
                continue
            case .roundEnd(let register):
                // An empty iteration would repeat forever: the loop's jump is skipped.
                instruction += registers[register] == position ? 2 : 1
                continue
            case .position(let kind):
                guard holds(kind, at: position) else {
                    isMatching = false
                    break
                }
                instruction += 1
                continue
            case .backreference(let groups, let ignoresCase):
                guard let length = length(ofRepeated: groups, at: position, ignoresCase) else {
                    isMatching = false
                    break
                }
                position += length
                instruction += 1
                continue
            case .look(let ahead, let isNegative, let end):
                let found = try look(ahead: ahead, instruction + 1, at: position, isNegative, evaluation)
                guard found != isNegative else {
                    isMatching = false
                    break
                }
                instruction = end
                continue
            case .atomic(let end):
                let height = fallbacks.count
                guard let behind = try run(from: instruction + 1, at: position, bottom: height, evaluation) else {
                    isMatching = false
                    break
                }
                dropBranches(above: height)
                position = behind
                instruction = end
                continue
            case .match: return position
            }
            if isMatching {
                position += 1
                instruction += 1
            } else if let next = fallBack(to: bottom) {
                (instruction, position) = next
            } else {
                return nil
            }
        }
    }

    /// Looks for another match from where a run ended with one.
    private mutating func resume(bottom: Int, _ evaluation: Evaluation) throws(Signal) -> Int? {
        guard let (instruction, position) = fallBack(to: bottom) else { return nil }
        return try run(from: instruction, at: position, bottom: bottom, evaluation)
    }

    private mutating func fallBack(to bottom: Int) -> (instruction: Int, position: Int)? {
        while fallbacks.count > bottom, let fallback = fallbacks.popLast() {
            switch fallback {
            case .branch(let instruction, let position): return (instruction, position)
            case .save(let slot, let position): saves[slot] = position
            case .register(let register, let position): registers[register] = position
            }
        }
        return nil
    }

    /// Discards alternatives, but keeps what must be restored if the whole attempt fails.
    private mutating func dropBranches(above height: Int) {
        var kept: [Fallback] = []
        for fallback in fallbacks[height...] {
            if case .branch = fallback { continue }
            kept.append(fallback)
        }
        fallbacks.replaceSubrange(height..., with: kept)
    }

    private mutating func look(
        ahead: Bool, _ instruction: Int, at position: Int, _ isNegative: Bool, _ evaluation: Evaluation
    ) throws(Signal) -> Bool {
        let height = fallbacks.count
        var isFound = false
        if ahead {
            isFound = try run(from: instruction, at: position, bottom: height, evaluation) != nil
        } else {
            var start = position
            while start >= 0, !isFound {
                try evaluation.step()
                var end = try run(from: instruction, at: start, bottom: height, evaluation)
                while let found = end, found != position { end = try resume(bottom: height, evaluation) }
                isFound = end != nil
                start -= 1
            }
        }
        if isFound, !isNegative {
            dropBranches(above: height)
        } else {
            while fallbacks.count > height { _ = fallBack(to: height) }
        }
        return isFound
    }

    private func length(ofRepeated groups: [Int], at position: Int, _ ignoresCase: Bool) -> Int? {
        for group in groups where saves[group * 2] >= 0 && saves[group * 2 + 1] >= saves[group * 2] {
            let repeated = text[saves[group * 2]..<saves[group * 2 + 1]]
            guard position + repeated.count <= text.count else { return nil }
            let found = text[position..<(position + repeated.count)]
            let isSame = found.elementsEqual(repeated) { left, right in
                left == right || ignoresCase && ScalarSet.lower(left) == ScalarSet.lower(right)
            }
            return isSame ? repeated.count : nil
        }
        return nil
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
        return ScalarSet.Property.word.contains(scalar)
    }
}
