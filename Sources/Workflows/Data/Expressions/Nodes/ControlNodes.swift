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
        let holds = try condition.one(evaluation, input, frame)
        switch holds {
        case .null, .bool(false): return try otherwise.one(evaluation, input, frame)
        case .marked:
            if let either = try joined(holds, evaluation, input, frame) { return either }
            return try result.one(evaluation, input, frame)
        default: return try result.one(evaluation, input, frame)
        }
    }

    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {
        let holds = try condition.one(evaluation, value, frame)
        switch holds {
        case .null, .bool(false): try otherwise.transform(evaluation, &value, frame)
        case .marked:
            if let either = try joined(holds, evaluation, value, frame) { return value = either }
            try result.transform(evaluation, &value, frame)
        default: try result.transform(evaluation, &value, frame)
        }
    }

    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        if condition.isSingle {
            let holds = try condition.one(evaluation, input.value, frame)
            let body: any Node
            switch holds {
            case .null, .bool(false): body = otherwise
            case .marked:
                if try emitEither(holds, evaluation, input, frame, emit) { return nil }
                body = result
            default: body = result
            }
            return try input.tail(of: body, evaluation, frame, emit)
        }
        try condition.all(evaluation, input.value, frame) { (holds: Value) throws(Signal) in
            switch holds {
            case .null, .bool(false): try otherwise.all(evaluation, input, frame, emit)
            case .marked:
                if try emitEither(holds, evaluation, input, frame, emit) { return }
                try result.all(evaluation, input, frame, emit)
            default: try result.all(evaluation, input, frame, emit)
            }
        }
        return nil
    }

    /// The joined output of both branches; nil if the condition is decided.
    @inline(never)
    private func joined(
        _ holds: Value, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> Value? {
        var value = Value.null
        let isUndecided = try emitEither(holds, evaluation, input, frame) { (output: Value) throws(Signal) in
            value = output
        }
        return isUndecided ? value : Optional<Value>.none
    }

    /// False if the condition is decided.
    @inline(never)
    private func emitEither<Item: Flow>(
        _ holds: Value, _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Bool {
        guard holds.decidedTruth == nil, let unknown = holds.unknown else { return false }
        try evaluation.plan(for: unknown).either(
            { (emit: Emit<Value>) throws(Signal) in try result.all(evaluation, input.value, frame, emit) },
            { (emit: Emit<Value>) throws(Signal) in try otherwise.all(evaluation, input.value, frame, emit) }, emit)
        return true
    }
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
            guard let planning = evaluation.planning else { return try body.one(evaluation, input, frame) }
            return try planning.attempted { () throws(Signal) in try body.one(evaluation, input, frame) }
        } catch .error(let error) {
            return try handler?.one(evaluation, evaluation.caught(error), frame) ?? .null
        } catch {
            throw error
        }
    }

    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        // Errors thrown by the outputs' consumer also pass through here; this node must not catch them.
        var isDownstream = false
        // In a plan, neither an output nor an error may depend on whether an unknown fails before it.
        var risks = evaluation.risks
        do throws(Signal) {
            try body.all(evaluation, input, frame) { (item: Item) throws(Signal) in
                if evaluation.risks > risks { throw .undecided }
                isDownstream = true
                try emit(item)
                isDownstream = false
                risks = evaluation.risks
            }
            if evaluation.risks > risks { throw .undecided }
        } catch .error(let error) where !isDownstream {
            if evaluation.risks > risks { throw .undecided }
            guard let handler else { return nil }
            return try Item(computed: evaluation.caught(error)).tail(of: handler, evaluation, frame, emit)
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
        switch value {
        case .null, .bool(false): return try right.one(evaluation, input, frame)
        case .marked: return try joined(value, evaluation, input, frame)
        default: return value
        }
    }

    @inline(never)
    private func joined(
        _ value: Value, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> Value {
        if value.decidedTruth != nil { return value }
        var either = value
        try emitEither(value, evaluation, input, frame) { (output: Value) throws(Signal) in either = output }
        return either
    }

    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        var hasOutput = false
        try left.all(evaluation, input, frame) { (item: Item) throws(Signal) in
            switch item.value {
            case .null, .bool(false): return
            case .marked where item.value.decidedTruth == nil:
                guard left.isSingle else { throw .undecided }
                hasOutput = true
                try emitEither(item.value, evaluation, input, frame, emit)
            default:
                hasOutput = true
                try emit(item)
            }
        }
        return hasOutput ? nil : try input.tail(of: right, evaluation, frame, emit)
    }

    @inline(never)
    private func emitEither<Item: Flow>(
        _ value: Value, _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) {
        guard let unknown = value.unknown else { return }
        // A Boolean that is kept is true.
        let kept = unknown.shape == .boolean ? true : value
        try evaluation.plan(for: unknown).either(
            { (emit: Emit<Value>) throws(Signal) in try emit(kept) },
            { (emit: Emit<Value>) throws(Signal) in try right.all(evaluation, input.value, frame, emit) }, emit)
    }
}

/// `label $name | body`: `break` skips the rest of the body's outputs.
final class LabelNode: SelectingNode {
    private let body: any Node
    init(body: any Node) { self.body = body }

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        let label = evaluation.newLabel()
        do throws(Signal) {
            try evaluation.counted { () throws(Signal) in
                try body.all(evaluation, input, Frame(parent: frame, value: .integer(label)), emit)
            }
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
