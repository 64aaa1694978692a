extension SchemaEvaluation {
    mutating func checkArray(
        _ keyword: SchemaProgram.Keyword, _ array: [Value], _ subschema: SchemaProgram.Subschema,
        _ evaluated: inout Evaluated
    ) -> Bool {
        switch keyword {
        case .itemCount(let limit, let bound):
            let isMinimum = limit == .minimum
            if isMinimum ? array.count >= bound : array.count <= bound { return true }
            return refuse(
                subschema, isMinimum ? "minItems" : "maxItems",
                SchemaWords.mustHave(limit, bound, "element", "elements", array.count))
        case .uniqueItems:
            var seen = ValueIndex()
            for (position, element) in array.enumerated() {
                guard let other = spending({ budget throws(Signal) in try seen.add(element.revealed, budget) }) else {
                    return false
                }
                guard let other else { continue }
                return refuse(
                    subschema, "uniqueItems", "must differ from element \(other), because no two may be equal",
                    member: String(position))
            }
            return true
        case .items(let prefix, let rest):
            return checkItems(array, prefix, rest, subschema, &evaluated)
        case .contains(let index, let minimum, let maximum):
            return checkContains(array, index, minimum, maximum, subschema, &evaluated)
        default: return true
        }
    }

    private mutating func checkItems(
        _ array: [Value], _ prefix: [Index], _ rest: Index?, _ subschema: SchemaProgram.Subschema,
        _ evaluated: inout Evaluated
    ) -> Bool {
        var holds = true
        for position in array.indices {
            guard let index = position < prefix.count ? prefix[position] : rest else { break }
            if program.subschemas[index].isNever, position >= prefix.count {
                return refuse(
                    subschema, "items", SchemaWords.mustHave(.maximum, prefix.count, "element", "elements", array.count)
                )
            }
            if descend(index, to: array[position], at: String(position)) { continue }
            holds = false
            guard isRecording else { return false }
        }
        if rest != nil { evaluated.allItems = true }
        evaluated.itemCount = max(evaluated.itemCount, min(prefix.count, array.count))
        return holds
    }

    private mutating func checkContains(
        _ array: [Value], _ index: Index, _ minimum: Int, _ maximum: Int?, _ subschema: SchemaProgram.Subschema,
        _ evaluated: inout Evaluated
    ) -> Bool {
        var count = 0
        for (position, element) in array.enumerated() {
            var inner = Evaluated()
            guard holds(index, element, &inner, isInside: true) else { continue }
            count += 1
            if isTracking { evaluated.items.insert(position) }
        }
        if count < minimum {
            let wanted = minimum == 1 ? "an element" : "at least \(minimum) elements"
            return refuse(
                subschema, "contains",
                "must have \(wanted) of the required form" + (count > 0 ? ", but has \(count)" : ""))
        }
        if let maximum, count > maximum, !array.contains(where: isUnknown) {
            return refuse(
                subschema, "maxContains", "must have at most \(maximum) elements of that form, but has \(count)")
        }
        return true
    }
}
