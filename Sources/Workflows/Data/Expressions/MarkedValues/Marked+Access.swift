extension Marked {
    @inline(never)
    func member(_ name: String, _ evaluation: Evaluation) throws(Signal) -> Value {
        guard case .unknown(let unknown) = content else { throw Value.marked(self).cannotIndex(with: .string(name)) }
        let planning = try evaluation.plan(for: unknown)
        switch unknown.shape {
        case .object(let members): return members[name] ?? planning.member(name, of: unknown, fails: false)
        case .any: return planning.member(name, of: unknown)
        case .text, .number, .boolean, .array: throw Value.marked(self).cannotIndex(with: .string(name))
        }
    }

    /// Emits any number of elements.
    /// - Parameter isOptional: Whether a value without elements is accepted.
    @inline(never)
    func eachElement(
        _ evaluation: Evaluation, isOptional: Bool = false, _ emit: Emit<Value>
    ) throws(Signal) {
        guard case .unknown(let unknown) = content else {
            throw .failure("Cannot iterate over \(Value.marked(self).named)")
        }
        let planning = try evaluation.plan(for: unknown)
        switch unknown.shape {
        case .array(let element):
            try planning.openly { () throws(Signal) in
                try evaluation.step()
                try emit(planning.fresh(element))
            }
        case .object, .any:
            try planning.openly { () throws(Signal) in
                try emit(planning.pending(fails: unknown.shape == .any && !isOptional))
            }
        case .text, .number, .boolean: throw .failure("Cannot iterate over \(Value.marked(self).named)")
        }
    }
}

extension Value {
    var isMarked: Bool { if case .marked = self { true } else { false } }

    var mayBeContainer: Bool {
        switch self {
        case .array, .object: true
        case .null, .bool, .integer, .double, .string: false
        case .marked(let marked): marked.mayBeContainer
        }
    }

    @inline(never)
    func markedElement(_ key: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        if key.isMarked, !key.holdsUnknown {
            do throws(Signal) {
                return try element(key.revealed, evaluation)
            } catch .error(let error) {
                let message = "Cannot index \(typeName) with \(key.named)"
                throw .error(ExpressionError(message, value: error.caught.concealed(of: key.secretNames)))
            } catch {
                throw error
            }
        }
        if case .object(let slice) = key, !mayBeUnknownObject {
            return try self.slice(from: slice["start"] ?? .null, to: slice["end"] ?? .null, evaluation)
        }
        guard let unknown = key.unknown ?? self.unknown ?? key.unknowns.first ?? unknowns.first else {
            throw cannotIndex(with: key)
        }
        let planning = try evaluation.plan(for: unknown)
        switch (shape, key) {
        case (.object, .string(let name)): return try member(name, evaluation)
        case (.object, .marked): return planning.pending()
        case (.array, .array): return planning.pending(.array(planning.pending(.number)))
        case (.array, .integer), (.array, .double), (.array, .null): return planning.pending(fails: false)
        case (.any, _), (.array, .marked), (.text, .marked): return planning.pending()
        default: throw cannotIndex(with: key)
        }
    }

    @inline(never)
    func markedSlice(from: Value, to: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        let from = from.holdsUnknown ? from : from.revealed
        let to = to.holdsUnknown ? to : to.revealed
        guard let unknown = textUnknown ?? from.unknowns.first ?? to.unknowns.first else {
            guard let parts = textParts else {
                if isMarked { throw .failure("Cannot index \(typeName) with object") }
                return try slice(from: from, to: to, evaluation)
            }
            return try Self.slice(parts, from: from, to: to)
        }
        let planning = try evaluation.plan(for: unknown)
        switch self {
        // A bound may have an invalid type.
        case .null:
            planning.risks += 1
            return .null
        case .array(let elements):
            planning.risks += 1
            return planning.array(of: elements)
        default: break
        }
        switch shape {
        case .text: return planning.pending(.text)
        case .array(let element): return planning.pending(.array(element))
        case .any: return planning.pending()
        case .number, .boolean, .object: throw .failure("Cannot index \(typeName) with object")
        }
    }

    var mayBeObject: Bool {
        switch shape {
        case .object: true
        case .any: isMarked
        case .text, .number, .boolean, .array: false
        }
    }

    var mayBeArray: Bool {
        switch shape {
        case .array: true
        case .any: isMarked
        case .text, .number, .boolean, .object: false
        }
    }

    private var mayBeUnknownObject: Bool {
        if case .object = shape { true } else { false }
    }

    private var textUnknown: Unknown? {
        guard case .marked(let marked) = self else { return nil }
        for case .unknown(let unknown) in marked.parts { return unknown }
        return nil
    }

    private static func slice(_ parts: [TextPart], from: Value, to: Value) throws(Signal) -> Value {
        let texts = parts.map { part in
            switch part {
            case .plain(let text): text
            case .secret(let secret): secret.value.string ?? ""
            case .unknown: ""
            }
        }
        let range = try sliceRange(from: from, to: to, count: texts.reduce(0) { $0 + $1.scalarCount }, of: "")
        var start = 0
        var sliced: [TextPart] = []
        for (part, text) in zip(parts, texts) {
            let scalars = Array(text.unicodeScalars)
            let inside = range.clamped(to: start..<(start + scalars.count))
            var piece = String.UnicodeScalarView()
            piece.append(contentsOf: scalars[(inside.lowerBound - start)..<(inside.upperBound - start)])
            start += scalars.count
            if piece.isEmpty { continue }
            switch part {
            case .secret(let secret): sliced.append(.secret(Confidential(.string(String(piece)), of: secret.names)))
            case .plain, .unknown: sliced.append(.plain(String(piece)))
            }
        }
        return .text(sliced)
    }
}

extension Marked {
    fileprivate var mayBeContainer: Bool {
        guard case .unknown(let unknown) = content else { return false }
        return switch unknown.shape {
        case .any, .object, .array: true
        case .text, .number, .boolean: false
        }
    }
}
