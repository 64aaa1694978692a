/// The steps that one validation may take, so a hostile schema or value cannot occupy the processor.
///
/// Applying a schema to a value is one step. Large values may take more steps, in proportion to their size.
final class SchemaBudget: StepBudget {
    static let steps = 10_000_000
    private static let stepsPerNode = 4

    private var steps: StepCounter
    private var value: Value?

    init(_ value: Value, steps: Int, until interrupt: Interrupt? = nil) {
        self.value = value
        self.steps = StepCounter(steps, until: interrupt)
    }

    func end() -> Bool { steps.end() }

    func step(_ count: Int) throws(Signal) {
        if try steps.count(count) { return }
        // The value is counted only if validation takes long.
        if let value {
            steps.add(value.nodeCount * Self.stepsPerNode)
            self.value = nil
        }
        guard try steps.count(0) else { throw .exhausted(ExpressionError("the validation takes too many steps")) }
    }
}

extension Value {
    /// The number of contained values; long texts count by their length.
    var nodeCount: Int {
        guard isContainer else { return 1 + (string?.utf8.count ?? 0) >> 6 }
        var count = 0
        // Data may be nested deeper than a thread's stack allows.
        var waiting = [self]
        while let value = waiting.popLast() {
            count += 1
            switch value {
            case .string(let text): count += text.utf8.count >> 6
            case .array(let elements): waiting += elements
            case .object(let members): waiting += members.lazy.map(\.value)
            case .null, .bool, .integer, .double, .marked: break
            }
        }
        return count
    }
}
