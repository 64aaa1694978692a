extension Builtin {
    static let collections: [String: Builtin] = [
        "add/0": .native(sum),
        "sort/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            guard case .array(let elements) = input else {
                throw .failure("\(input.named) cannot be sorted, as it is not an array")
            }
            return try GroupingNode.apply(.sort, elements.map { ($0, $0) }, evaluation)
        },
        "sort_by/1": .node { GroupingNode(.sort, by: $0[0]) },
        "group_by/1": .node { GroupingNode(.group, by: $0[0]) },
        "unique/0": .node { _ in GroupingNode(.unique, by: IdentityNode()) },
        "unique_by/1": .node { GroupingNode(.unique, by: $0[0]) },
        "min/0": .node { _ in GroupingNode(.minimum, by: IdentityNode()) },
        "min_by/1": .node { GroupingNode(.minimum, by: $0[0]) },
        "max/0": .node { _ in GroupingNode(.maximum, by: IdentityNode()) },
        "max_by/1": .node { GroupingNode(.maximum, by: $0[0]) },
        "reverse/0": .native(reverse),
        "flatten/0": .native { (evaluation: Evaluation, input: Value, _: [Value]) throws(Signal) in
            try flatten(input, depth: .infinity, evaluation)
        },
        "flatten/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard let depth = arguments[0].double else { throw .failure("flatten depth must be a number") }
            guard depth >= 0 else { throw .failure("flatten depth must not be negative") }
            return try flatten(input, depth: depth, evaluation)
        },
        "transpose/0": .native(transpose),
        "contains/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard input.hasSameKind(as: arguments[0]) else {
                throw .failure("\(input.named) and \(arguments[0].named) cannot have their containment checked")
            }
            return .bool(try contains(input, arguments[0], evaluation))
        },
        "indices/1": .native(indices),
        "_indices/1": .native(indices),
        "index/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try indices(evaluation, input, arguments).element(.integer(0), evaluation)
        },
        "rindex/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            try indices(evaluation, input, arguments).slice(from: .integer(-1), to: .null, evaluation)
                .element(.integer(0), evaluation)
        },
        "bsearch/1": .native(search),
        "getpath/1": .node { GetPathNode($0[0]) },
        "path/1": .node { PathNode($0[0]) },
        "setpath/2": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            let keys = try GetPathNode.keys(arguments[0], evaluation)
            try evaluation.nested(input, arguments[1], at: keys.count)
            var result = input
            try result.update(keys[...], evaluation) { (element: inout Value) throws(Signal) in
                element = arguments[1]
            }
            return result
        },
        "delpaths/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .array(let paths) = arguments[0] else {
                throw .failure("Paths must be specified as an array")
            }
            for path in paths { _ = try GetPathNode.keys(path, evaluation) }
            return try input.removing(paths, evaluation)
        },
    ]

    private static func sum(_ evaluation: Evaluation, _ input: Value, _: [Value]) throws(Signal) -> Value {
        let elements: [Value]
        switch input {
        case .array(let array): elements = array
        case .object(let members): elements = members.values
        default: throw .failure("Cannot iterate over \(input.named)")
        }
        var sum = Value.null
        for element in elements {
            try evaluation.step()
            try sum.add(element, evaluation)
        }
        return sum
    }

    private static func reverse(_ evaluation: Evaluation, _ input: Value, _: [Value]) throws(Signal) -> Value {
        guard case .array(let elements) = input else { return try withoutElements(input, .array([])) }
        try evaluation.step(elements.count >> 4)
        try evaluation.built(input, count: elements.count)
        return .array(elements.reversed())
    }

    /// For array functions on other values: as in jq, any value of length 0 counts as an empty array.
    private static func withoutElements(_ input: Value, _ result: Value) throws(Signal) -> Value {
        switch input {
        case .bool: throw .failure("\(input.named) has no length")
        case .null, .string(""), .integer(0): return result
        case .object(let members) where members.isEmpty: return result
        default: throw input.cannotIndex(with: 0)
        }
    }

    private static func flatten(_ input: Value, depth: Double, _ evaluation: Evaluation) throws(Signal) -> Value {
        var result: [Value] = []
        func append(_ elements: [Value], _ depth: Double) throws(Signal) {
            for element in elements {
                try evaluation.step()
                if case .array(let inner) = element, depth != 0 {
                    try evaluation.deeper { () throws(Signal) in try append(inner, depth - 1) }
                } else if depth != 0, element.isMarked, element.mayBeArray {
                    throw .undecided
                } else {
                    result.append(element)
                }
            }
        }
        switch input {
        case .array(let elements): try append(elements, depth)
        case .object(let members): try append(members.values, depth)
        default: throw .failure("Cannot iterate over \(input.named)")
        }
        try evaluation.built(.array(result), count: result.count)
        return .array(result)
    }

    private static func transpose(_ evaluation: Evaluation, _ input: Value, _: [Value]) throws(Signal) -> Value {
        guard case .array(let rows) = input else { throw .failure("Cannot iterate over \(input.named)") }
        var width = 0
        for row in rows {
            switch row {
            case .array(let elements): width = max(width, elements.count)
            case .null: break
            case .marked where row.unknown != nil: throw .undecided
            default: width = max(width, try withoutElements(row, 0).integer ?? 0)
            }
        }
        if width > 0, let odd = rows.first(where: { $0.array == nil && !$0.isNull }) { throw odd.cannotIndex(with: 0) }
        try evaluation.step(width * rows.count)
        try evaluation.allocate(width * (64 + rows.count * 24))
        return .array((0..<width).map { column in .array(rows.map { $0[column] ?? .null }) })
    }

    static func contains(_ value: Value, _ part: Value, _ evaluation: Evaluation) throws(Signal) -> Bool {
        switch (value, part) {
        case (.object(let members), .object(let wanted)):
            return try evaluation.deeper { () throws(Signal) in
                for (name, inner) in wanted {
                    try evaluation.step()
                    guard let member = members[name], member.hasSameKind(as: inner),
                        try contains(member, inner, evaluation)
                    else { return false }
                }
                return true
            }
        case (.array(let elements), .array(let wanted)):
            return try evaluation.deeper { () throws(Signal) in
                for inner in wanted {
                    var isFound = false
                    for element in elements where element.hasSameKind(as: inner) {
                        try evaluation.step()
                        isFound = try contains(element, inner, evaluation)
                        if isFound { break }
                    }
                    if !isFound { return false }
                }
                return true
            }
        case (.string(let text), .string(let wanted)):
            try evaluation.step(text.utf8.count >> 6)
            return wanted.isEmpty || !Array(text.utf8).places(of: Array(wanted.utf8), overlapping: true).isEmpty
        default: return try value.equals(part, evaluation)
        }
    }

    private static func indices(
        _ evaluation: Evaluation, _ input: Value, _ arguments: [Value]
    ) throws(Signal) -> Value {
        switch (input, arguments[0]) {
        case (.string(let text), .string(let wanted)):
            try evaluation.step(1 + text.utf8.count >> 5)
            return .array(text.scalarPlaces(of: wanted))
        case (.array(let elements), .array(let wanted)): return .array(try elements.places(of: wanted, evaluation))
        case (.array(let elements), let wanted):
            var places: [Value] = []
            for (position, element) in elements.enumerated() {
                try evaluation.step()
                if try element.equals(wanted, evaluation) { places.append(.integer(position)) }
            }
            return .array(places)
        default: return try input.element(arguments[0], evaluation)
        }
    }

    private static func search(
        _ evaluation: Evaluation, _ input: Value, _ arguments: [Value]
    ) throws(Signal) -> Value {
        guard case .array(let elements) = input else { throw .failure("\(input.named) cannot be searched from") }
        var low = 0
        var high = elements.count - 1
        while low <= high {
            let middle = (low + high) / 2
            let order = try elements[middle].compared(to: arguments[0], evaluation)
            if order == 0 { return .integer(middle) }
            if order < 0 { low = middle + 1 } else { high = middle - 1 }
        }
        return .integer(-1 - low)
    }
}

extension String {
    /// The offsets of the other text in code points, including overlapping occurrences.
    fileprivate func scalarPlaces(of wanted: String) -> [Value] {
        let bytes = Array(utf8)
        var scalars = 0
        var last = 0
        return bytes.places(of: Array(wanted.utf8), overlapping: true).map { place in
            for byte in bytes[last..<place] where byte & 0xC0 != 0x80 { scalars += 1 }
            last = place
            return .integer(scalars)
        }
    }
}
