extension SchemaEvaluation {
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
            return checkAlternatives(indexes, value, isUnknown(value) ? "anyOf" : "oneOf", subschema, &evaluated)
        case .not(let index):
            var inner = Evaluated()
            if isUnknown(value) || !holds(index, value, &inner) { return true }
            return refuse(subschema, "not", "must not match the schema in 'not'")
        case .condition(let condition, let then, let otherwise):
            var inner = Evaluated()
            let branch: Index?
            if holds(condition, value, &inner) {
                // Other values of its unknowns may take the other branch.
                if isUnknown(value) { return checkEither(then, otherwise, value, &evaluated) }
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

    /// Whether one of two branches holds; a missing one does.
    private mutating func checkEither(
        _ then: Index?, _ otherwise: Index?, _ value: Value, _ evaluated: inout Evaluated
    ) -> Bool {
        guard let then, let otherwise else { return true }
        var inner = Evaluated()
        return holds(otherwise, value, &inner) || apply(then, to: value, &evaluated)
    }

    /// `anyOf` and `oneOf`: on failure, only the closest alternative's violations are reported.
    private mutating func checkAlternatives(
        _ indexes: [Index], _ value: Value, _ keyword: String, _ subschema: SchemaProgram.Subschema,
        _ evaluated: inout Evaluated
    ) -> Bool {
        let found = violations.count
        let wasSketching = isSketching
        isSketching = true
        var alternatives: [Findings] = []
        var matching: [Int] = []
        for (position, index) in indexes.enumerated() {
            var inner = Evaluated()
            let start = violations.count
            if apply(index, to: value, &inner) {
                matching.append(position)
                evaluated.merge(inner)
                // Unless evaluated members are tracked, one match decides `anyOf`, and two decide `oneOf`.
                if keyword == "anyOf" ? !isTracking : matching.count > 1 { break }
            }
            alternatives.append(violations[start...])
        }
        isSketching = wasSketching
        violations.removeSubrange(found...)
        if keyword == "anyOf" ? !matching.isEmpty : matching.count == 1 { return true }
        guard isRecording else { return false }
        guard matching.isEmpty else {
            let list = SchemaWords.list(matching.map { String($0 + 1) }, "and")
            return refuse(subschema, keyword, "must match exactly one alternative, but matches alternatives \(list)")
        }
        guard let best = explain(alternatives, value, keyword, subschema) else { return false }
        // All violations of the intended alternative; its sketch may have ended early.
        if isSketching {
            violations += alternatives[best]
        } else {
            var inner = Evaluated()
            _ = apply(indexes[best], to: value, &inner)
        }
        return false
    }

    /// Reports what all alternatives together require, or returns the intended one.
    private mutating func explain(
        _ alternatives: [Findings], _ value: Value, _ keyword: String, _ subschema: SchemaProgram.Subschema
    ) -> Int? {
        let level = level
        // An alternative for another type, or for another constant, is not the intended one.
        var meant = alternatives.indices.filter { !alternatives[$0].contains { $0.decides(at: level) } }
        guard !meant.isEmpty else {
            explainKinds(alternatives, value, keyword, subschema)
            return nil
        }
        // Nor is one with another constant in a property, such as `kind`.
        let fitting = meant.filter {
            !alternatives[$0].contains { $0.isConstant && $0.instance.tokens.count == level + 1 }
        }
        if !fitting.isEmpty { meant = fitting }
        // Of the rest, the intended one has the fewest violations at this level, then the fewest inside.
        func score(_ position: Int) -> (Int, Int) {
            (alternatives[position].count { $0.isAbout(level) }, alternatives[position].count)
        }
        guard let best = meant.min(by: { score($0) < score($1) }) else { return nil }
        let equals = meant.filter { score($0) == score(best) }
        var missing: [String] = []
        for violation in equals.flatMap({ alternatives[$0] }) where violation.instance.tokens.count == level {
            if case .missing(let name)? = violation.cause, !missing.contains(name) { missing.append(name) }
        }
        guard equals.count > 1, missing.count > 1 else { return best }
        let hint = equals.lazy.flatMap { alternatives[$0] }.compactMap(\.hint).first
        let words = SchemaWords.list(missing.map { "'\($0)'" }, "or")
        _ = refuse(subschema, keyword, "one of the properties \(words) is missing", hint: hint)
        return nil
    }

    /// Reports the types or constants of the alternatives if the value has none of them.
    private mutating func explainKinds(
        _ alternatives: [Findings], _ value: Value, _ keyword: String, _ subschema: SchemaProgram.Subschema
    ) {
        let level = level
        let deciding = alternatives.map { $0.first { $0.decides(at: level) } }
        var types: [SchemaType] = []
        var constants: [Value] = []
        for violation in deciding {
            switch violation?.cause {
            case .type(let more)?: types += more
            // More are never shown.
            case .constant(let more)?: constants += more.prefix(100).filter { !constants.contains($0) }
            default: break
            }
        }
        let typed = types.contains { $0.contains(value) }
        if constants.isEmpty || (!typed && !constants.contains { $0.typeName == value.typeName }) {
            _ = refuse(
                subschema, keyword, SchemaWords.mustBe(types + constants.compactMap(SchemaType.init(of:)), value),
                cause: .type(types))
        } else {
            let found = violations.count
            _ = refuse(
                subschema, keyword, SchemaWords.mustBeOne(of: constants, value),
                hint: SchemaWords.hint(value, among: constants, after: found), cause: .constant(constants))
        }
    }
}

extension JSONSchema.Violation {
    fileprivate var isConstant: Bool {
        if case .constant? = cause { true } else { false }
    }

    fileprivate func decides(at level: Int) -> Bool {
        guard instance.tokens.count == level, part == .value else { return false }
        return switch cause {
        case .type?, .constant?: true
        default: false
        }
    }

    /// Whether it concerns the value at this level, or its property names.
    fileprivate func isAbout(_ level: Int) -> Bool {
        instance.tokens.count == level || (part == .key && instance.tokens.count == level + 1)
    }
}
