/// An arithmetic operator or a comparison; with several outputs, each right one is combined with all left ones in turn.
final class BinaryNode: ComputingNode {
    private let operation: Syntax.Operator
    private let left: any Node
    private let right: any Node
    let isSingle: Bool

    init(_ operation: Syntax.Operator, _ left: any Node, _ right: any Node) {
        self.operation = operation
        self.left = left
        self.right = right
        isSingle = left.isSingle && right.isSingle
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        let second = try right.one(evaluation, input, frame)
        let first = try left.one(evaluation, input, frame)
        return try Value.apply(operation, first, second, evaluation)
    }

    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {
        let second = try right.one(evaluation, value, frame)
        try left.transform(evaluation, &value, frame)
        if operation == .add {
            try value.add(second, evaluation)
        } else {
            value = try Value.apply(operation, value, second, evaluation)
        }
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try right.all(evaluation, input, frame) { (second: Value) throws(Signal) in
            try left.all(evaluation, input, frame) { (first: Value) throws(Signal) in
                try emit(try Value.apply(operation, first, second, evaluation))
            }
        }
    }
}

/// `left and right` or `left or right`: the right side is evaluated only if the left one does not decide.
final class LogicNode: ComputingNode {
    private let decisive: Bool
    private let left: any Node
    private let right: any Node
    let isSingle: Bool

    init(isAnd: Bool, _ left: any Node, _ right: any Node) {
        decisive = !isAnd
        self.left = left
        self.right = right
        isSingle = left.isSingle && right.isSingle
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        if try left.one(evaluation, input, frame).isTrue == decisive { return .bool(decisive) }
        return .bool(try right.one(evaluation, input, frame).isTrue)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try left.all(evaluation, input, frame) { (first: Value) throws(Signal) in
            if first.isTrue == decisive {
                try emit(.bool(decisive))
            } else {
                try right.all(evaluation, input, frame) { (second: Value) throws(Signal) in
                    try emit(.bool(second.isTrue))
                }
            }
        }
    }
}

/// `-body`.
final class NegateNode: ComputingNode {
    private let body: any Node
    init(_ body: any Node) { self.body = body }
    var isSingle: Bool { body.isSingle }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        try body.one(evaluation, input, frame).negated()
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try body.all(evaluation, input, frame) { (value: Value) throws(Signal) in try emit(try value.negated()) }
    }
}
