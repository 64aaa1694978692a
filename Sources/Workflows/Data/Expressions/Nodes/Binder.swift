/// Binds the variables of `as`: destructures a value by one pattern or, if that fails, by the next.
final class Binder: Sendable {
    indirect enum Pattern: Sendable {
        case variable(slot: Int)
        case array([Pattern])
        case object([(key: any Node, slot: Int?, pattern: Pattern?)])
    }

    private let patterns: [Pattern]
    private let count: Int
    private let isPlain: Bool

    init(_ patterns: [Pattern], count: Int) {
        self.patterns = patterns
        self.count = count
        if patterns.count == 1, case .variable = patterns[0] { isPlain = true } else { isPlain = false }
    }

    var isSingle: Bool { isPlain }

    func plainFrame(_ value: Value, _ frame: Frame?) -> Frame { Frame(parent: frame, value: value) }

    func bind(
        _ value: Value, _ evaluation: Evaluation, _ frame: Frame?, _ body: (Frame?) throws(Signal) -> Void
    ) throws(Signal) {
        if isPlain { return try body(Frame(parent: frame, value: value)) }
        for (position, pattern) in patterns.enumerated() {
            do throws(Signal) {
                func bindFirst() throws(Signal) {
                    var slots = [Value](repeating: .null, count: count)
                    try fill(&slots, pattern, value, evaluation, frame) { (slots: inout [Value]) throws(Signal) in
                        try body(Self.frames(slots, frame))
                    }
                }
                if let planning = evaluation.planning, position < patterns.count - 1 {
                    try planning.attempted(bindFirst)
                } else {
                    try bindFirst()
                }
                return
            } catch {
                guard case .error = error, position < patterns.count - 1 else { throw error }
            }
        }
    }

    private static func frames(_ slots: [Value], _ frame: Frame?) -> Frame? {
        slots.reduce(frame) { Frame(parent: $0, value: $1) }
    }

    private func fill(
        _ slots: inout [Value], _ pattern: Pattern, _ value: Value, _ evaluation: Evaluation, _ frame: Frame?,
        _ next: (inout [Value]) throws(Signal) -> Void
    ) throws(Signal) {
        switch pattern {
        case .variable(let slot):
            slots[slot] = value
            try next(&slots)
        case .array(let elements):
            try fill(&slots, elements[...], at: 0, value, evaluation, frame, next)
        case .object(let members):
            try fill(&slots, members[...], value, evaluation, frame, next)
        }
    }

    private func fill(
        _ slots: inout [Value], _ elements: ArraySlice<Pattern>, at position: Int, _ value: Value,
        _ evaluation: Evaluation, _ frame: Frame?, _ next: (inout [Value]) throws(Signal) -> Void
    ) throws(Signal) {
        guard let first = elements.first else { return try next(&slots) }
        let element = try value.element(.integer(position), evaluation)
        try fill(&slots, first, element, evaluation, frame) { (slots: inout [Value]) throws(Signal) in
            try fill(&slots, elements.dropFirst(), at: position + 1, value, evaluation, frame, next)
        }
    }

    private func fill(
        _ slots: inout [Value], _ members: ArraySlice<(key: any Node, slot: Int?, pattern: Pattern?)>,
        _ value: Value, _ evaluation: Evaluation, _ frame: Frame?, _ next: (inout [Value]) throws(Signal) -> Void
    ) throws(Signal) {
        guard let first = members.first else { return try next(&slots) }
        // A key may be computed from earlier variables.
        let known = slots
        try first.key.all(evaluation, value, Self.frames(known, frame)) { (key: Value) throws(Signal) in
            guard key.revealed.string != nil || key.holdsUnknown else { throw value.cannotIndex(with: key) }
            let member = try value.element(key, evaluation)
            if let slot = first.slot { slots[slot] = member }
            guard let pattern = first.pattern else {
                return try fill(&slots, members.dropFirst(), value, evaluation, frame, next)
            }
            try fill(&slots, pattern, member, evaluation, frame) { (slots: inout [Value]) throws(Signal) in
                try fill(&slots, members.dropFirst(), value, evaluation, frame, next)
            }
        }
    }
}
