extension SchemaEvaluation {
    mutating func checkObject(
        _ keyword: SchemaProgram.Keyword, _ object: Object, _ subschema: SchemaProgram.Subschema,
        _ evaluated: inout Evaluated
    ) -> Bool {
        switch keyword {
        case .propertyCount(let limit, let bound):
            let isMinimum = limit == .minimum
            if isMinimum ? object.count >= bound : object.count <= bound { return true }
            return refuse(
                subschema, isMinimum ? "minProperties" : "maxProperties",
                SchemaWords.mustHave(limit, bound, "property", "properties", object.count))
        case .required(let names): return checkRequired(names, object, subschema)
        case .dependentRequired(let dependencies):
            var holds = true
            for (name, needed) in dependencies where object.contains(name) {
                for missing in needed where !object.contains(missing) {
                    holds = refuse(
                        subschema, "dependentRequired", "the property '\(missing)' is missing, but '\(name)' needs it")
                }
            }
            return holds
        case .dependentSchemas(let schemas):
            var holds = true
            for member in object {
                guard let index = schemas[member.key] else { continue }
                holds = apply(index, to: .object(object), &evaluated) && holds
                guard holds || isRecording else { return false }
            }
            return holds
        case .members(let members): return checkMembers(members, object, subschema, &evaluated)
        case .propertyNames(let index): return checkNames(index, object, subschema)
        default: return true
        }
    }

    private mutating func checkRequired(
        _ names: [String], _ object: Object, _ subschema: SchemaProgram.Subschema
    ) -> Bool {
        var holds = true
        for name in names where !object.contains(name) {
            guard isRecording else { return false }
            let known = names + self.names(of: subschema)
            let unknown = object.lazy.prefix(100).map(\.key).filter { !known.contains($0) }
            let hint = Diagnostic.nearest(to: name, among: unknown).map { "did you mean '\(name)' instead of '\($0)'?" }
            holds = refuse(
                subschema, "required", "the property '\(name)' is missing", hint: hint, cause: .missing(name))
        }
        return holds
    }

    private func names(of subschema: SchemaProgram.Subschema) -> [String] {
        subschema.keywords.flatMap { keyword -> [String] in
            if case .members(let members) = keyword { Array(members.named.keys) } else { [] }
        }
    }

    private mutating func checkMembers(
        _ members: SchemaProgram.Members, _ object: Object, _ subschema: SchemaProgram.Subschema,
        _ evaluated: inout Evaluated
    ) -> Bool {
        var holds = true
        for (name, value) in object {
            var isKnown = false
            if let index = members.named[name] {
                isKnown = true
                holds = descend(index, to: value, at: name) && holds
            }
            let subject = members.patterns.isEmpty ? nil : PatternSubject(name)
            for (pattern, index) in members.patterns {
                guard let subject,
                    let matches = spending({ budget throws(Signal) in try pattern.matches(subject, budget) })
                else { return false }
                guard matches else { continue }
                isKnown = true
                holds = descend(index, to: value, at: name) && holds
            }
            if !isKnown, let additional = members.additional {
                isKnown = true
                if program.subschemas[additional].isNever {
                    holds = refuseName(name, "additionalProperties", object, members.named.keys, subschema)
                } else {
                    holds = descend(additional, to: value, at: name) && holds
                }
            }
            guard holds || isRecording else { return false }
            if isKnown, isTracking { evaluated.names.insert(name) }
        }
        return holds
    }

    private mutating func refuseName(
        _ name: String, _ keyword: String, _ object: Object, _ known: some Sequence<String>,
        _ subschema: SchemaProgram.Subschema
    ) -> Bool {
        guard isRecording else { return false }
        let missing = known.filter { !object.contains($0) }.sorted()
        var hint = Diagnostic.didYouMean(name, among: missing)
        if hint == nil, !missing.isEmpty, missing.count <= 8 {
            hint = "allowed here: \(SchemaWords.list(missing.map { "'\($0)'" }, "and"))"
        }
        return refuse(subschema, keyword, "the property '\(name)' is not known", hint: hint, member: name, part: .key)
    }

    private mutating func checkNames(_ index: Index, _ object: Object, _ subschema: SchemaProgram.Subschema) -> Bool {
        var holds = true
        for name in object.keys {
            var evaluated = Evaluated()
            if !isRecording {
                guard self.holds(index, .string(name), &evaluated, isInside: true) else { return false }
                continue
            }
            let found = violations.count
            if descend(index, to: .string(name), at: name) { continue }
            holds = false
            // The messages about the name are worded as if it were a value.
            violations.replaceSubrange(
                found...,
                with: violations[found...].map {
                    JSONSchema.Violation(
                        instance: $0.instance, part: .key, schema: $0.schema,
                        message: "the name '\(name)' \($0.message)",
                        hint: $0.hint, cause: nil)
                })
        }
        return holds
    }

    /// Checks the members and elements that no keyword of the subschema has evaluated.
    mutating func checkUnevaluated(
        _ subschema: SchemaProgram.Subschema, _ value: Value, _ evaluated: inout Evaluated
    ) -> Bool {
        var holds = true
        if let index = subschema.unevaluatedProperties, case .object(let object) = value, !evaluated.allNames {
            for (name, value) in object where !evaluated.names.contains(name) {
                if program.subschemas[index].isNever {
                    holds = refuseName(name, "unevaluatedProperties", object, names(of: subschema), subschema)
                } else {
                    holds = descend(index, to: value, at: name) && holds
                }
                guard holds || isRecording else { return false }
            }
            evaluated.allNames = true
        }
        if let index = subschema.unevaluatedItems, case .array(let array) = value, !evaluated.allItems {
            for position in array.indices.dropFirst(evaluated.itemCount) where !evaluated.items.contains(position) {
                if program.subschemas[index].isNever {
                    holds = refuse(
                        subschema, "unevaluatedItems", "this element is not expected here", member: String(position))
                } else {
                    holds = descend(index, to: array[position], at: String(position)) && holds
                }
                guard holds || isRecording else { return false }
            }
            evaluated.allItems = true
        }
        return holds
    }
}
