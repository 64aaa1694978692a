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
        if evaluation.planning != nil { return try planned(evaluation, input, frame) }
        let second = try right.one(evaluation, input, frame)
        let first = try left.one(evaluation, input, frame)
        return try Value.apply(operation, first, second, evaluation)
    }

    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {
        if evaluation.planning != nil { return value = try planned(evaluation, value, frame) }
        let second = try right.one(evaluation, value, frame)
        try left.transform(evaluation, &value, frame)
        if operation == .add {
            try value.add(second, evaluation)
        } else {
            value = try Value.apply(operation, value, second, evaluation)
        }
    }

    @inline(never)
    private func planned(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        let second = try evaluation.single(right, input, frame)
        return try apply(try evaluation.single(left, input, frame), second, evaluation)
    }

    /// In a plan, the result is unknown if it depends on unknowns.
    private func apply(_ first: Value, _ second: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        do throws(Signal) {
            return try Value.apply(operation, first, second, evaluation)
        } catch .undecided {
            guard let planning = evaluation.planning else { throw .undecided }
            switch operation {
            case .equal, .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual:
                return planning.pending(.boolean, fails: false)
            case .subtract: return planning.pending(.array(planning.pending()))
            default: return planning.pending()
            }
        } catch {
            throw error
        }
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try right.all(evaluation, input, frame) { (second: Value) throws(Signal) in
            try left.all(evaluation, input, frame) { (first: Value) throws(Signal) in
                try emit(try apply(first, second, evaluation))
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
        if evaluation.planning != nil { return try planned(evaluation, input, frame) }
        if try left.one(evaluation, input, frame).truth() == decisive { return .bool(decisive) }
        return .bool(try right.one(evaluation, input, frame).truth())
    }

    @inline(never)
    private func planned(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        let first = try evaluation.single(left, input, frame)
        if let unknown = first.unknown, first.decidedTruth == nil {
            return try either(right, unknown, evaluation, input, frame)
        }
        if try first.truth() == decisive { return .bool(decisive) }
        return try decided(try evaluation.single(right, input, frame), evaluation)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try left.all(evaluation, input, frame) { (first: Value) throws(Signal) in
            if case .marked = first, let unknown = first.unknown, first.decidedTruth == nil {
                // The number of right outputs matters only if the left side does not decide.
                guard right.isSingle else { throw .undecided }
                return try emit(try either(right, unknown, evaluation, input, frame))
            }
            if try first.truth() == decisive {
                try emit(.bool(decisive))
            } else {
                try right.all(evaluation, input, frame) { (second: Value) throws(Signal) in
                    try emit(try decided(second, evaluation))
                }
            }
        }
    }

    /// The right side's truth, if the left side does not decide.
    @inline(__always)
    private func decided(_ second: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        if case .marked = second, let unknown = second.unknown, second.decidedTruth == nil {
            return try evaluation.plan(for: unknown).pending(.boolean, fails: false)
        }
        return .bool(try second.truth())
    }

    /// The result for an unknown left side: the right side's truth if that decides alone.
    @inline(never)
    private func either(
        _ right: any Node, _ first: Unknown, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> Value {
        let planning = try evaluation.plan(for: first)
        do throws(Signal) {
            let second = try evaluation.single(right, input, frame)
            return second.decidedTruth == decisive ? .bool(decisive) : planning.pending(.boolean, fails: false)
        } catch .error {
            // It fails only if the left side does not decide.
            return planning.pending(.boolean)
        } catch {
            throw error
        }
    }
}

/// `-body`.
final class NegateNode: ComputingNode {
    private let body: any Node
    init(_ body: any Node) { self.body = body }
    var isSingle: Bool { body.isSingle }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        try negated(try body.one(evaluation, input, frame), evaluation)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try body.all(evaluation, input, frame) { (value: Value) throws(Signal) in
            try emit(try negated(value, evaluation))
        }
    }

    private func negated(_ value: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        if case .marked = value { return try value.markedNegation(evaluation) }
        return try value.negated()
    }
}
