extension Value {
    /// Removes the places at these paths, which are all resolved first.
    func removing(_ paths: [Value], _ evaluation: Evaluation) throws(Signal) -> Value {
        var entries: [(key: Value, value: Value)] = []
        for path in paths {
            guard case .array(let keys) = path else { throw .failure("Path must be specified as an array") }
            if keys.isEmpty { return .null }
            entries.append((path, path))
        }
        let sorted = try Value.sorted(entries, evaluation).compactMap(\.value.array)
        var result = self
        try result.remove(sorted[...], from: 0, evaluation)
        return result
    }

    /// Removes the places at sorted paths, starting with their key at this position.
    private mutating func remove(
        _ paths: ArraySlice<[Value]>, from start: Int, _ evaluation: Evaluation
    ) throws(Signal) {
        var removed: [Value] = []
        var rest = paths
        while let last = rest.last {
            let key = last[start]
            var first = rest.endIndex - 1
            while first > rest.startIndex, try rest[first - 1][start].equals(key, evaluation) { first -= 1 }
            let group = rest[first...]
            rest = rest[..<first]
            // The shortest path comes first; paths inside a removed value need no work.
            if group[first].count == start + 1 {
                removed.append(key)
            } else if !isNull, try !element(key, evaluation).isNull {
                try evaluation.deeper { () throws(Signal) in
                    try updateElement(key.revealed, evaluation) { (element: inout Value) throws(Signal) in
                        try element.remove(group, from: start + 1, evaluation)
                    }
                }
            }
        }
        if !removed.isEmpty { try remove(keys: removed, evaluation) }
    }

    private mutating func remove(keys: [Value], _ evaluation: Evaluation) throws(Signal) {
        switch self {
        case .null: return
        case .object(let members):
            var names: Set<String> = []
            for key in keys {
                guard case .string(let name) = key.revealed else {
                    if key.isMarked { throw .undecided }
                    throw .failure("Cannot delete \(key.typeName) field of object")
                }
                names.insert(name)
            }
            try evaluation.step(1 + members.count >> 4)
            if names.contains(where: members.contains) { self = .object(members.filter { !names.contains($0.key) }) }
        case .array(let elements):
            var goes = [Bool](repeating: false, count: elements.count)
            for key in keys {
                for place in try Self.places(of: key, count: elements.count, of: self) { goes[place] = true }
            }
            try evaluation.step(1 + elements.count >> 4)
            if goes.contains(true) { self = .array(zip(elements, goes).filter { !$0.1 }.map(\.0)) }
        case .marked where unknown != nil: throw .undecided
        default: throw .failure("Cannot delete fields from \(typeName)")
        }
    }

    /// The indices in an array that a path's key selects.
    private static func places(of key: Value, count: Int, of value: Value) throws(Signal) -> Range<Int> {
        switch key.revealed {
        case .marked: throw .undecided
        case .integer, .double:
            let number = key.double ?? 0
            guard let position = Int(exactly: number.rounded(.towardZero)) else { return 0..<0 }
            // As in jq, which counts from the end even between -1 and 0.
            let place = number < 0 ? position + count : position
            return (0..<count).contains(place) ? place..<(place + 1) : 0..<0
        case .object(let slice):
            let bounds = try slice.bounds()
            return try sliceRange(from: bounds.start, to: bounds.end, count: count, of: value)
        default: throw .failure("Cannot delete \(key.typeName) element of array")
        }
    }
}
