/// `left | right`.
final class PipeNode: PassingNode {
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

    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        if left.isSingle {
            return try input.one(of: left, evaluation, frame).tail(of: right, evaluation, frame, emit)
        }
        try left.all(evaluation, input, frame) { (item: Item) throws(Signal) in
            try right.all(evaluation, item, frame, emit)
        }
        return nil
    }
}

/// `a, b, c`.
final class CommaNode: PassingNode {
    private let parts: [any Node]
    private let last: any Node

    init(_ parts: [any Node], last: any Node) {
        self.parts = parts
        self.last = last
    }

    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        for part in parts { try part.all(evaluation, input, frame, emit) }
        return try input.tail(of: last, evaluation, frame, emit)
    }
}

/// `if condition then result else otherwise end`.
final class ConditionalNode: PassingNode {
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

    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        if condition.isSingle {
            let body = chosen(try condition.one(evaluation, input.value, frame))
            return try input.tail(of: body, evaluation, frame, emit)
        }
        try condition.all(evaluation, input.value, frame) { (holds: Value) throws(Signal) in
            try chosen(holds).all(evaluation, input, frame, emit)
        }
        return nil
    }

    private func chosen(_ holds: Value) -> any Node { holds.isTrue ? result : otherwise }
}

/// `try body catch handler`, and `body?`, which has no handler.
final class TryNode: PassingNode {
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

    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        // Errors thrown by the consumer of the outputs also pass through here; this node must not catch them.
        var isDownstream = false
        do throws(Signal) {
            try body.all(evaluation, input, frame) { (item: Item) throws(Signal) in
                isDownstream = true
                try emit(item)
                isDownstream = false
            }
        } catch .error(let error) where !isDownstream {
            guard let handler else { return nil }
            return try Item(computed: error.caught).tail(of: handler, evaluation, frame, emit)
        } catch {
            throw error
        }
        return nil
    }
}

/// `left // right`: the truthy outputs of the left side, or else those of the right.
final class AlternativeNode: PassingNode {
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

    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        var hasOutput = false
        try left.all(evaluation, input, frame) { (item: Item) throws(Signal) in
            guard item.value.isTrue else { return }
            hasOutput = true
            try emit(item)
        }
        return hasOutput ? nil : try input.tail(of: right, evaluation, frame, emit)
    }
}

/// `label $name | body`: `break` skips the rest of the body's outputs.
final class LabelNode: SelectingNode {
    private let body: any Node
    init(body: any Node) { self.body = body }

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        let label = evaluation.newLabel()
        do throws(Signal) {
            try body.all(evaluation, input, Frame(parent: frame, value: .integer(label)), emit)
        } catch {
            guard case .leave(label) = error else { throw error }
        }
    }
}

/// `break $name`.
final class BreakNode: SelectingNode {
    private let hops: Int
    init(hops: Int) { self.hops = hops }

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        throw .leave(frame.up(hops)?.value.integer ?? 0)
    }
}
