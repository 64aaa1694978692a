extension SchemaEvaluation {
    mutating func checkKind(
        _ keyword: SchemaProgram.Keyword, _ value: Value, _ subschema: SchemaProgram.Subschema
    ) -> Bool {
        switch keyword {
        case .type(let types):
            if types.contains(where: { $0.contains(value.revealed) }) { return true }
            return refuse(subschema, "type", SchemaWords.mustBe(types, value), cause: .type(types))
        case .allowed(let values):
            let place = spending { budget throws(Signal) in try values.place(of: value.revealed, budget) }
            guard let place else { return false }
            if place != nil || isUnknown(value) { return true }
            let found = violations.count
            return refuse(
                subschema, "enum", SchemaWords.mustBeOne(of: values.values, value),
                hint: SchemaWords.hint(value, among: values.values, after: found), cause: .constant(values.values))
        case .const(let constant):
            if value.revealed == constant || isUnknown(value) { return true }
            return refuse(
                subschema, "const", SchemaWords.mustBeOne(of: [constant], value),
                hint: SchemaWords.hint(value, among: [constant], after: 0), cause: .constant([constant]))
        default: return true
        }
    }

    mutating func checkNumber(
        _ keyword: SchemaProgram.Keyword, _ value: Value, _ subschema: SchemaProgram.Subschema
    ) -> Bool {
        switch keyword {
        case .multipleOf(let divisor):
            if SchemaNumber.isMultiple(value.revealed, of: divisor) { return true }
            return refuse(
                subschema, "multipleOf", "must be a multiple of \(divisor.json()), but is \(value.json())")
        case .limit(let limit, let bound):
            let order = SchemaNumber.compare(value.revealed, bound)
            let (holds, words) =
                switch limit {
                case .minimum: (order >= 0, "at least")
                case .maximum: (order <= 0, "at most")
                case .exclusiveMinimum: (order > 0, "more than")
                case .exclusiveMaximum: (order < 0, "less than")
                }
            if holds { return true }
            return refuse(subschema, limit.rawValue, "must be \(words) \(bound.json()), but is \(value.json())")
        default: return true
        }
    }

    mutating func checkText(
        _ keyword: SchemaProgram.Keyword, _ text: String, shown: Value, _ subschema: SchemaProgram.Subschema
    ) -> Bool {
        switch keyword {
        case .length(let limit, let bound):
            let count = text.unicodeScalars.count
            let isMinimum = limit == .minimum
            if isMinimum ? count >= bound : count <= bound { return true }
            if isMinimum, count == 0 { return refuse(subschema, "minLength", "must not be empty") }
            return refuse(
                subschema, isMinimum ? "minLength" : "maxLength",
                SchemaWords.mustHave(limit, bound, "character", "characters", count))
        case .pattern(let pattern, let example):
            let subject = PatternSubject(text)
            let matches = spending { budget throws(Signal) in try pattern.matches(subject, budget) }
            guard let matches, !matches else { return matches == true }
            let words = example.map { "be written like \($0)" } ?? "match the pattern \(pattern.text)"
            return refuse(subschema, "pattern", "must \(words), but is \(SchemaWords.short(shown))")
        case .format(let format):
            if format.accepts(text) { return true }
            return refuse(subschema, "format", "must be \(format.words), but is \(SchemaWords.short(shown))")
        default: return true
        }
    }
}
