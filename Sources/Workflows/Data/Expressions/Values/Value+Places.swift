extension Value {
    /// The largest array that an assignment past the end creates, padded with nulls.
    private static let largestFilling = 536_870_911

    func descendant(at path: [Value], _ evaluation: Evaluation) throws(Signal) -> Value {
        var value = self
        for key in path {
            if value.isNull { return .null }
            value = try value.element(key, evaluation)
        }
        return value
    }

    /// Changes the value at the path in place, creating missing objects and arrays.
    mutating func update(
        _ path: ArraySlice<Value>, _ evaluation: Evaluation, _ body: (inout Value) throws(Signal) -> Void
    ) throws(Signal) {
        guard let key = path.first else { return try body(&self) }
        let rest = path.dropFirst()
        if rest.isEmpty {
            try updateElement(key, evaluation, body)
        } else {
            try evaluation.deeper { () throws(Signal) in
                try updateElement(key, evaluation) { (element: inout Value) throws(Signal) in
                    try element.update(rest, evaluation, body)
                }
            }
        }
    }

    mutating func updateElement(
        _ key: Value, _ evaluation: Evaluation, _ body: (inout Value) throws(Signal) -> Void
    ) throws(Signal) {
        try evaluation.step()
        // Members and elements are changed in place unless they are shared. Matching the value and the key together
        // would add a second reference.
        if case .string(let name) = key, case .object(var members) = self {
            self = .null
            defer { self = .object(members) }
            if !members.contains(name) { try evaluation.allocate(64 + name.utf8.count) }
            return try members.update(name, body)
        }
        if case .integer(let position) = key, case .array(var elements) = self {
            self = .null
            defer { self = .array(elements) }
            return try Self.update(&elements, at: position, evaluation, body)
        }
        switch (self, key) {
        case (.null, .string(let name)):
            var element = Value.null
            try body(&element)
            self = .object([name: element])
            try evaluation.built(self, count: 1)
        case (.array, .double(let double, _)):
            guard let position = Int(exactly: double.rounded(.towardZero)) else {
                throw .failure("Cannot set an element at \(double.isNaN ? "NaN" : Value.jsonNumber(double))")
            }
            try updateElement(.integer(position), evaluation, body)
        case (.null, .integer), (.null, .double):
            self = .array([])
            try updateElement(key, evaluation, body)
            try evaluation.built(self, count: 1)
        case (.array(let elements), .object(let slice)):
            try update(slice: slice, of: elements, evaluation, body)
        case (.null, .object(let slice)): try update(slice: slice, of: nil, evaluation, body)
        case (.marked, _), (_, .marked): try updateMarked(key, evaluation, body)
        default: throw cannotIndex(with: key)
        }
    }

    private mutating func updateMarked(
        _ key: Value, _ evaluation: Evaluation, _ body: (inout Value) throws(Signal) -> Void
    ) throws(Signal) {
        if let unknown = unknown ?? key.unknown ?? key.unknowns.first {
            _ = try evaluation.plan(for: unknown)
            throw .undecided
        }
        guard !isMarked else { throw cannotIndex(with: key.drawn()) }
        if key.revealed.string != nil, mayBeObject || isNull { throw .secretName }
        try updateElement(key.revealed, evaluation, body)
    }

    private static func update(
        _ elements: inout [Value], at position: Int, _ evaluation: Evaluation,
        _ body: (inout Value) throws(Signal) -> Void
    ) throws(Signal) {
        let place = position < 0 ? position + elements.count : position
        if place < 0 { throw .failure("Out of bounds negative array index") }
        if place >= elements.count {
            if place > largestFilling { throw .failure("Array index too large") }
            let missing = place + 1 - elements.count
            try evaluation.allocate(missing * 24)
            try evaluation.step(missing >> 6)
            elements.append(contentsOf: repeatElement(.null, count: missing))
        }
        try body(&elements[place])
    }

    private mutating func update(
        slice: Object, of elements: [Value]?, _ evaluation: Evaluation, _ body: (inout Value) throws(Signal) -> Void
    ) throws(Signal) {
        let bounds = try slice.bounds()
        let range = try Self.sliceRange(from: bounds.start, to: bounds.end, count: elements?.count ?? 0, of: self)
        var part = elements.map { Value.array(Array($0[range])) } ?? .null
        try body(&part)
        guard case .array(let replacement) = part else {
            if part.unknown != nil { throw .undecided }
            throw .failure("A slice of an array can only be assigned another array")
        }
        var result = elements ?? []
        try evaluation.step((result.count + replacement.count) >> 4)
        try evaluation.allocate((result.count + replacement.count) * 24)
        result.replaceSubrange(range, with: replacement)
        self = .array(result)
    }
}
