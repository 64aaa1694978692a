/// `sort_by`, `group_by`, `unique_by`, `min_by` and `max_by`: orders an array by a filter's outputs for each element.
final class GroupingNode: ComputingNode {
    enum Operation: Sendable {
        case sort, group, unique, minimum, maximum

        var isReducing: Bool { self == .minimum || self == .maximum }
    }

    private let operation: Operation
    private let key: any Node

    init(_ operation: Operation, by key: any Node) {
        self.operation = operation
        self.key = key
    }

    var isSingle: Bool { true }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        guard case .array(let elements) = input else {
            if let unknown = input.unknown { return try result(ofUnknown: unknown, evaluation) }
            throw refusal(of: input)
        }
        var entries: [(key: Value, value: Value)] = []
        entries.reserveCapacity(elements.count)
        for element in elements {
            try evaluation.step()
            entries.append((try keyValue(element, evaluation, frame), element))
        }
        do throws(Signal) {
            return try Self.apply(operation, entries, evaluation)
        } catch .undecided {
            guard let planning = evaluation.planning else { throw .undecided }
            return Self.result(planning, entries.map(\.value), operation)
        } catch {
            throw error
        }
    }

    private static func result(_ planning: Planning, _ elements: [Value], _ operation: Operation) -> Value {
        let array = planning.array(of: elements)
        return switch operation {
        case .sort, .unique: array
        case .group: planning.array(of: [array])
        case .minimum, .maximum: planning.pending(array.elements.first?.shape ?? .any, fails: false)
        }
    }

    private func result(ofUnknown unknown: Unknown, _ evaluation: Evaluation) throws(Signal) -> Value {
        let planning = try evaluation.plan(for: unknown)
        switch unknown.shape {
        case .array(let element):
            planning.risks += 1
            switch operation {
            case .sort, .unique, .group: return Self.result(planning, [element], operation)
            case .minimum, .maximum: return planning.pending()
            }
        case .any: return planning.pending(operation.isReducing ? .any : .array(planning.pending()))
        case .text, .number, .boolean, .object: throw refusal(of: .unknown(unknown))
        }
    }

    /// A single output is used as the key, because it sorts like an array of it.
    private func keyValue(_ element: Value, _ evaluation: Evaluation, _ frame: Frame?) throws(Signal) -> Value {
        if key.isSingle { return try key.one(evaluation, element, frame) }
        return try ArrayNode.collected(key, evaluation, element, frame)
    }

    private func refusal(of input: Value) -> Signal {
        switch operation {
        case .sort: .failure("\(input.named) cannot be sorted, as it is not an array")
        case .group, .unique: .failure("\(input.named) cannot be grouped, as it is not an array")
        case .minimum, .maximum: .failure("\(input.named) cannot be iterated over")
        }
    }

    static func apply(
        _ operation: Operation, _ entries: [(key: Value, value: Value)], _ evaluation: Evaluation
    ) throws(Signal) -> Value {
        switch operation {
        case .sort:
            let sorted = try Value.sorted(entries, evaluation).map(\.value)
            try evaluation.built(.array(sorted), count: sorted.count)
            return .array(sorted)
        case .group:
            let groups = try groups(entries, evaluation).map { group in Value.array(group.map(\.value)) }
            try evaluation.built(.array(groups), count: entries.count + groups.count * 3)
            return .array(groups)
        case .unique:
            let firsts = try groups(entries, evaluation).compactMap(\.first?.value)
            try evaluation.built(.array(firsts), count: firsts.count)
            return .array(firsts)
        case .minimum:
            guard var best = entries.first else { return .null }
            for entry in entries.dropFirst() where try entry.key.compared(to: best.key, evaluation) < 0 { best = entry }
            return best.value
        case .maximum:
            guard var best = entries.first else { return .null }
            for entry in entries.dropFirst() where try entry.key.compared(to: best.key, evaluation) >= 0 {
                best = entry
            }
            return best.value
        }
    }

    private static func groups(
        _ entries: [(key: Value, value: Value)], _ evaluation: Evaluation
    ) throws(Signal) -> [[(key: Value, value: Value)]] {
        var groups: [[(key: Value, value: Value)]] = []
        for entry in try Value.sorted(entries, evaluation) {
            if let last = groups.last?.first, try last.key.compared(to: entry.key, evaluation) == 0 {
                groups[groups.count - 1].append(entry)
            } else {
                groups.append([entry])
            }
        }
        return groups
    }
}
