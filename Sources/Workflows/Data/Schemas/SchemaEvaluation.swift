/// One validation of one value, which stops at the first violation or records all of them.
struct SchemaEvaluation {
    /// The maximum nesting of subschemas, which bounds the stack that a hostile schema can use.
    static let depthLimit = 1500
    static let violationsLimit = 1000

    typealias Index = SchemaProgram.Index

    struct Evaluated {
        var allNames = false
        var names: Set<String> = []
        var allItems = false
        /// The number of evaluated elements from the start; `items` has the others.
        var itemCount = 0
        var items: Set<Int> = []

        mutating func merge(_ other: Evaluated) {
            allNames = allNames || other.allNames
            allItems = allItems || other.allItems
            itemCount = max(itemCount, other.itemCount)
            if !other.names.isEmpty { names.formUnion(other.names) }
            if !other.items.isEmpty { items.formUnion(other.items) }
        }
    }

    let program: SchemaProgram
    let budget: SchemaBudget
    private(set) var isRecording: Bool
    /// Whether to record only enough of an alternative to decide whether it was intended.
    var isSketching = false
    var violations: [JSONSchema.Violation] = []
    private var path: [String] = []
    /// Whether a subschema needs to know what has been evaluated in the current value.
    private(set) var isTracking = false
    private var dynamicScope: [Int] = []
    private var depth = 0
    private let stack: StackMark
    /// Whether the stack was too small, but a larger one may suffice.
    private(set) var needsLargeStack = false
    /// The subschemas of the current value, outermost first: a repeated one would recurse forever.
    private var active: [Index] = []
    private var holdsUnknown = false
    private var limit: JSONSchema.Violation?

    private static let tooLong = JSONSchema.Violation(
        instance: .root, schema: .root, message: "takes too many steps to be checked against its schema")
    static let tooDeep = "is nested too deeply to be checked, or its schema refers to itself without end"

    init(
        _ program: SchemaProgram, _ value: Value, steps: Int, until interrupt: Interrupt?, _ stack: StackMark,
        isRecording: Bool
    ) {
        self.stack = stack
        self.program = program
        self.isRecording = isRecording
        budget = SchemaBudget(value, steps: steps, until: interrupt)
    }

    mutating func run(_ value: Value) -> Bool {
        var evaluated = Evaluated()
        holdsUnknown = value.holdsUnknown
        let holds = apply(program.root, to: value, &evaluated)
        if !budget.end(), limit == nil { limit = Self.tooLong }
        guard let limit else { return holds }
        violations.append(limit)
        return false
    }

    /// Runs code that takes steps of the budget; nil if it is used up.
    mutating func spending<Result>(_ body: (SchemaBudget) throws(Signal) -> Result) -> Result? {
        do throws(Signal) {
            return try body(budget)
        } catch {
            if limit == nil { limit = Self.tooLong }
            return nil
        }
    }

    /// Applies a subschema to a value; its evaluations count only if the value is valid.
    mutating func apply(_ index: Index, to value: Value, _ evaluated: inout Evaluated) -> Bool {
        if limit != nil { return false }
        let subschema = program.subschemas[index]
        if subschema.isNever { return refuse(subschema, nil, "must not be present") }
        if subschema.isNullable, value.isNull { return true }
        depth += 1
        defer { depth -= 1 }
        let steps = 1 + subschema.weight + value.weight * subschema.keywords.count
        guard spending({ budget throws(Signal) in try budget.step(steps) }) != nil else { return false }
        let isExhausted = stack.isExhausted
        needsLargeStack = isExhausted && !stack.isLarge
        guard !active.contains(index), depth <= Self.depthLimit, !isExhausted else {
            limit = JSONSchema.Violation(
                instance: JSONPointer(path), schema: subschema.pointer, message: Self.tooDeep)
            return false
        }
        active.append(index)
        defer { active.removeLast() }
        let entersResource = dynamicScope.last != subschema.resource
        if entersResource { dynamicScope.append(subschema.resource) }
        defer { if entersResource { dynamicScope.removeLast() } }
        let wasTracking = isTracking
        let asks = subschema.unevaluatedProperties != nil || subschema.unevaluatedItems != nil
        isTracking = wasTracking || asks
        defer { isTracking = wasTracking }
        var own = Evaluated()
        var holds = true
        for keyword in subschema.keywords {
            if check(keyword, value, subschema, &own) { continue }
            holds = false
            guard isRecording, !(isSketching && keyword.isDecisive) else { return false }
        }
        if holds, asks { holds = checkUnevaluated(subschema, value, &own) }
        if holds, wasTracking { evaluated.merge(own) }
        return holds
    }

    private mutating func check(
        _ keyword: SchemaProgram.Keyword, _ value: Value, _ subschema: SchemaProgram.Subschema,
        _ evaluated: inout Evaluated
    ) -> Bool {
        if case .marked(let marked) = value, !keyword.isLogic {
            return checkMarked(keyword, value, marked, subschema, &evaluated)
        }
        switch keyword {
        case .type, .allowed, .const: return checkKind(keyword, value, subschema)
        case .multipleOf, .limit:
            guard value.double != nil else { return true }
            return checkNumber(keyword, value, subschema)
        case .length, .pattern, .format:
            guard case .string(let text) = value else { return true }
            return checkText(keyword, text, shown: value, subschema)
        case .itemCount, .uniqueItems, .items, .contains:
            guard case .array(let array) = value else { return true }
            return checkArray(keyword, array, subschema, &evaluated)
        case .propertyCount, .required, .dependentRequired, .dependentSchemas, .members, .propertyNames:
            guard case .object(let object) = value else { return true }
            return checkObject(keyword, object, subschema, &evaluated)
        case .reference(let target): return apply(target, to: value, &evaluated)
        case .dynamicReference(let target, let anchor):
            let outermost = dynamicScope.lazy.compactMap { [program] in program.dynamicAnchors[$0][anchor] }.first
            return apply(outermost ?? target, to: value, &evaluated)
        case .all, .any, .one, .not, .condition: return checkLogic(keyword, value, subschema, &evaluated)
        }
    }

    mutating func descend(_ index: Index, to value: Value, at token: @autoclosure () -> String) -> Bool {
        if isRecording { path.append(token()) }
        defer { if isRecording { path.removeLast() } }
        var outer: [Index] = []
        swap(&outer, &active)
        let wasTracking = isTracking
        isTracking = false
        defer {
            swap(&outer, &active)
            isTracking = wasTracking
        }
        var evaluated = Evaluated()
        return apply(index, to: value, &evaluated)
    }

    /// Decides without recording, as needed for `not`, `if` and `contains`.
    ///
    /// - Parameter isInside: Whether the value is inside the one to which the keyword applies.
    mutating func holds(
        _ index: Index, _ value: Value, _ evaluated: inout Evaluated, isInside: Bool = false
    ) -> Bool {
        let wasRecording = isRecording
        isRecording = false
        defer { isRecording = wasRecording }
        return isInside ? descend(index, to: value, at: "") : apply(index, to: value, &evaluated)
    }

    /// Whether a value holds unknowns, so its violations are certain, but its validity is not.
    func isUnknown(_ value: Value) -> Bool { holdsUnknown && value.holdsUnknown }

    var level: Int { path.count }

    mutating func refuse(
        _ subschema: SchemaProgram.Subschema, _ keyword: String?, _ message: @autoclosure () -> String,
        hint: @autoclosure () -> String? = nil, member: String? = nil, part: Document.Part = .value,
        cause: JSONSchema.Violation.Cause? = nil
    ) -> Bool {
        guard isRecording, isSketching || violations.count < Self.violationsLimit else { return false }
        violations.append(
            JSONSchema.Violation(
                instance: JSONPointer(path + (member.map { [$0] } ?? [])), part: part,
                schema: keyword.map { subschema.pointer.appending($0) } ?? subschema.pointer, message: message(),
                hint: hint(), cause: cause))
        return false
    }
}

extension Value {
    /// The cost of reading it once, without what it contains.
    fileprivate var weight: Int {
        switch self {
        case .string(let text): text.utf8.count >> 6
        case .array(let elements): elements.count >> 4
        case .object(let members): members.count >> 4
        case .null, .bool, .integer, .double, .marked: 0
        }
    }
}
