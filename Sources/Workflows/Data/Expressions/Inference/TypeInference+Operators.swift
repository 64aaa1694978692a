extension TypeInference {
    mutating func binary(
        _ operation: Syntax.Operator, _ left: Syntax, _ right: Syntax, _ input: DataType, _ use: Use
    ) -> Outputs {
        switch operation {
        case .alternative:
            let first = silently { $0.outputs(left, input) }
            let second = outputs(right, input, use)
            return Outputs(first.type.without(.null).or(second.type), isCertain: second.isCertain)
        case .and, .or:
            let both = [outputs(left, input, .test), outputs(right, input, .test)]
            return Outputs(.boolean, isCertain: both.allSatisfy(\.isCertain))
        case .equal, .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual:
            let both = [outputs(left, input, .test), outputs(right, input, .test)]
            return Outputs(.boolean, isCertain: both.allSatisfy(\.isCertain))
        case .add, .subtract, .multiply, .divide, .remainder:
            let (one, other) = (outputs(left, input), outputs(right, input))
            return Outputs(
                Self.result(operation, one.type, other.type), isCertain: one.isCertain && other.isCertain)
        }
    }

    private static func result(_ operation: Syntax.Operator, _ left: DataType, _ right: DataType) -> DataType {
        let both = left.kinds.intersection(right.kinds)
        var result = DataType.nothing
        if both.contains(.number) { result = result.or(.number) }
        switch operation {
        case .add:
            if left.kinds.contains(.null) { result = result.or(right) }
            if right.kinds.contains(.null) { result = result.or(left) }
            if both.contains(.string) { result = result.or(.text) }
            if both.contains(.array) {
                result = result.or(.array(of: left.only(.array).element.or(right.only(.array).element)))
            }
            if both.contains(.object) { result = result.or(left.only(.object).adding(right.only(.object))) }
        case .subtract:
            if both.contains(.array) { result = result.or(left.only(.array)) }
        case .multiply:
            if both.contains(.object) { result = result.or(DataType.anything.only(.object)) }
            if left.kinds.contains(.string) || right.kinds.contains(.string) { result = result.or(.text).or(.null) }
        case .divide:
            if both.contains(.string) { result = result.or(.array(of: .text)) }
        default: break
        }
        return result.from(nil)
    }

    mutating func assign(
        _ assignment: Syntax.Assignment, _ target: Syntax, _ value: Syntax, _ input: DataType
    ) -> Outputs {
        // The assigned member need not exist.
        let former = silently { $0.outputs(target, input) }.type
        let new: DataType
        var isCertain = false
        switch assignment {
        case .set:
            let outputs = outputs(value, input)
            (new, isCertain) = (outputs.type, outputs.isCertain)
        case .modify: new = outputs(value, former).type
        case .combine(.alternative): new = former.or(outputs(value, input).type)
        case .combine(let operation): new = Self.result(operation, former, outputs(value, input).type)
        }
        guard case .index(.identity, .constant(.string(let name)), _) = target, input.kinds == .object else {
            return Outputs(.anything, isCertain: isCertain)
        }
        // '|=' removes the member if there is no value.
        let member = DataType.Member(name: name, type: new, isCertain: assignment.isSet)
        let type = input.adding(.object([member]))
        return Outputs((assignment.isSet ? type : type.withoutCertain(name)).from(nil), isCertain: isCertain)
    }
}

extension Syntax.Assignment {
    fileprivate var isSet: Bool { if case .set = self { true } else { false } }
}
