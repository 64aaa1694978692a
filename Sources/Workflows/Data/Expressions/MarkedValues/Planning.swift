/// The state of an evaluation for a plan.
///
/// The evaluation is an abstract interpretation: a known value represents itself, and an unknown every value of its
/// shape. Anything that depends on an unknown is *pending*: an unknown that gets its name when the evaluation ends. If
/// even the number of outputs is unknown, the evaluation ends with ``Signal/undecided``, unless a collector can
/// represent that.
final class Planning {
    final class Collector {
        /// Whether some outputs may occur any number of times, including none.
        var isOpen = false
    }

    /// The limits of open decisions at once and in total: a loop that an unknown ends would never finish.
    private static let deepest = 24
    private static let most = 1_000

    /// Takes the outputs; nil if code between counts them.
    var collector: Collector?
    var risks = 0
    /// The originals of copies of an example element's unknowns.
    private(set) var originals: [Unknown: Unknown] = [:]
    private var depth = 0
    private var count = 0

    /// Whether a decision was open, so the budget may be used up for nothing.
    var hasSpeculated: Bool { count > 0 }

    /// - Parameter fails: Whether it could not be computed for some values of the unknowns.
    func pending(_ shape: Unknown.Shape = .any, fails: Bool = true) -> Value {
        if fails { risks += 1 }
        return .unknown(Unknown("", shape, from: .pending))
    }

    func member(_ name: String, of unknown: Unknown, fails: Bool = true) -> Value {
        guard unknown.origin != .pending, originals[unknown] == nil else { return pending(fails: fails) }
        if fails { risks += 1 }
        return .unknown(unknown.member(name))
    }

    func joined(_ one: Value, _ other: Value) -> Value {
        one.joined(with: other) { _, shape, _ in Unknown("", shape, from: .pending) }
    }

    func array(of elements: [Value]) -> Value {
        guard let first = elements.first else { return .array([]) }
        return pending(.array(elements.dropFirst().reduce(first, joined)), fails: false)
    }

    func text(_ parts: [TextPart]) -> Value {
        for case .unknown(let unknown) in parts where unknown.origin == .pending { return pending(.text, fails: false) }
        let text = Value.text(parts)
        if let unknown = text.unknown, unknown.shape != .text { return pending(.text, fails: false) }
        return text
    }

    /// Runs the body while no collector takes its outputs.
    func counted<Result>(_ body: () throws(Signal) -> Result) throws(Signal) -> Result {
        let before = collector
        collector = nil
        defer { collector = before }
        return try body()
    }

    func openly(_ body: () throws(Signal) -> Void) throws(Signal) {
        guard let collector else { throw .undecided }
        collector.isOpen = true
        do throws(Signal) {
            try body()
        } catch .error {
            throw .undecided
        } catch {
            throw error
        }
    }

    /// Everything that the body emits on a branch that a run may not take.
    func speculated(_ body: (Emit<Value>) throws(Signal) -> Void) throws(Signal) -> (values: [Value], isOpen: Bool) {
        guard depth < Self.deepest, count < Self.most else { throw .undecided }
        depth += 1
        count += 1
        let before = collector
        let own = Collector()
        collector = own
        defer {
            collector = before
            depth -= 1
        }
        var values: [Value] = []
        do throws(Signal) {
            try body { (value: Value) throws(Signal) in values.append(value) }
        } catch {
            if case .stackTooSmall = error { throw error }
            throw .undecided
        }
        return (values, own.isOpen)
    }

    /// Emits the outputs of two branches of which a run takes one.
    func either<Item: Flow>(
        _ one: (Emit<Value>) throws(Signal) -> Void, _ other: (Emit<Value>) throws(Signal) -> Void,
        _ emit: Emit<Item>
    ) throws(Signal) {
        // A place has one path, so branches to different places are undecided.
        guard !Item.hasPlace else { throw .undecided }
        let first = try speculated(one)
        let second = try speculated(other)
        if !first.isOpen, !second.isOpen, first.values.count == second.values.count {
            for (one, other) in zip(first.values, second.values) { try emit(Item(computed: joined(one, other))) }
        } else {
            try openly { () throws(Signal) in
                for value in first.values + second.values { try emit(Item(computed: value)) }
            }
        }
    }

    /// Runs a body whose errors are caught: their absence must not depend on unknowns.
    func attempted<Result>(_ body: () throws(Signal) -> Result) throws(Signal) -> Result {
        let before = risks
        do throws(Signal) {
            let result = try body()
            if risks > before { throw Signal.undecided }
            return result
        } catch .error where risks > before {
            throw .undecided
        } catch {
            throw error
        }
    }

    func isEmpty(_ evaluation: Evaluation, _ body: (Emit<Value>) throws(Signal) -> Void) throws(Signal) -> Value {
        try decided(evaluation, body) { _ in true }.map { .bool(!$0) } ?? pending(.boolean, fails: false)
    }

    func any(
        _ decisive: Bool, _ evaluation: Evaluation, _ body: (Emit<Value>) throws(Signal) -> Void
    ) throws(Signal) -> Value {
        let isDecided = try decided(evaluation, body) { value in value.decidedTruth.map { $0 == decisive } }
        return isDecided.map { .bool($0 == decisive) } ?? pending(.boolean, fails: false)
    }

    /// Whether the body emits a deciding value; nil if unknown.
    private func decided(
        _ evaluation: Evaluation, _ body: (Emit<Value>) throws(Signal) -> Void, _ decides: @escaping (Value) -> Bool?
    ) throws(Signal) -> Bool? {
        let label = evaluation.newLabel()
        let before = collector
        let own = Collector()
        collector = own
        defer { collector = before }
        var isUncertain = false
        do throws(Signal) {
            try body { (value: Value) throws(Signal) in
                switch decides(value) {
                case false?: break
                // This decides, no matter what was uncertain before.
                case true? where !own.isOpen: throw Signal.leave(label)
                default:
                    isUncertain = true
                    count += 1
                }
            }
            return isUncertain ? nil : false
        } catch .leave(label) {
            return true
        } catch .undecided {
            risks += 1
            return nil
        } catch .error where isUncertain {
            risks += 1
            return nil
        } catch {
            throw error
        }
    }

    func fresh(_ element: Value) -> Value {
        var copies: [Unknown: Unknown] = [:]
        return fresh(element, &copies)
    }

    private func fresh(_ value: Value, _ copies: inout [Unknown: Unknown]) -> Value {
        value.mapMarks { marked in
            switch marked.content {
            case .secret: return .marked(marked)
            case .unknown(let unknown): return .unknown(fresh(unknown, &copies))
            case .text(let parts):
                return .text(
                    parts.map { part in
                        guard case .unknown(let unknown) = part else { return part }
                        return .unknown(fresh(unknown, &copies))
                    })
            }
        }
    }

    /// Replaces copies by their originals.
    func resolved(_ value: Value) -> Value {
        value.mapMarks { marked in
            switch marked.content {
            case .secret: return .marked(marked)
            case .unknown(let unknown): return .unknown(resolved(unknown))
            case .text(let parts):
                return .text(
                    parts.map { part in
                        guard case .unknown(let unknown) = part else { return part }
                        return .unknown(resolved(unknown))
                    })
            }
        }
    }

    private func resolved(_ unknown: Unknown) -> Unknown {
        if let original = originals[unknown] { return original }
        guard unknown.origin == .pending else { return unknown }
        switch unknown.shape {
        case .object(let members):
            return Unknown(
                unknown.name, .object(Object(members.map { ($0.key, resolved($0.value)) })), from: .pending)
        case .array(let element): return Unknown(unknown.name, .array(resolved(element)), from: .pending)
        case .any, .text, .number, .boolean: return unknown
        }
    }

    private func fresh(_ unknown: Unknown, _ copies: inout [Unknown: Unknown]) -> Unknown {
        if let copy = copies[unknown] { return copy }
        var shape = unknown.shape
        if case .object(let members) = shape, case .object(let copied) = fresh(.object(members), &copies) {
            shape = .object(copied)
        }
        let copy = Unknown(unknown.name, shape, from: unknown.origin)
        copies[unknown] = copy
        if unknown.origin != .pending { originals[copy] = originals[unknown] ?? unknown }
        return copy
    }
}

extension Evaluation {
    /// A decision about an unknown requires an evaluation for a plan.
    func plan(for unknown: Unknown) throws(Signal) -> Planning {
        guard let planning else { throw .failure("\(Drawing.of(unknown)) is only known at run time") }
        return planning
    }

    @inline(__always)
    func counted<Result>(_ body: () throws(Signal) -> Result) throws(Signal) -> Result {
        guard let planning else { return try body() }
        return try planning.counted(body)
    }

    @inline(__always)
    var risks: Int { planning?.risks ?? 0 }

    /// The value that `catch` receives; a message about unknown data is itself unknown.
    func caught(_ error: ExpressionError) -> Value {
        guard let planning, error.value == nil else { return error.caught }
        return planning.pending(.text, fails: false)
    }

    /// A single node's output; unknown if it is undecided.
    @inline(__always)
    func single(_ node: any Node, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        guard let planning else { return try node.one(self, input, frame) }
        do throws(Signal) {
            return try planning.counted { () throws(Signal) in try node.one(self, input, frame) }
        } catch .undecided {
            return planning.pending()
        } catch {
            throw error
        }
    }
}
