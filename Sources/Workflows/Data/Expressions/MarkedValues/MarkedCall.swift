/// A call of a native function with an input and arguments that may be marked.
struct MarkedCall: Sendable {
    let title: String
    let function: Builtin.Native
    private let policy: MarkPolicy
    private let special: Special?

    init(_ name: String, _ function: @escaping Builtin.Native) {
        title = String(name.prefix { $0 != "/" })
        self.function = function
        policy = MarkPolicy.of(name)
        special = Self.special[name]
    }

    @inline(never)
    func result(_ evaluation: Evaluation, _ input: Value, _ arguments: [Value]) throws(Signal) -> Value {
        if let special, let result = try special(self, evaluation, input, arguments) { return result }
        if let result = try unknown(evaluation, input, arguments) { return result }
        let subjects = subjects(input, arguments)
        switch policy.secrets {
        case .moves where subjects.contains(where: \.isMarked), .computes where subjects.contains(where: \.holdsSecret):
            return try revealed(evaluation, input, arguments) { $0.concealed(of: $1) }
        case .measures where subjects.contains(where: \.holdsSecret):
            return try revealed(evaluation, input, arguments) { value, _ in value }
        case .moves, .computes, .measures: break
        }
        do throws(Signal) {
            return try function(evaluation, input, arguments)
        } catch .undecided {
            return try pending(evaluation, input)
        } catch {
            throw error
        }
    }

    /// The function's result for the real texts and numbers; errors show none of them.
    /// - Parameter conceal: Conceals the result's secrets, by their names.
    func revealed(
        _ evaluation: Evaluation, _ input: Value, _ arguments: [Value], _ conceal: (Value, [String]) -> Value
    ) throws(Signal) -> Value {
        let names = input.secretNames + arguments.flatMap(\.secretNames)
        do throws(Signal) {
            return conceal(try function(evaluation, input.revealed, arguments.map(\.revealed)), names)
        } catch .error(let error) {
            let shown = ([input] + arguments).filter(\.holdsSecret).map(\.named).joined(separator: " and ")
            throw .error(
                ExpressionError(
                    "\(title) cannot be used with \(shown)", value: error.caught.concealed(of: names)))
        } catch {
            throw error
        }
    }

    private func unknown(_ evaluation: Evaluation, _ input: Value, _ arguments: [Value]) throws(Signal) -> Value? {
        let subjects = subjects(input, arguments)
        switch policy.unknowns {
        case .moves, .rearranges: guard subjects.contains(where: { $0.isMarked && $0.holdsUnknown }) else { return nil }
        case .computes: guard subjects.contains(where: \.holdsUnknown) else { return nil }
        }
        return try pending(evaluation, input)
    }

    private func pending(_ evaluation: Evaluation, _ input: Value) throws(Signal) -> Value {
        let planning = try planning(evaluation)
        switch policy.unknowns {
        case .moves(let shape): return planning.pending(shape)
        case .computes(let shape, let fails): return planning.pending(shape, fails: fails)
        case .rearranges:
            planning.risks += 1
            if let element = input.elements.first, input.elements.count == 1 {
                return planning.pending(.array(element))
            }
            return input.elements.isEmpty
                ? planning.pending(.array(planning.pending())) : planning.array(of: input.elements)
        }
    }

    private func subjects(_ input: Value, _ arguments: [Value]) -> [Value] {
        let read =
            policy.moved.isEmpty
            ? arguments : arguments.enumerated().filter { !policy.moved.contains($0.offset) }.map(\.element)
        return policy.usesInput ? [input] + read : read
    }
}
