final class IdentityNode: SelectingNode {
    var isSingle: Bool { true }
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value { input }
    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {}
    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        try emit(input)
    }
}

final class ConstantNode: ComputingNode {
    let value: Value
    init(_ value: Value) { self.value = value }
    var isSingle: Bool { true }
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value { value }
}

/// A variable that the expression binds itself.
final class VariableNode: ComputingNode {
    private let hops: Int
    init(hops: Int) { self.hops = hops }
    var isSingle: Bool { true }
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        frame.up(hops)?.value ?? .null
    }
}

/// A variable bound outside the expression.
final class GlobalNode: ComputingNode {
    private let slot: Int
    init(slot: Int) { self.slot = slot }
    var isSingle: Bool { true }
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        evaluation.variables[slot]
    }
}

/// `error(value)`.
final class ErrorNode: ComputingNode {
    private let value: any Node
    init(_ value: any Node) { self.value = value }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try value.all(evaluation, input, frame) { (value: Value) throws(Signal) in
            switch value {
            case .string(let message): throw .error(ExpressionError(message, value: value))
            case .marked where value.unknown?.shape == .any: throw .undecided
            case .marked(let marked) where value.textParts != nil:
                throw .error(ExpressionError(marked.drawn.string ?? "", value: value))
            default: throw .error(ExpressionError("\(value.excerpt) (not a string)", value: value))
            }
        }
    }
}

/// `empty`.
final class EmptyNode: SelectingNode {
    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
    }
}
