/// A compiled expression: what turns one input into its outputs.
///
/// Outputs are handed to a closure one by one, so that nothing is collected that nobody keeps. A node that always has
/// exactly one output is *single*, and what consumes it asks for it directly. A call in the last place is handed back as
/// a ``Tail`` for the caller to go on with, so that recursion in the last place takes no stack.
protocol Node: AnyObject, Sendable {
    typealias Emit = (Value) throws(Signal) -> Void
    typealias EmitPlace = (Located) throws(Signal) -> Void

    /// Whether it always has exactly one output, if it does not end in an error.
    var isSingle: Bool { get }

    /// The output of a single node; of any other, the last one, or null.
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value

    /// Replaces a single node's input by its output, in place where nothing else holds the input.
    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal)

    /// Emits all outputs, except those of the tail that it returns.
    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail?

    /// Emits all outputs with the places that they were found at, except those of the tail that it returns.
    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail?
}

/// What is still to be done for a call in the last place.
struct Tail {
    let body: any Node
    let input: Value
    let frame: Frame?
}

/// What is still to be done for a call in the last place of a path expression.
struct PlaceTail {
    let body: any Node
    let input: Located
    let frame: Frame?
}

extension Node {
    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        var result = Value.null
        try all(evaluation, input, frame) { (value: Value) throws(Signal) in result = value }
        return result
    }

    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {
        value = try one(evaluation, value, frame)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        try emit(try one(evaluation, input, frame))
        return nil
    }

    /// Without a way of its own to follow places, an output is at a place only where it is the input itself.
    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        try all(evaluation, input.value, frame) { (value: Value) throws(Signal) in
            if input.isPlace, value.isIdenticalScalar(to: input.value) {
                try emit(Located(trail: input.trail, value: value))
            } else {
                try emit(Located(trail: nil, isPlace: false, value: value))
            }
        }
        return nil
    }

    /// Emits all outputs.
    func all(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) {
        if isSingle {
            try emit(try one(evaluation, input, frame))
            return
        }
        try evaluation.deeper { () throws(Signal) in
            var tail = try each(evaluation, input, frame, emit)
            while let next = tail {
                try evaluation.step()
                tail = try next.body.each(evaluation, next.input, next.frame, emit)
            }
        }
    }

    /// Emits all outputs with their places.
    func allPlaces(_ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace) throws(Signal) {
        try evaluation.deeper { () throws(Signal) in
            var tail = try places(evaluation, input, frame, emit)
            while let next = tail {
                try evaluation.step()
                tail = try next.body.places(evaluation, next.input, next.frame, emit)
            }
        }
    }

    /// Emits outputs until the body says that it has seen enough.
    func until(
        _ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ isEnough: (Value) throws(Signal) -> Bool
    ) throws(Signal) {
        let label = evaluation.newLabel()
        do throws(Signal) {
            try all(evaluation, input, frame) { (value: Value) throws(Signal) in
                if try isEnough(value) { throw Signal.leave(label) }
            }
        } catch {
            guard case .leave(label) = error else { throw error }
        }
    }

    /// Emits outputs with their places until the body says that it has seen enough.
    func untilPlaces(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ isEnough: (Located) throws(Signal) -> Bool
    ) throws(Signal) {
        let label = evaluation.newLabel()
        do throws(Signal) {
            try allPlaces(evaluation, input, frame) { (place: Located) throws(Signal) in
                if try isEnough(place) { throw Signal.leave(label) }
            }
        } catch {
            guard case .leave(label) = error else { throw error }
        }
    }
}
