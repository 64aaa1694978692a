struct Execution: Sendable {
    /// The depth that any caller's stack can release; deeper values are not returned.
    private static let handedOutLevels = 1_000

    let program: Program
    let variables: [Value]
    let budget: Expression.Budget
    let environment: Expression.Environment
    let marks: Bool
    let allowsUnknowns: Bool
    /// The maximum number of outputs; nil for all.
    let limit: Int?

    private enum Outcome: Sendable {
        case outputs([Value])
        case failed(ExpressionError)
        case undecided
        case stackTooSmall
    }

    func outputs(of input: Value) -> Result<[Value], ExpressionError> {
        if !program.isDeep {
            switch run(input, StackMark()) {
            case .outputs(let outputs): return .success(outputs)
            case .failed(let error): return .failure(error)
            case .undecided: return .success([.unknown(Unknown("", from: .pending))])
            case .stackTooSmall: break
            }
        }
        // Nothing has been returned yet and an evaluation has no effects, so it can restart.
        let absence = Absence()
        let outcome = StackMark.onLargeStack { stack in run(input, stack) }
        absence?.end()
        if absence != nil, environment.interrupt?.isRequested == true { return .failure(.interrupted) }
        switch outcome {
        case .outputs(let outputs)?: return .success(outputs)
        case .failed(let error)?: return .failure(error)
        case .undecided?: return .success([.unknown(Unknown("", from: .pending))])
        case .stackTooSmall?, nil: return .failure(ExpressionError("the expression is nested too deeply"))
        }
    }

    /// Passes on each output as soon as it is known, on another thread, while this one waits.
    func emit(_ input: Value, _ body: @escaping @Sendable (Value) -> Void) throws(ExpressionError) {
        // An output cannot be taken back, so the evaluation starts on a sufficient stack.
        switch StackMark.onLargeStack({ stack in run(input, stack, body) }) {
        case .outputs(let outputs)?: outputs.forEach(body)
        case .failed(let error)?: throw error
        case .undecided?: body(.unknown(Unknown("", from: .pending)))
        case .stackTooSmall?, nil: throw ExpressionError("the expression is nested too deeply")
        }
    }

    /// - Parameter emit: Receives the outputs that are known before the outcome, instead of the outcome.
    private func run(_ input: Value, _ stack: StackMark, _ emit: ((Value) -> Void)? = nil) -> Outcome {
        let evaluation = Evaluation(
            program, variables: variables, environment: environment, budget: budget, stack: stack,
            marks: marks, planning: allowsUnknowns ? Planning() : nil)
        let outcome = run(input, evaluation, emit)
        return evaluation.end() ? outcome : .failed(.interrupted)
    }

    private func run(_ input: Value, _ evaluation: Evaluation, _ emit: ((Value) -> Void)?) -> Outcome {
        do throws(Signal) {
            let outputs = try collect(evaluation, input, emit)
            return .outputs(evaluation.planning.map { outputs.map($0.resolved) } ?? outputs)
        } catch {
            switch error {
            case .exhausted where evaluation.planning?.hasSpeculated == true: return .undecided
            case .error(let error), .exhausted(let error): return .failed(error)
            case .leave: return .failed(ExpressionError("break"))
            case .undecided where evaluation.planning == nil:
                return .failed(ExpressionError("the result depends on data that is only known at run time"))
            case .undecided: return .undecided
            case .stackTooSmall: return .stackTooSmall
            }
        }
    }

    private func collect(
        _ evaluation: Evaluation, _ input: Value, _ emit: ((Value) -> Void)?
    ) throws(Signal) -> [Value] {
        let root = program.root
        if root.isSingle {
            let output = try root.one(evaluation, input, nil)
            if evaluation.mayBeDeep { try output.checkLevels(Self.handedOutLevels, evaluation) }
            return [output]
        }
        var outputs: [Value] = []
        func take(_ value: Value) throws(Signal) {
            try evaluation.allocate(24)
            if evaluation.mayBeDeep { try value.checkLevels(Self.handedOutLevels, evaluation) }
            if let emit { emit(value) } else { outputs.append(value) }
        }
        guard let limit else {
            try root.all(evaluation, input, nil, take)
            return outputs
        }
        try root.until(evaluation, input, nil) { (value: Value) throws(Signal) in
            try take(value)
            return outputs.count >= limit
        }
        return outputs
    }
}

extension Value {
    fileprivate func checkLevels(_ limit: Int, _ evaluation: Evaluation) throws(Signal) {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            if limit == 0 { throw evaluation.exhausted("an output is nested too deeply") }
            for element in elements { try element.checkLevels(limit - 1, evaluation) }
        case .object(let members) where !members.isEmpty:
            if limit == 0 { throw evaluation.exhausted("an output is nested too deeply") }
            for member in members { try member.value.checkLevels(limit - 1, evaluation) }
        default: break
        }
    }
}
