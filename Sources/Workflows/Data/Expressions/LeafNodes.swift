/// `.`.
final class IdentityNode: Node {
    var isSingle: Bool { true }
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value { input }
    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {}
    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        try emit(input)
        return nil
    }
}

/// A literal.
final class ConstantNode: Node {
    let value: Value
    init(_ value: Value) { self.value = value }
    var isSingle: Bool { true }
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value { value }
}

/// A variable that the expression binds itself.
final class VariableNode: Node {
    private let hops: Int
    init(hops: Int) { self.hops = hops }
    var isSingle: Bool { true }
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        frame.up(hops)?.value ?? .null
    }
}

/// A variable that is bound outside.
final class GlobalNode: Node {
    private let slot: Int
    init(slot: Int) { self.slot = slot }
    var isSingle: Bool { true }
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        evaluation.variables[slot]
    }
}

/// `error(value)`; as in jq, an error without a value is none, and ends its alternative like `empty`.
final class ErrorNode: Node {
    private let value: any Node
    init(_ value: any Node) { self.value = value }
    var isSingle: Bool { false }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        try value.all(evaluation, input, frame) { (value: Value) throws(Signal) in
            switch value {
            case .null: return
            case .string(let message): throw .error(ExpressionError(message, value: value))
            default: throw .error(ExpressionError("\(value.excerpt) (not a string)", value: value))
            }
        }
        return nil
    }
}

/// `empty`.
final class EmptyNode: Node {
    var isSingle: Bool { false }
    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? { nil }
    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? { nil }
}
