extension SchemaEvaluation {
    /// What one alternative found wrong.
    private typealias Findings = ArraySlice<JSONSchema.Violation>

    mutating func checkLogic(
        _ keyword: SchemaProgram.Keyword, _ value: Value, _ subschema: SchemaProgram.Subschema,
        _ evaluated: inout Evaluated
    ) -> Bool {
        switch keyword {
        case .all(let indexes):
            var holds = true
            for index in indexes {
                holds = apply(index, to: value, &evaluated) && holds
                guard holds || isRecording else { return false }
            }
            return holds
        case .any(let indexes):
            return checkAlternatives(indexes, value, "anyOf", subschema, &evaluated)
        case .one(let indexes):
            return checkAlternatives(indexes, value, "oneOf", subschema, &evaluated)
        case .not(let index):
            var inner = Evaluated()
            if !holds(index, value, &inner) { return true }
            return refuse(subschema, "not", "must not be of the form that its schema excludes")
        case .condition(let condition, let then, let otherwise):
            var inner = Evaluated()
            let branch: Index?
            if holds(condition, value, &inner) {
                evaluated.merge(inner)
                branch = then
            } else {
                branch = otherwise
            }
            guard let branch else { return true }
            return apply(branch, to: value, &evaluated)
        default: return true
        }
    }

    /// `anyOf` and `oneOf`: on failure only what the nearest alternative misses is said.
    private mutating func checkAlternatives(
        _ indexes: [Index], _ value: Value, _ keyword: String, _ subschema: SchemaProgram.Subschema,
        _ evaluated: inout Evaluated
    ) -> Bool {
        let found = violations.count
        var ends: [Int] = []
        var matching: [Int] = []
        for (position, index) in indexes.enumerated() {
            var inner = Evaluated()
            if apply(index, to: value, &inner) {
                matching.append(position)
                evaluated.merge(inner)
                // Without anybody who asks what was evaluated, one match decides `anyOf`, and two decide `oneOf`.
                if keyword == "anyOf" ? !program.tracksEvaluated : matching.count > 1 { break }
            }
            ends.append(violations.count)
        }
        if keyword == "anyOf" ? !matching.isEmpty : matching.count == 1 {
            violations.removeSubrange(found...)
            return true
        }
        guard isRecording else { return false }
        guard matching.isEmpty else {
            violations.removeSubrange(found...)
            let list = SchemaWords.list(matching.map { String($0 + 1) }, "and")
            return refuse(subschema, keyword, "must be of one form only, but is of the forms \(list)")
        }
        var start = found
        let alternatives = ends.map { end in
            defer { start = end }
            return violations[start..<end]
        }
        explain(alternatives, value, keyword, subschema, found)
        return false
    }

    /// Replaces what all alternatives found by what helps most.
    private mutating func explain(
        _ alternatives: [Findings], _ value: Value, _ keyword: String, _ subschema: SchemaProgram.Subschema,
        _ found: Int
    ) {
        let level = level
        // An alternative for another type, or for another constant, is not what the author meant.
        var meant = alternatives.filter { !$0.contains { $0.decides(at: level) } }
        guard !meant.isEmpty else {
            return explainKinds(alternatives, value, keyword, subschema, found)
        }
        // Nor is one for another constant in a property, such as a kind.
        let fitting = meant.filter { !$0.contains { $0.isConstant && $0.instance.tokens.count == level + 1 } }
        if !fitting.isEmpty { meant = fitting }
        // Of the others that one is meant which fits here, and misses least further inside.
        func score(_ findings: Findings) -> (Int, Int) {
            (findings.count { $0.isAbout(level) }, findings.count)
        }
        let best = meant.min { score($0) < score($1) } ?? []
        let equals = meant.filter { score($0) == score(best) }
        var missing: [String] = []
        for findings in equals {
            for case .missing(let name)? in findings.filter({ $0.instance.tokens.count == level }).map(\.cause)
            where !missing.contains(name) {
                missing.append(name)
            }
        }
        guard equals.count > 1, missing.count > 1 else {
            return violations.replaceSubrange(found..., with: Array(best))
        }
        let hint = equals.lazy.joined().compactMap(\.hint).first
        violations.removeSubrange(found...)
        let words = SchemaWords.list(missing.map { "'\($0)'" }, "or")
        _ = refuse(subschema, keyword, "one of the properties \(words) is missing", hint: hint)
    }

    /// Says which types or constants the alternatives want, where the value is of none of them.
    private mutating func explainKinds(
        _ alternatives: [Findings], _ value: Value, _ keyword: String, _ subschema: SchemaProgram.Subschema,
        _ found: Int
    ) {
        let level = level
        let deciding = alternatives.map { $0.first { $0.decides(at: level) } }
        violations.removeSubrange(found...)
        var types: [SchemaType] = []
        var constants: [Value] = []
        for violation in deciding {
            switch violation?.cause {
            case .type(let more)?: types += more
            case .constant(let more)?: constants += more.filter { !constants.contains($0) }
            default: break
            }
        }
        let typed = types.contains { $0.contains(value) }
        if constants.isEmpty || (!typed && !constants.contains { $0.typeName == value.typeName }) {
            _ = refuse(
                subschema, keyword, SchemaWords.mustBe(types + constants.compactMap(SchemaType.init(of:)), value),
                cause: .type(types))
        } else {
            _ = refuse(
                subschema, keyword, SchemaWords.mustBeOne(of: constants, value),
                hint: SchemaWords.hint(value, among: constants), cause: .constant(constants))
        }
    }
}

extension JSONSchema.Violation {
    fileprivate var isConstant: Bool {
        if case .constant? = cause { true } else { false }
    }

    /// Whether it says that a value at that level is of another kind altogether.
    fileprivate func decides(at level: Int) -> Bool {
        guard instance.tokens.count == level, part == .value else { return false }
        return switch cause {
        case .type?, .constant?: true
        default: false
        }
    }

    /// Whether it is about a value at that level, or the names of its properties.
    fileprivate func isAbout(_ level: Int) -> Bool {
        instance.tokens.count == level || (part == .key && instance.tokens.count == level + 1)
    }
}
