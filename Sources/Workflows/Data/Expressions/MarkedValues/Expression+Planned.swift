extension Expression {
    /// Evaluates the expression for a plan, on data that hold unknowns.
    ///
    /// Parts of the result that do not depend on unknowns are known, and unknowns that are only passed on stay the
    /// same. Every other part becomes a new unknown.
    /// - Parameters:
    ///   - input: The value of `.`.
    ///   - variables: Values by name, without `$`.
    ///   - name: The new unknown for a path in the result, with its shape and derivation. Null in a path means every
    ///     element of an array of unknown length.
    package func evaluatePlanned(
        _ input: Value, variables: [String: Value] = [:], budget: Budget = Budget(),
        environment: Environment = Environment(),
        name: (_ path: [Value], _ shape: Unknown.Shape, _ derivation: Derivation) -> Unknown
    ) throws(ExpressionError) -> Value {
        let read = variables.filter { self.variables.contains($0.key) }
        let derivation = Derivation(source, input: input, variables: read)
        let outputs = try run(input, read, budget, environment, marks: true, allowsUnknowns: true, limit: 1)
        return (outputs.first ?? .null).named(at: [], derivation, name)
    }
}

extension Value {
    fileprivate func named(
        at path: [Value], _ derivation: Derivation, _ name: ([Value], Unknown.Shape, Derivation) -> Unknown
    ) -> Value {
        guard holdsUnknown else { return self }
        switch self {
        case .null, .bool, .integer, .double, .string: return self
        case .array(let elements):
            return .array(
                elements.enumerated().map { $0.element.named(at: path + [.integer($0.offset)], derivation, name) })
        case .object(let members):
            return .object(
                Object(members.map { ($0.key, $0.value.named(at: path + [.string($0.key)], derivation, name)) }))
        case .marked:
            guard let unknown, unknown.origin == .pending else { return self }
            let shape: Unknown.Shape
            switch unknown.shape {
            case .any, .text, .number, .boolean: shape = unknown.shape
            case .array(let element): shape = .array(element.named(at: path + [.null], derivation, name))
            case .object(let members):
                shape = .object(
                    Object(members.map { ($0.key, $0.value.named(at: path + [.string($0.key)], derivation, name)) }))
            }
            var derivation = derivation
            derivation.path = path
            return .unknown(name(path, shape, derivation))
        }
    }
}
