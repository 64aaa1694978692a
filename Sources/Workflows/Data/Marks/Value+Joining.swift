extension Value {
    /// Whether a condition with this result holds; nil if it is only known at run time.
    package var decidedTruth: Bool? {
        switch self {
        case .null, .bool(false): return false
        case .bool(true), .integer, .double, .string, .array, .object: return true
        case .marked(let marked):
            guard case .unknown(let unknown) = marked.content else { return true }
            switch unknown.shape {
            case .any, .boolean: return nil
            case .text, .number, .object, .array: return true
            }
        }
    }

    /// Data that is either value: their common parts, and unknowns for the rest.
    ///
    /// Arrays of different lengths give an unknown array, whose element is the join of all elements. Objects with
    /// different names give an unknown object with the common members.
    /// - Parameters:
    ///   - other: The alternative.
    ///   - path: The path of both.
    ///   - name: The new unknown for a path, with its shape and both alternatives. Null in a path means every element
    ///     of an array of unknown length.
    package func joined(
        with other: Value, at path: [Value] = [],
        name: (_ path: [Value], _ shape: Unknown.Shape, _ alternatives: [Value]) -> Unknown
    ) -> Value {
        switch (self, other) {
        case (.array(let mine), .array(let theirs)) where mine.count == theirs.count:
            return .array(
                zip(mine, theirs).enumerated().map { position, pair in
                    pair.0.joined(with: pair.1, at: path + [.integer(position)], name: name)
                })
        case (.object(let mine), .object(let theirs)) where mine.keys == theirs.keys:
            return .object(
                Object(
                    mine.map { key, value in
                        (key, value.joined(with: theirs[key] ?? .null, at: path + [.string(key)], name: name))
                    }))
        case (.array, _), (.object, _): break
        default: if isSameScalar(as: other) { return self }
        }
        return .unknown(name(path, shape(joinedWith: other, at: path, name: name), [self, other]))
    }

    static func joined(
        _ values: [Value], at path: [Value], name: ([Value], Unknown.Shape, [Value]) -> Unknown
    ) -> Value? {
        guard let first = values.first else { return nil }
        return values.dropFirst().reduce(first) { $0.joined(with: $1, at: path, name: name) }
    }

    /// Compares JSON text as well: `0` is not `-0`.
    private func isSameScalar(as other: Value) -> Bool {
        if let one = double, let another = other.double { return one == another && one.sign == another.sign }
        return self == other
    }

    private func shape(
        joinedWith other: Value, at path: [Value], name: ([Value], Unknown.Shape, [Value]) -> Unknown
    ) -> Unknown.Shape {
        switch (shape, other.shape) {
        case (.text, .text): return .text
        case (.number, .number): return .number
        case (.boolean, .boolean): return .boolean
        case (.object(let mine), .object(let theirs)):
            var common = Object()
            for (key, value) in mine {
                guard let another = theirs[key] else { continue }
                common[key] = value.joined(with: another, at: path + [.string(key)], name: name)
            }
            return .object(common)
        case (.array, .array):
            let elements = self.elements + other.elements
            return .array(Value.joined(elements, at: path + [.null], name: name) ?? .null)
        default: return .any
        }
    }

    var elements: [Value] {
        if case .array(let element)? = unknown?.shape { return [element] }
        return array ?? []
    }

    /// The value's kind as a shape; for a known array, without its elements.
    package var shape: Unknown.Shape {
        switch self {
        case .null: return .any
        case .bool: return .boolean
        case .integer, .double: return .number
        case .string: return .text
        case .object(let members): return .object(members)
        case .array: return .array(.null)
        case .marked(let marked):
            switch marked.content {
            case .unknown(let unknown): return unknown.shape
            case .secret(let secret): return secret.value.shape
            case .text: return .text
            }
        }
    }
}
