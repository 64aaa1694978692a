/// A call of a function that an expression or the prelude defines.
final class CallNode: Node {
    enum Argument: Sendable {
        /// A filter, bound together with the frame of the call.
        case filter(any Node)
        /// A parameter of the calling function, handed on as it came.
        case passed(hops: Int)
        /// A value, evaluated before the call; where the body also calls it as a filter, it is bound as both.
        case value(any Node, alsoFilter: Bool)
    }

    private let function: Int
    /// How many frames further out the function was defined; nil where it sees none of the caller's.
    private let hops: Int?
    private let arguments: [Argument]

    init(function: Int, hops: Int?, arguments: [Argument]) {
        self.function = function
        self.hops = hops
        self.arguments = arguments
    }

    var isSingle: Bool { false }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        let body = evaluation.program.functions[function]
        let outer = hops.map { frame.up($0) } ?? nil
        if let inner = try plainFrame(outer, evaluation, input, frame) {
            return Tail(body: body, input: input, frame: inner.frame)
        }
        try bind(arguments[...], outer, evaluation, input, frame) { (inner: Frame?) throws(Signal) in
            try body.all(evaluation, input, inner, emit)
        }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        let body = evaluation.program.functions[function]
        let outer = hops.map { frame.up($0) } ?? nil
        if let inner = try plainFrame(outer, evaluation, input.value, frame) {
            return PlaceTail(body: body, input: input, frame: inner.frame)
        }
        try bind(arguments[...], outer, evaluation, input.value, frame) { (inner: Frame?) throws(Signal) in
            try body.allPlaces(evaluation, input, inner, emit)
        }
        return nil
    }

    private struct Bound {
        let frame: Frame?
    }

    /// The body's frame where there is exactly one, so that the call can be a tail.
    private func plainFrame(
        _ outer: Frame?, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> Bound? {
        var inner = outer
        for argument in arguments {
            switch argument {
            case .filter(let node):
                inner = Frame(parent: inner, closure: Frame.Closure(body: node, frame: frame))
            case .passed(let hops):
                guard let closure = frame.up(hops)?.closure else { return nil }
                inner = Frame(parent: inner, closure: closure)
            case .value(let node, let alsoFilter):
                guard node.isSingle else { return nil }
                let value = try node.one(evaluation, input, frame)
                if alsoFilter { inner = Frame(parent: inner, closure: Frame.Closure(body: node, frame: frame)) }
                inner = Frame(parent: inner, value: value)
            }
        }
        try checkHeight(inner, evaluation)
        return Bound(frame: inner)
    }

    private func bind(
        _ rest: ArraySlice<Argument>, _ inner: Frame?, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?,
        _ body: (Frame?) throws(Signal) -> Void
    ) throws(Signal) {
        guard let argument = rest.first else {
            try checkHeight(inner, evaluation)
            return try body(inner)
        }
        switch argument {
        case .filter(let node):
            let next = Frame(parent: inner, closure: Frame.Closure(body: node, frame: frame))
            try bind(rest.dropFirst(), next, evaluation, input, frame, body)
        case .passed(let hops):
            let closure = frame.up(hops)?.closure ?? Frame.Closure(body: EmptyNode(), frame: nil)
            try bind(rest.dropFirst(), Frame(parent: inner, closure: closure), evaluation, input, frame, body)
        case .value(let node, let alsoFilter):
            var next = inner
            if alsoFilter { next = Frame(parent: next, closure: Frame.Closure(body: node, frame: frame)) }
            let outer = next
            try node.all(evaluation, input, frame) { (value: Value) throws(Signal) in
                try bind(rest.dropFirst(), Frame(parent: outer, value: value), evaluation, input, frame, body)
            }
        }
    }

    private func checkHeight(_ frame: Frame?, _ evaluation: Evaluation) throws(Signal) {
        guard let frame else { return }
        try evaluation.require(levels: frame.height)
        if frame.height > evaluation.budget.depth {
            throw evaluation.exhausted("the expression is nested more than \(evaluation.budget.depth) levels deep")
        }
    }
}

/// A call of a filter that a function was given.
final class ParameterNode: Node {
    private let hops: Int
    init(hops: Int) { self.hops = hops }
    var isSingle: Bool { false }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        guard let closure = frame.up(hops)?.closure else { return nil }
        return Tail(body: closure.body, input: input, frame: closure.frame)
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        guard let closure = frame.up(hops)?.closure else { return nil }
        return PlaceTail(body: closure.body, input: input, frame: closure.frame)
    }
}

/// A call of a built-in function that makes one value of its input and its arguments' values.
final class NativeNode: Node {
    private let function: Builtin.Native
    private let arguments: [any Node]
    let isSingle: Bool

    init(_ function: @escaping Builtin.Native, _ arguments: [any Node]) {
        self.function = function
        self.arguments = arguments
        isSingle = arguments.allSatisfy(\.isSingle)
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        try evaluation.step()
        var values: [Value] = []
        for argument in arguments { values.append(try argument.one(evaluation, input, frame)) }
        return try function(evaluation, input, values)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        try combine(arguments[...], [], evaluation, input, frame, emit)
        return nil
    }

    /// Of several values, all combinations, the first argument's changing fastest.
    private func combine(
        _ rest: ArraySlice<any Node>, _ values: [Value], _ evaluation: Evaluation, _ input: Value, _ frame: Frame?,
        _ emit: Emit
    ) throws(Signal) {
        guard let argument = rest.last else {
            try evaluation.step()
            return try emit(try function(evaluation, input, values))
        }
        try argument.all(evaluation, input, frame) { (value: Value) throws(Signal) in
            try combine(rest.dropLast(), [value] + values, evaluation, input, frame, emit)
        }
    }
}
