/// A compiled expression, which computes outputs from an input.
///
/// Outputs are passed to a closure one by one, so none are collected needlessly. A node that always has exactly one
/// output is *single*, and its consumer asks for that output directly. A call in tail position is returned to the
/// caller as a ``Tail``, so tail recursion takes no stack.
///
/// Every node is a ``ComputingNode``, a ``SelectingNode`` or a ``PassingNode``, and defines its outputs once, for
/// values and for places.
protocol Node: AnyObject, Sendable {
    /// Whether it always has exactly one output unless it fails; false by default.
    var isSingle: Bool { get }

    /// A single node's output; for any other node, the last output or null.
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value

    /// Replaces a single node's input with its output, in place if the input is not shared.
    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal)

    /// Emits all outputs, except those of the tail that it returns.
    func values(
        _ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>
    ) throws(Signal) -> Tail<Value>?

    /// Like `values`, with places.
    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: Emit<Located>
    ) throws(Signal) -> Tail<Located>?
}

typealias Emit<Item> = (Item) throws(Signal) -> Void

struct Tail<Item> {
    let body: any Node
    let input: Item
    let frame: Frame?
}

/// A node that computes its outputs, which therefore have no place.
protocol ComputingNode: Node {
    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal)
}

/// A node that has another node in tail position.
protocol PassingNode: Node {
    /// Emits all outputs, except those of the tail that it returns.
    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>?
}

/// A node that selects its outputs from its input, or passes on other nodes' selections.
protocol SelectingNode: PassingNode {
    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal)
}

extension Node {
    var isSingle: Bool { false }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        var result = Value.null
        try all(evaluation, input, frame) { (value: Value) throws(Signal) in result = value }
        return result
    }

    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {
        value = try one(evaluation, value, frame)
    }

    // Inlined because the compiler does not specialise generic methods of a node whose type it does not know.

    @inline(__always)
    func all<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) {
        try input.all(of: self, evaluation, frame, emit)
    }

    /// Stops when the body needs no more outputs.
    @inline(__always)
    func until<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ isEnough: (Item) throws(Signal) -> Bool
    ) throws(Signal) {
        let label = evaluation.newLabel()
        do throws(Signal) {
            try evaluation.counted { () throws(Signal) in
                try all(evaluation, input, frame) { (item: Item) throws(Signal) in
                    if try isEnough(item) { throw Signal.leave(label) }
                }
            }
        } catch {
            guard case .leave(label) = error else { throw error }
        }
    }
}

extension ComputingNode {
    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try emit(try one(evaluation, input, frame))
    }

    func values(
        _ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>
    ) throws(Signal) -> Tail<Value>? {
        try each(evaluation, input, frame, emit)
        return nil
    }

    /// A computed value has a place only if it is the input itself.
    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: Emit<Located>
    ) throws(Signal) -> Tail<Located>? {
        try all(evaluation, input.value, frame) { (value: Value) throws(Signal) in
            if case .marked = value, input.isPlace, value.holdsUnknown || input.value.holdsUnknown { throw .undecided }
            let isInput = input.isPlace && value.isIdenticalScalar(to: input.value)
            try emit(isInput ? Located(trail: input.trail, value: value) : Located(computed: value))
        }
        return nil
    }
}

extension PassingNode {
    func values(
        _ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>
    ) throws(Signal) -> Tail<Value>? { try tail(evaluation, input, frame, emit) }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: Emit<Located>
    ) throws(Signal) -> Tail<Located>? { try tail(evaluation, input, frame, emit) }
}

extension SelectingNode {
    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        try each(evaluation, input, frame, emit)
        return nil
    }
}
