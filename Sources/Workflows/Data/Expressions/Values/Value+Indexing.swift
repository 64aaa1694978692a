extension Value {
    func member(_ name: String, _ evaluation: Evaluation) throws(Signal) -> Value {
        switch self {
        case .object(let members): return members[name] ?? .null
        case .null: return .null
        case .marked(let marked): return try marked.member(name, evaluation)
        default: throw cannotIndex(with: .string(name))
        }
    }

    func element(_ key: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        switch (self, key) {
        case (.object, .string(let name)), (.null, .string(let name)): return try member(name, evaluation)
        case (.array(let elements), .integer(let position)):
            let place = position < 0 ? position + elements.count : position
            return elements.indices.contains(place) ? elements[place] : .null
        case (.array, .double(let position, _)):
            guard let place = Int(exactly: position.rounded(.towardZero)) else { return .null }
            return try element(.integer(place), evaluation)
        case (.null, .integer), (.null, .double), (.null, .null): return .null
        case (.null, .object(let slice)) where !slice.contains("start") || !slice.contains("end"): return .null
        case (.array, .object(let slice)), (.null, .object(let slice)), (.string, .object(let slice)):
            let bounds = try slice.bounds()
            return try self.slice(from: bounds.start, to: bounds.end, evaluation)
        case (.array(let elements), .array(let wanted)):
            return .array(try elements.places(of: wanted, evaluation))
        case (.array, .null): return .null
        case (.marked, _), (_, .marked): return try markedElement(key, evaluation)
        default: throw cannotIndex(with: key)
        }
    }

    func cannotIndex(with key: Value) -> Signal {
        if case .string = key { return .failure("Cannot index \(typeName) with string \"\(key.string ?? "")\"") }
        return .failure("Cannot index \(typeName) with \(key.typeName)")
    }

    func slice(from: Value, to: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        if from.isMarked || to.isMarked || isMarked { return try markedSlice(from: from, to: to, evaluation) }
        switch self {
        case .null:
            try Self.checkSliceBounds(from, to, of: self)
            return .null
        case .array(let elements):
            let range = try Self.sliceRange(from: from, to: to, count: elements.count, of: self)
            try evaluation.allocate(range.count * 24)
            try evaluation.step(range.count >> 4)
            return .array(Array(elements[range]))
        case .string(let string):
            try evaluation.step(string.utf8.count >> 6)
            return .string(try string.slice(from: from, to: to, of: self))
        default: throw .failure("Cannot index \(typeName) with object")
        }
    }

    private static func checkSliceBounds(_ from: Value, _ to: Value, of value: Value) throws(Signal) {
        for bound in [from, to] where !bound.isNull && bound.double == nil {
            let kind = value.string == nil ? "array" : "string"
            throw .failure("Start and end indices of an \(kind) slice must be numbers")
        }
    }

    static func sliceRange(from: Value, to: Value, count: Int, of value: Value) throws(Signal) -> Range<Int> {
        try checkSliceBounds(from, to, of: value)
        // Not-a-number means the start or the end, as null does.
        func place(_ bound: Value) -> Double? {
            guard let bound = bound.double, !bound.isNaN else { return nil }
            return min(max(bound < 0 ? bound + Double(count) : bound, 0), Double(count))
        }
        let start = place(from).map { Int($0.rounded(.down)) } ?? 0
        let end = place(to).map { Int($0.rounded(.up)) } ?? count
        return start..<max(start, end)
    }
}

extension Object {
    /// The bounds of a slice that is a path's key, such as `{"start": 1, "end": null}`.
    func bounds() throws(Signal) -> (start: Value, end: Value) {
        guard let start = self["start"], let end = self["end"] else {
            throw .failure("Start and end indices of a slice must be numbers or null, and both be there")
        }
        return (start, end)
    }
}

extension [Value] {
    func places(of wanted: [Value], _ evaluation: Evaluation) throws(Signal) -> [Value] {
        guard !wanted.isEmpty else { return [] }
        var places: [Value] = []
        var start = 0
        while start + wanted.count <= count {
            try evaluation.step()
            var isFound = true
            for (offset, element) in wanted.enumerated() where try !self[start + offset].equals(element, evaluation) {
                isFound = false
                break
            }
            if isFound { places.append(.integer(start)) }
            start += 1
        }
        return places
    }
}

extension String {
    /// As jq counts.
    var scalarCount: Int {
        var count = 0
        // Counts all bytes except UTF-8 continuation bytes.
        for byte in utf8 where byte & 0xC0 != 0x80 { count += 1 }
        return count
    }

    fileprivate func slice(from: Value, to: Value, of value: Value) throws(Signal) -> String {
        let range = try Value.sliceRange(from: from, to: to, count: scalarCount, of: value)
        let scalars = unicodeScalars
        let start = scalars.index(scalars.startIndex, offsetBy: range.lowerBound)
        let end = scalars.index(start, offsetBy: range.count)
        return String(scalars[start..<end])
    }
}
