/// `first(body)`.
final class FirstNode: SelectingNode {
    private let body: any Node
    init(_ body: any Node) { self.body = body }

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        var first: Item?
        try body.until(evaluation, input, frame) { (item: Item) throws(Signal) in
            first = item
            return true
        }
        if let first { try emit(first) }
    }
}

/// `last(body)`.
final class LastNode: SelectingNode {
    private let body: any Node
    init(_ body: any Node) { self.body = body }

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        var last: Item?
        try evaluation.counted { () throws(Signal) in
            try body.all(evaluation, input, frame) { (item: Item) throws(Signal) in last = item }
        }
        if let last { try emit(last) }
    }
}

/// `isempty(body)`.
final class IsEmptyNode: ComputingNode {
    private let body: any Node
    init(_ body: any Node) { self.body = body }
    var isSingle: Bool { true }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        if let planning = evaluation.planning {
            return try planning.isEmpty(evaluation) { (emit: Emit<Value>) throws(Signal) in
                try body.all(evaluation, input, frame, emit)
            }
        }
        var isEmpty = true
        try body.until(evaluation, input, frame) { (_: Value) throws(Signal) in
            isEmpty = false
            return true
        }
        return .bool(isEmpty)
    }
}

/// `any(source; condition)` and `all(source; condition)`, which stop at the first deciding output.
final class AnyNode: ComputingNode {
    private let source: any Node
    private let condition: any Node
    private let decisive: Bool

    init(_ source: any Node, _ condition: any Node, decisive: Bool) {
        self.source = source
        self.condition = condition
        self.decisive = decisive
    }

    var isSingle: Bool { true }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        var isDecided = false
        let found = PipeNode(source, condition)
        if let planning = evaluation.planning {
            return try planning.any(decisive, evaluation) { (emit: Emit<Value>) throws(Signal) in
                try found.all(evaluation, input, frame, emit)
            }
        }
        try found.until(evaluation, input, frame) { (value: Value) throws(Signal) in
            isDecided = try value.truth() == decisive
            return isDecided
        }
        return .bool(isDecided == decisive)
    }
}

/// `range(from; to; by)`.
final class RangeNode: ComputingNode {
    private let from: any Node
    private let to: any Node
    private let by: any Node

    init(_ from: any Node, _ to: any Node, by: any Node) {
        self.from = from
        self.to = to
        self.by = by
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try from.all(evaluation, input, frame) { (start: Value) throws(Signal) in
            try to.all(evaluation, input, frame) { (end: Value) throws(Signal) in
                try by.all(evaluation, input, frame) { (step: Value) throws(Signal) in
                    try Self.count(start, end, step, evaluation, emit)
                }
            }
        }
    }

    private static func count(
        _ start: Value, _ end: Value, _ step: Value, _ evaluation: Evaluation, _ emit: Emit<Value>
    ) throws(Signal) {
        guard let from = start.double, let to = end.double, let by = step.double else {
            let bounds: Value = [start, end, step]
            guard let unknown = bounds.unknowns.first else {
                if !bounds.holdsSecret { throw .failure("Range bounds must be numeric") }
                let names = bounds.secretNames
                return try count(start.revealed, end.revealed, step.revealed, evaluation) {
                    (value: Value) throws(Signal) in try emit(.secret(value, of: names))
                }
            }
            return try evaluation.plan(for: unknown).openly { () throws(Signal) in
                try emit(try evaluation.plan(for: unknown).pending(.number))
            }
        }
        guard by != 0, !from.isNaN, !to.isNaN else { return }
        var current = from
        // Bounds are compared as they are written, steps as doubles.
        var order = try start.compared(to: end, evaluation)
        while by > 0 ? order < 0 : order > 0 {
            try evaluation.step()
            try emit(.number(current))
            current += by
            order = current == to ? try Value.number(current).compared(to: end, evaluation) : current < to ? -1 : 1
        }
    }
}

/// `limit(count; body)`.
final class LimitNode: SelectingNode {
    private let count: any Node
    private let body: any Node

    init(_ count: any Node, _ body: any Node) {
        self.count = count
        self.body = body
    }

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        try count.all(evaluation, input.value, frame) { (count: Value) throws(Signal) in
            var left = try Self.number(count)
            guard left >= 0 else { throw .failure("limit doesn't support negative count") }
            if left == 0 { return }
            try body.until(evaluation, input, frame) { (item: Item) throws(Signal) in
                left -= 1
                try emit(item)
                return left <= 0
            }
        }
    }

    static func number(_ count: Value) throws(Signal) -> Double {
        guard let number = count.revealed.double else {
            if count.unknown != nil { throw .undecided }
            throw .failure("\(count.named) is not a number")
        }
        return number
    }
}

/// `skip(count; body)`.
final class SkipNode: SelectingNode {
    private let count: any Node
    private let body: any Node

    init(_ count: any Node, _ body: any Node) {
        self.count = count
        self.body = body
    }

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        try count.all(evaluation, input.value, frame) { (count: Value) throws(Signal) in
            var left = try LimitNode.number(count)
            guard left >= 0 else { throw .failure("skip doesn't support negative count") }
            try evaluation.counted { () throws(Signal) in
                try body.all(evaluation, input, frame) { (item: Item) throws(Signal) in
                    if left >= 1 { left -= 1 } else { try emit(item) }
                }
            }
        }
    }
}

/// `add(body)`: the sum of all outputs.
final class AddNode: ComputingNode {
    private let body: any Node
    init(_ body: any Node) { self.body = body }
    var isSingle: Bool { true }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        var sum = Value.null
        try evaluation.counted { () throws(Signal) in
            try body.all(evaluation, input, frame) { (value: Value) throws(Signal) in try sum.add(value, evaluation) }
        }
        return sum
    }
}
