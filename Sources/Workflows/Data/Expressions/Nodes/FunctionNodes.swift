final class CallNode: PassingNode {
    enum Argument: Sendable {
        case filter(any Node)
        /// A parameter of the calling function, passed on unchanged.
        case passed(hops: Int)
        /// A value, evaluated before the call; also bound as a filter if the body calls it as one.
        case value(any Node, alsoFilter: Bool)
    }

    private let function: Int
    /// The number of frames out to the function's definition; nil if it uses none of the caller's frames.
    private let hops: Int?
    private let arguments: [Argument]

    /// Whether the body runs with exactly one frame, which allows a tail call.
    private let isPlain: Bool
    let isSingle: Bool

    /// - Parameter isSingle: Whether the function's body is single.
    init(function: Int, hops: Int?, arguments: [Argument], isSingle: Bool) {
        self.function = function
        self.hops = hops
        self.arguments = arguments
        isPlain = arguments.allSatisfy { argument in
            if case .value(let node, _) = argument { node.isSingle } else { true }
        }
        self.isSingle = isPlain && isSingle
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        var result = Value.null
        try input.untilNoTail(of: self, evaluation, frame) { (value: Value) throws(Signal) in result = value }
        return result
    }

    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        let body = evaluation.program.functions[function]
        let outer = hops.map { frame.up($0) } ?? nil
        if isPlain {
            var plain: Frame?
            try bind(arguments[...], outer, evaluation, input.value, frame) { (inner: Frame?) in plain = inner }
            return Tail(body: body, input: input, frame: plain)
        }
        try bind(arguments[...], outer, evaluation, input.value, frame) { (inner: Frame?) throws(Signal) in
            try body.all(evaluation, input, inner, emit)
        }
        return nil
    }

    private func bind(
        _ rest: ArraySlice<Argument>, _ outer: Frame?, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?,
        _ body: (Frame?) throws(Signal) -> Void
    ) throws(Signal) {
        var inner = outer
        for position in rest.indices {
            switch rest[position] {
            case .filter(let node):
                inner = Frame(parent: inner, closure: Frame.Closure(body: node, frame: frame))
            case .passed(let hops):
                let closure = frame.up(hops)?.closure ?? Frame.Closure(body: EmptyNode(), frame: nil)
                inner = Frame(parent: inner, closure: closure)
            case .value(let node, let alsoFilter):
                if alsoFilter { inner = Frame(parent: inner, closure: Frame.Closure(body: node, frame: frame)) }
                if node.isSingle {
                    inner = Frame(parent: inner, value: try node.one(evaluation, input, frame))
                    continue
                }
                return try node.all(evaluation, input, frame) { [inner] (value: Value) throws(Signal) in
                    let next = Frame(parent: inner, value: value)
                    try bind(rest[(position + 1)...], next, evaluation, input, frame, body)
                }
            }
        }
        try checkHeight(inner, evaluation)
        try body(inner)
    }

    private func checkHeight(_ frame: Frame?, _ evaluation: Evaluation) throws(Signal) {
        guard let frame else { return }
        try evaluation.require(levels: frame.height)
        if frame.height > evaluation.budget.depth {
            throw evaluation.exhausted("the expression is nested more than \(evaluation.budget.depth) levels deep")
        }
    }
}

final class ParameterNode: PassingNode {
    private let hops: Int
    init(hops: Int) { self.hops = hops }

    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        guard let closure = frame.up(hops)?.closure else { return nil }
        return Tail(body: closure.body, input: input, frame: closure.frame)
    }
}

/// A call of a built-in function that computes one value from its input and arguments.
final class NativeNode: ComputingNode {
    private let function: Builtin.Native
    private let arguments: [any Node]
    private let marked: MarkedCall
    let isSingle: Bool

    init(_ name: String, _ function: @escaping Builtin.Native, _ arguments: [any Node]) {
        self.function = function
        marked = MarkedCall(name, function)
        self.arguments = arguments
        isSingle = arguments.allSatisfy(\.isSingle)
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        try evaluation.step()
        var values: [Value] = []
        for argument in arguments { values.append(try argument.one(evaluation, input, frame)) }
        if evaluation.marks { return try marked.result(evaluation, input, values) }
        return try function(evaluation, input, values)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try combine(arguments[...], [], evaluation, input, frame, emit)
    }

    /// With several values, all combinations, in which the first argument varies fastest.
    private func combine(
        _ rest: ArraySlice<any Node>, _ values: [Value], _ evaluation: Evaluation, _ input: Value, _ frame: Frame?,
        _ emit: Emit<Value>
    ) throws(Signal) {
        guard let argument = rest.last else {
            try evaluation.step()
            if evaluation.marks {
                return try emit(try marked.result(evaluation, input, values))
            }
            return try emit(try function(evaluation, input, values))
        }
        try argument.all(evaluation, input, frame) { (value: Value) throws(Signal) in
            try combine(rest.dropLast(), [value] + values, evaluation, input, frame, emit)
        }
    }
}
