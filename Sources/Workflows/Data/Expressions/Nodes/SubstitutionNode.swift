/// `sub` and `gsub`; with several replacements, output n uses the nth replacement of every match.
final class SubstitutionNode: ComputingNode {
    private let pattern: any Node
    private let replacement: any Node
    private let flags: any Node
    private let isGlobal: Bool

    init(_ pattern: any Node, _ replacement: any Node, flags: any Node, isGlobal: Bool) {
        self.pattern = pattern
        self.replacement = replacement
        self.flags = flags
        self.isGlobal = isGlobal
    }

    var isSingle: Bool { pattern.isSingle && replacement.isSingle && flags.isSingle }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        let pattern = try pattern.one(evaluation, input, frame)
        let flags = try flags.one(evaluation, input, frame)
        return try substitute(pattern, flags, evaluation, input, frame).first ?? input
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try pattern.all(evaluation, input, frame) { (pattern: Value) throws(Signal) in
            try flags.all(evaluation, input, frame) { (flags: Value) throws(Signal) in
                for result in try substitute(pattern, flags, evaluation, input, frame) { try emit(result) }
            }
        }
    }

    private func substitute(
        _ pattern: Value, _ flags: Value, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?,
        secrets: [String] = []
    ) throws(Signal) -> [Value] {
        if evaluation.marks, secrets.isEmpty, let results = try marked(pattern, flags, evaluation, input, frame) {
            return results
        }
        guard case .string(let text) = input else {
            throw .failure("\(input.named) cannot be matched, as it is not a string")
        }
        let allFlags = try Builtin.flags(flags) + (isGlobal ? "g" : "")
        let expression = try Builtin.expression(pattern, .string(allFlags), evaluation)
        let subject = PatternSubject(text)
        let matches = try expression.matches(in: subject.scalars, evaluation)
        if matches.isEmpty { return [input.concealed(of: secrets)] }
        var results: [Value] = []
        var start = 0
        for match in matches {
            try evaluation.step()
            let gap = Value.string(subject.text(start, max(start, match[0]))).concealed(of: secrets)
            let captures = subject.captures(of: match, expression).concealed(of: secrets)
            var position = 0
            try evaluation.counted { () throws(Signal) in
                try replacement.all(evaluation, captures, frame) { (insert: Value) throws(Signal) in
                    if position == results.count { results.append("") }
                    try results[position].add(gap, evaluation)
                    try results[position].add(try Self.checked(insert, after: gap), evaluation)
                    position += 1
                }
            }
            start = match[1]
        }
        let rest = Value.string(subject.text(start, subject.scalars.count)).concealed(of: secrets)
        for position in results.indices { try results[position].add(rest, evaluation) }
        return results.isEmpty ? [input.concealed(of: secrets)] : results
    }

    private func marked(
        _ pattern: Value, _ flags: Value, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> [Value]? {
        let subjects: Value = [input, pattern, flags]
        guard subjects.holdsMark else { return nil }
        if let unknown = subjects.unknowns.first, subjects.holdsUnknown {
            let text = try evaluation.plan(for: unknown).pending(.text)
            // Several replacements would give several results.
            guard replacement.isSingle else { throw .undecided }
            return [text]
        }
        let names = subjects.secretNames
        do throws(Signal) {
            return try substitute(
                pattern.revealed, flags.revealed, evaluation, input.revealed, frame, secrets: names)
        } catch .error(let error) where error.value == nil {
            throw .error(
                ExpressionError(
                    "sub cannot be used with \(input.named)", value: error.caught.concealed(of: names)))
        } catch {
            throw error
        }
    }

    private static func checked(_ insert: Value, after gap: Value) throws(Signal) -> Value {
        switch insert {
        case .string, .null: return insert
        case .marked where insert.textParts != nil: return insert
        case .marked where insert.unknown != nil: throw .undecided
        default: throw .failure("\(gap.named) and \(insert.named) cannot be added")
        }
    }
}
