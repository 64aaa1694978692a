/// `target = value`, `target += value` and the like: each output of the value is assigned to or combined at all places.
final class AssignNode: ComputingNode {
    private let operation: Syntax.Operator?
    private let target: any Node
    private let value: any Node

    init(_ operation: Syntax.Operator?, _ target: any Node, _ value: any Node) {
        self.operation = operation
        self.target = target
        self.value = value
    }

    var isSingle: Bool { value.isSingle }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        var result = input
        try transform(evaluation, &result, frame)
        return result
    }

    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {
        let operand = try self.value.one(evaluation, value, frame)
        try assign(operand, to: &value, evaluation, frame)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try value.all(evaluation, input, frame) { (operand: Value) throws(Signal) in
            var result = input
            try assign(operand, to: &result, evaluation, frame)
            try emit(result)
        }
    }

    private func assign(
        _ operand: Value, to value: inout Value, _ evaluation: Evaluation, _ frame: Frame?
    ) throws(Signal) {
        for path in try PathNode.collect(target, evaluation, value, frame) {
            try evaluation.nested(value, operand, at: path?.length ?? 0)
            try value.update(path.keys[...], evaluation) { (element: inout Value) throws(Signal) in
                switch operation {
                case nil: element = operand
                case .add: try element.add(operand, evaluation)
                case let operation?: element = try Value.apply(operation, element, operand, evaluation)
                }
            }
        }
    }
}

/// `target |= update`: replaces the value at each place with the update's first output; without an output, deletes it.
final class ModifyNode: ComputingNode {
    private let target: any Node
    private let update: any Node
    init(_ target: any Node, _ update: any Node) {
        self.target = target
        self.update = update
    }

    var isSingle: Bool { true }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        var result = input
        try transform(evaluation, &result, frame)
        return result
    }

    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {
        var removed: [Value] = []
        for path in try PathNode.collect(target, evaluation, value, frame) {
            var isRemoved = false
            var isContainer = false
            let keys = path.keys
            try value.update(keys[...], evaluation) { (element: inout Value) throws(Signal) in
                defer { isContainer = element.isContainer }
                if update.isSingle { return try update.transform(evaluation, &element, frame) }
                isRemoved = true
                let before = element
                try update.until(evaluation, before, frame) { (new: Value) throws(Signal) in
                    element = new
                    isRemoved = false
                    return true
                }
            }
            if isContainer || keys.count > 16 { try evaluation.nested(value, value, at: keys.count) }
            if isRemoved { removed.append(.array(keys)) }
        }
        if !removed.isEmpty { value = try value.removing(removed, evaluation) }
    }
}
