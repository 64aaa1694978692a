/// `sub(pattern; replacement; flags)` and `gsub`.
///
/// With several replacements, the first ones of all matches make the first output, the second ones the second, and so
/// on.
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
        _ pattern: Value, _ flags: Value, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> [Value] {
        guard case .string(let text) = input else {
            throw .failure("\(input.named) cannot be matched, as it is not a string")
        }
        let allFlags = try Builtin.flags(flags) + (isGlobal ? "g" : "")
        let expression = try Builtin.expression(pattern, .string(allFlags), evaluation)
        let subject = PatternSubject(text)
        let matches = try expression.matches(in: subject.scalars, evaluation)
        if matches.isEmpty { return [input] }
        var results: [Value] = []
        var start = 0
        for match in matches {
            try evaluation.step()
            let gap = Value.string(subject.text(start, max(start, match[0])))
            let captures = subject.captures(of: match, expression)
            var position = 0
            try replacement.all(evaluation, captures, frame) { (insert: Value) throws(Signal) in
                if position == results.count { results.append("") }
                try results[position].add(gap, evaluation)
                try results[position].add(try Self.checked(insert, after: gap), evaluation)
                position += 1
            }
            start = match[1]
        }
        let rest = Value.string(subject.text(start, subject.scalars.count))
        for position in results.indices { try results[position].add(rest, evaluation) }
        return results.isEmpty ? [input] : results
    }

    private static func checked(_ insert: Value, after gap: Value) throws(Signal) -> Value {
        switch insert {
        case .string, .null: return insert
        default: throw .failure("\(gap.named) and \(insert.named) cannot be added")
        }
    }
}
