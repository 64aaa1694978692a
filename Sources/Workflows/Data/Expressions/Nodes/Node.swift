/// A compiled expression: what turns one input into its outputs.
///
/// Outputs are handed to a closure one by one, so that nothing is collected that nobody keeps. A node that always has
/// exactly one output is *single*, and what consumes it asks for it directly. A call in the last place is handed back as
/// a ``Tail`` for the caller to go on with, so that recursion in the last place takes no stack.
///
/// Every node is a ``ComputingNode``, a ``SelectingNode`` or a ``PassingNode``, and says in the way of its kind, once for
/// values and for places, what its outputs are.
protocol Node: AnyObject, Sendable {
    /// Whether it always has exactly one output, if it does not end in an error; false unless a node says otherwise.
    var isSingle: Bool { get }

    /// The output of a single node; of any other, the last one, or null.
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value

    /// Replaces a single node's input by its output, in place where nothing else holds the input.
    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal)

    /// Emits all outputs, except those of the tail that it returns.
    func values(
        _ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>
    ) throws(Signal) -> Tail<Value>?

    /// Emits all outputs with the places that they were found at, except those of the tail that it returns.
    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: Emit<Located>
    ) throws(Signal) -> Tail<Located>?
}

/// What outputs are handed to.
typealias Emit<Item> = (Item) throws(Signal) -> Void

/// What is still to be done for a call in the last place.
struct Tail<Item> {
    let body: any Node
    let input: Item
    let frame: Frame?
}

/// A node that computes its outputs, so that they are at no place.
protocol ComputingNode: Node {
    /// Emits all outputs.
    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal)
}

/// A node that another one stands in the last place of.
protocol PassingNode: Node {
    /// Emits all outputs, except those of the tail that it returns.
    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>?
}

/// A node that finds its outputs in its input, or hands on what other nodes find there.
protocol SelectingNode: PassingNode {
    /// Emits all outputs.
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

    // The following are inlined because the compiler specialises no generic function of a node that it does not know.

    /// Emits all outputs.
    @inline(__always)
    func all<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) {
        try input.all(of: self, evaluation, frame, emit)
    }

    /// Emits outputs until the body says that it has seen enough.
    @inline(__always)
    func until<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ isEnough: (Item) throws(Signal) -> Bool
    ) throws(Signal) {
        let label = evaluation.newLabel()
        do throws(Signal) {
            try all(evaluation, input, frame) { (item: Item) throws(Signal) in
                if try isEnough(item) { throw Signal.leave(label) }
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

    /// What is computed is at a place only where it is the input itself.
    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: Emit<Located>
    ) throws(Signal) -> Tail<Located>? {
        try all(evaluation, input.value, frame) { (value: Value) throws(Signal) in
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
