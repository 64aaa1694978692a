/// `left | right`.
final class PipeNode: Node {
    private let left: any Node
    private let right: any Node
    let isSingle: Bool

    init(_ left: any Node, _ right: any Node) {
        self.left = left
        self.right = right
        isSingle = left.isSingle && right.isSingle
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        var value = try left.one(evaluation, input, frame)
        try right.transform(evaluation, &value, frame)
        return value
    }

    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {
        try left.transform(evaluation, &value, frame)
        try right.transform(evaluation, &value, frame)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        if left.isSingle { return try right.each(evaluation, try left.one(evaluation, input, frame), frame, emit) }
        try left.all(evaluation, input, frame) { (value: Value) throws(Signal) in
            try right.all(evaluation, value, frame, emit)
        }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        if left.isSingle {
            var middle: Located?
            try left.allPlaces(evaluation, input, frame) { (place: Located) throws(Signal) in middle = place }
            guard let middle else { return nil }
            return try right.places(evaluation, middle, frame, emit)
        }
        try left.allPlaces(evaluation, input, frame) { (place: Located) throws(Signal) in
            try right.allPlaces(evaluation, place, frame, emit)
        }
        return nil
    }
}

/// `a, b, c`.
final class CommaNode: Node {
    private let parts: [any Node]
    private let last: any Node

    init(_ parts: [any Node], last: any Node) {
        self.parts = parts
        self.last = last
    }

    var isSingle: Bool { false }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        for part in parts { try part.all(evaluation, input, frame, emit) }
        return try last.each(evaluation, input, frame, emit)
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        for part in parts { try part.allPlaces(evaluation, input, frame, emit) }
        return try last.places(evaluation, input, frame, emit)
    }
}

/// `if condition then result else otherwise end`.
final class ConditionalNode: Node {
    private let condition: any Node
    private let result: any Node
    private let otherwise: any Node
    let isSingle: Bool

    init(_ condition: any Node, then result: any Node, else otherwise: any Node) {
        self.condition = condition
        self.result = result
        self.otherwise = otherwise
        isSingle = condition.isSingle && result.isSingle && otherwise.isSingle
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        try chosen(try condition.one(evaluation, input, frame)).one(evaluation, input, frame)
    }

    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {
        try chosen(try condition.one(evaluation, value, frame)).transform(evaluation, &value, frame)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        if condition.isSingle {
            return try chosen(try condition.one(evaluation, input, frame)).each(evaluation, input, frame, emit)
        }
        try condition.all(evaluation, input, frame) { (holds: Value) throws(Signal) in
            try chosen(holds).all(evaluation, input, frame, emit)
        }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        if condition.isSingle {
            return try chosen(try condition.one(evaluation, input.value, frame))
                .places(evaluation, input, frame, emit)
        }
        try condition.all(evaluation, input.value, frame) { (holds: Value) throws(Signal) in
            try chosen(holds).allPlaces(evaluation, input, frame, emit)
        }
        return nil
    }

    private func chosen(_ holds: Value) -> any Node { holds.isTrue ? result : otherwise }
}

/// `try body catch handler`, and `body?`, which has no handler.
final class TryNode: Node {
    private let body: any Node
    private let handler: (any Node)?

    init(_ body: any Node, handler: (any Node)?) {
        self.body = body
        self.handler = handler
    }

    var isSingle: Bool { handler.map { $0.isSingle && body.isSingle } ?? false }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        do throws(Signal) {
            return try body.one(evaluation, input, frame)
        } catch .error(let error) {
            return try handler?.one(evaluation, error.caught, frame) ?? .null
        } catch {
            throw error
        }
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        // An error of whoever consumes the outputs passes through here as well, and is not this node's to catch.
        var isDownstream = false
        do throws(Signal) {
            try body.all(evaluation, input, frame) { (value: Value) throws(Signal) in
                isDownstream = true
                try emit(value)
                isDownstream = false
            }
        } catch .error(let error) where !isDownstream {
            return try handler?.each(evaluation, error.caught, frame, emit)
        } catch {
            throw error
        }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        var isDownstream = false
        do throws(Signal) {
            try body.allPlaces(evaluation, input, frame) { (place: Located) throws(Signal) in
                isDownstream = true
                try emit(place)
                isDownstream = false
            }
        } catch .error(let error) where !isDownstream {
            let caught = Located(trail: nil, isPlace: false, value: error.caught)
            return try handler?.places(evaluation, caught, frame, emit)
        } catch {
            throw error
        }
        return nil
    }
}

/// `left // right`: the outputs of the left that are true, or else those of the right.
final class AlternativeNode: Node {
    private let left: any Node
    private let right: any Node
    let isSingle: Bool

    init(_ left: any Node, _ right: any Node) {
        self.left = left
        self.right = right
        isSingle = left.isSingle && right.isSingle
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        let value = try left.one(evaluation, input, frame)
        return value.isTrue ? value : try right.one(evaluation, input, frame)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        var hasOutput = false
        try left.all(evaluation, input, frame) { (value: Value) throws(Signal) in
            guard value.isTrue else { return }
            hasOutput = true
            try emit(value)
        }
        return hasOutput ? nil : try right.each(evaluation, input, frame, emit)
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        var hasOutput = false
        try left.allPlaces(evaluation, input, frame) { (place: Located) throws(Signal) in
            guard place.value.isTrue else { return }
            hasOutput = true
            try emit(place)
        }
        return hasOutput ? nil : try right.places(evaluation, input, frame, emit)
    }
}

/// `label $name | body`: leaving it skips the rest of the body's outputs.
final class LabelNode: Node {
    private let body: any Node
    init(body: any Node) { self.body = body }
    var isSingle: Bool { false }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        let label = evaluation.newLabel()
        do throws(Signal) {
            try body.all(evaluation, input, Frame(parent: frame, value: .integer(label)), emit)
        } catch {
            guard case .leave(label) = error else { throw error }
        }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        let label = evaluation.newLabel()
        do throws(Signal) {
            try body.allPlaces(evaluation, input, Frame(parent: frame, value: .integer(label)), emit)
        } catch {
            guard case .leave(label) = error else { throw error }
        }
        return nil
    }
}

/// `break $name`.
final class BreakNode: Node {
    private let hops: Int
    init(hops: Int) { self.hops = hops }
    var isSingle: Bool { false }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        throw .leave(frame.up(hops)?.value.integer ?? 0)
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        throw .leave(frame.up(hops)?.value.integer ?? 0)
    }
}
