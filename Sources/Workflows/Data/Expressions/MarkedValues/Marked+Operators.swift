extension Value {
    /// `self + other` if one of them is marked; neither is null.
    @inline(never)
    func markedSum(_ other: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        guard let unknown = unknown ?? other.unknown ?? unknowns.first ?? other.unknowns.first else {
            if let parts = textParts, let others = other.textParts { return try evaluation.text(parts + others) }
            return try concealed(with: other, "cannot be added") { (one: Value, another: Value) throws(Signal) in
                try Value.apply(.add, one, another, evaluation)
            }
        }
        let planning = try evaluation.plan(for: unknown)
        if let parts = textParts, let others = other.textParts { return try evaluation.text(parts + others) }
        switch (shape, other.shape) {
        case (.number, .number): return planning.pending(.number, fails: false)
        case (.array, .array): return planning.array(of: elements + other.elements)
        case (.array, .any), (.any, .array): return planning.pending(.array(planning.pending()))
        case (.object(let left), .object(let right)):
            var members = right
            for (name, member) in left where !right.contains(name) {
                // An unknown right side may have more members than its shape.
                members[name] = other.object == nil ? planning.pending(fails: false) : member
            }
            return planning.pending(.object(members), fails: false)
        case (.object(let left), .any):
            return planning.pending(.object(Object(left.map { ($0.key, planning.pending()) })))
        case (.any, .object(let right)): return planning.pending(.object(right))
        case (.text, .any), (.any, .text): return planning.pending(.text)
        case (.number, .any), (.any, .number): return planning.pending(.number)
        // Anything can be added to null.
        case (.any, _), (_, .any): return planning.pending()
        default: throw .failure("\(named) and \(other.named) cannot be added")
        }
    }

    /// An arithmetic operator except `+`, if one side is marked.
    @inline(never)
    func markedResult(
        _ operation: Syntax.Operator, _ other: Value, _ evaluation: Evaluation
    ) throws(Signal) -> Value {
        guard let unknown = unknown ?? other.unknown ?? unknowns.first ?? other.unknowns.first else {
            return try concealed(with: other, operation.failure) { (one: Value, another: Value) throws(Signal) in
                try Value.apply(operation, one, another, evaluation)
            }
        }
        let planning = try evaluation.plan(for: unknown)
        switch (operation, shape, other.shape) {
        case (.subtract, .number, .number), (.multiply, .number, .number):
            return planning.pending(.number, fails: false)
        case (.remainder, _, _), (.subtract, .number, _), (.subtract, _, .number), (.divide, .number, _),
            (.divide, _, .number):
            return planning.pending(.number)
        case (.subtract, .array, _), (.subtract, _, .array): return planning.pending(.array(planning.pending()))
        case (.divide, .text, _), (.divide, _, .text): return planning.pending(.array(planning.pending(.text)))
        case (.multiply, .object, _), (.multiply, _, .object):
            return planning.pending(.object([:]))
        default: return planning.pending()
        }
    }

    @inline(never)
    func markedNegation(_ evaluation: Evaluation) throws(Signal) -> Value {
        guard let unknown else {
            return try concealed(with: .null, "cannot be negated") { (one: Value, _: Value) throws(Signal) in
                try one.negated()
            }
        }
        return try evaluation.plan(for: unknown).pending(.number, fails: unknown.shape != .number)
    }

    /// The order of values of which one is marked; undecided if it depends on an unknown.
    @inline(never)
    func markedOrder(_ other: Value, _ evaluation: Evaluation) throws(Signal) -> Int {
        guard let unknown = unknown ?? other.unknown ?? unknowns.first ?? other.unknowns.first else {
            return try revealed.compared(to: other.revealed, evaluation)
        }
        _ = try evaluation.plan(for: unknown)
        if isSameForCertain(as: other) { return 0 }
        guard let mine = ranks, let theirs = other.ranks else { throw .undecided }
        if mine.upperBound < theirs.lowerBound { return -1 }
        if theirs.upperBound < mine.lowerBound { return 1 }
        throw .undecided
    }

    /// Whether both are the same unknown or texts of the same parts; a computed number may be not-a-number, unequal to
    /// itself.
    private func isSameForCertain(as other: Value) -> Bool {
        guard case .marked(let mine) = self, case .marked(let theirs) = other, mine == theirs else { return false }
        guard case .unknown(let unknown) = mine.content, unknown.origin == .pending else { return true }
        return unknown.shape == .text || unknown.shape == .boolean
    }

    /// The body's result for the real texts and numbers, made secret.
    /// - Parameters:
    ///   - other: The right operand; null if there is none.
    ///   - failure: Describes the operation, if it fails.
    func concealed(
        with other: Value, _ failure: String, _ body: (Value, Value) throws(Signal) -> Value
    ) throws(Signal) -> Value {
        let names = secretNames + other.secretNames
        do throws(Signal) {
            return try body(revealed, other.revealed).concealed(of: names)
        } catch .error(let error) {
            let shown = other.isNull ? named : "\(named) and \(other.named)"
            throw .error(ExpressionError("\(shown) \(failure)", value: error.caught.concealed(of: names)))
        } catch {
            throw error
        }
    }

    var secretNames: [String] {
        guard holdsSecret else { return [] }
        return switch self {
        case .null, .bool, .integer, .double, .string: []
        case .array(let elements): elements.flatMap(\.secretNames)
        case .object(let members): members.flatMap(\.value.secretNames)
        case .marked(let marked):
            marked.parts.flatMap { part -> [String] in
                if case .secret(let secret) = part { secret.names } else { [] }
            }
        }
    }

    /// Makes every text and number secret.
    /// - Parameter numbers: Whether to include numbers.
    func concealed(of names: [String], numbers: Bool = true) -> Value {
        if names.isEmpty { return self }
        switch self {
        case .null, .bool: return self
        case .integer, .double: return numbers ? .secret(self, of: names) : self
        case .string: return .secret(self, of: names)
        case .array(let elements): return .array(elements.map { $0.concealed(of: names, numbers: numbers) })
        case .object(let members):
            return .object(Object(members.map { ($0.key, $0.value.concealed(of: names, numbers: numbers)) }))
        case .marked(let marked):
            guard case .text(let parts) = marked.content else { return .secret(self, of: names) }
            return .text(
                parts.map { part in
                    switch part {
                    case .plain(let text): .secret(Confidential(.string(text), of: names))
                    case .secret(let secret): .secret(Confidential(secret.value, of: secret.names + names))
                    case .unknown: part
                    }
                })
        }
    }

    /// The positions of its possible types in jq's order; nil if it may be of any type.
    private var ranks: ClosedRange<Int>? {
        switch self {
        case .null: 0...0
        case .bool(let bool): bool ? 2...2 : 1...1
        default:
            switch shape {
            case .any: nil
            case .boolean: 1...2
            case .number: 3...3
            case .text: 4...4
            case .array: 5...5
            case .object: 6...6
            }
        }
    }
}

extension Syntax.Operator {
    fileprivate var failure: String {
        switch self {
        case .add: "cannot be added"
        case .subtract: "cannot be subtracted"
        case .multiply: "cannot be multiplied"
        case .divide: "cannot be divided"
        case .remainder: "cannot be divided (remainder)"
        case .equal, .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or, .alternative:
            "cannot be compared"
        }
    }
}

extension Value {
    /// Anything except null and false is truthy; undecided for an unknown that may be either.
    @inline(__always)
    func truth() throws(Signal) -> Bool {
        switch self {
        case .null, .bool(false): return false
        case .marked: return try markedTruth()
        default: return true
        }
    }

    @inline(never)
    private func markedTruth() throws(Signal) -> Bool {
        guard let truth = decidedTruth else { throw .undecided }
        return truth
    }
}
