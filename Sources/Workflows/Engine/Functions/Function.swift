/// What `call` names: an operation with an effect, described for validation and for people.
public struct Function: AnswerTyping {
    /// What a function does with its input, in a context.
    public typealias Body = @Sendable (_ input: Value, _ context: FunctionContext) throws -> Promise<Value>

    /// An error in a `with`.
    public typealias Finding = FunctionFinding

    /// Finds errors in a `with` before anything runs; the values of expressions are unknown.
    typealias Check = @Sendable (_ with: Value, _ files: WorkflowFiles) -> [Finding]

    /// The effect of a `with` before anything runs; nil if it depends on unknowns.
    typealias EffectOfArguments = @Sendable (_ with: Value, _ files: WorkflowFiles) -> Idempotency?

    /// Reads what a call needs and prepares it without making it.
    typealias Preparation = @Sendable (_ input: Value, _ context: FunctionContext) throws -> Promise<PreparedCall>

    /// The kinds of calls that unknown arguments can lead to in a plan, as a document describes them.
    typealias Kinds = @Sendable (Value, FunctionContext) throws -> Promise<[PlannedArguments.Kind]>

    /// The name that `call` uses.
    public let name: String
    /// The version, in three numbers.
    public let version: String
    /// What the function does, in one sentence.
    public let summary: String
    /// The JSON Schema of `with`.
    public var input: Value { schema.source }
    /// The JSON Schema of what the function returns.
    public let output: Value
    /// The least-privileged permissions that it needs.
    public var permissions: Permissions { requests?([:]).permissions ?? ownPermissions }
    private let ownPermissions: Permissions
    /// What it does to the world.
    public let effect: Idempotency

    /// Whether the function is not built in, so a plan does not know what it does with its input.
    private(set) var isCustom = false

    /// What the engine does itself for a call; nil if the function's body does it all.
    enum EngineCall: Sendable {
        /// It runs a workflow for each item.
        case items
        /// It waits for a person.
        case approval
        /// It takes back what its run did.
        case undo
    }

    private(set) var engineCall: EngineCall?

    /// The output assumed when a person confirms that the call was made.
    private(set) var assumedOutput = Value.null

    /// The kinds of calls in a plan; nil if the input's schema says enough.
    private(set) var kinds: Kinds?

    /// The requests to Graph of a call with these arguments; nil if only the permissions are given.
    private(set) var requests: ExpectedRequest.OfArguments?

    private let preparation: Preparation
    private var answerOfArguments: (@Sendable (Value) -> DataType?)?
    private var effectOfArguments: EffectOfArguments?
    private var exclusive: Exclusive?
    private var check: Check?
    /// The JSON Schema of the evaluated `with`, which may allow more than the file's.
    private let schema: FunctionInputSchema
    /// Whether a null member counts as absent: an expression that finds nothing returns null.
    private var ignoresNull = true

    /// Creates a custom function.
    public init(
        name: String, version: String = "1.0.0", summary: String = "", input: Value = true, output: Value = true,
        permissions: Permissions = Permissions(), effect: Idempotency = .once, body: @escaping Body
    ) {
        self.init(name, version, summary, { input }, output, permissions, effect) { input, context in
            .value(PreparedCall(effect: effect) { try body(input, context) })
        }
        isCustom = true
        ignoresNull = false
    }

    init<With: FunctionParameters>(
        _ name: String, version: String = "1.0.0", summary: String, input: With.Type, output: Value,
        permissions: Permissions = Permissions(), requests: ExpectedRequest.OfArguments? = nil, effect: Idempotency,
        isCustom: Bool = false, by engineCall: EngineCall? = nil,
        commitsItself: Bool = false, assumedOutput: Value = .null, exclusive: Exclusive? = nil, check: Check? = nil,
        body: @escaping @Sendable (_ with: With, _ context: FunctionContext) throws -> Promise<Value>
    ) {
        self.init(name, version, summary, { .object(With.parameterSchema) }, output, permissions, effect) {
            var call = PreparedCall(effect: effect) { [input = $0, context = $1] in try body(With(input), context) }
            call.commitsItself = commitsItself
            return .value(call)
        }
        self.requests = requests
        self.isCustom = isCustom
        self.engineCall = engineCall
        self.assumedOutput = assumedOutput
        self.exclusive = exclusive
        self.check = check
    }

    /// Creates a call whose effect depends on its arguments: one of the standard, or of Graph.
    ///
    /// `evaluated` has the schemas of arguments whose expressions can return more than a file writes.
    init(
        protocol name: String, summary: String, input: (some FunctionParameters).Type, evaluated: Object,
        requests: ExpectedRequest.OfArguments? = nil, effectOfArguments: @escaping EffectOfArguments,
        check: @escaping Check, kinds: Kinds? = nil, answer: (@Sendable (Value) -> DataType?)? = nil,
        preparation: @escaping Preparation
    ) {
        self.init(
            name, "1.0.0", summary, { .object(input.parameterSchema) }, true, Permissions(), .once,
            evaluated: evaluated,
            preparation: preparation)
        self.requests = requests
        self.effectOfArguments = effectOfArguments
        self.check = check
        self.kinds = kinds
        answerOfArguments = answer
    }

    private init(
        _ name: String, _ version: String, _ summary: String, _ input: @escaping @Sendable () -> Value,
        _ output: Value, _ permissions: Permissions, _ effect: Idempotency, evaluated: Object = [:],
        preparation: @escaping Preparation
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.output = output
        ownPermissions = permissions
        self.effect = effect
        self.preparation = preparation
        schema = FunctionInputSchema(evaluated: evaluated, input)
    }

    package func answer(to with: Value) -> DataType? { answerOfArguments?(with) }

    /// Finds errors in a `with` beyond its schema, such as a missing file; runs nothing.
    /// - Parameters:
    ///   - with: The `with` as it is written, with its expressions.
    ///   - files: The files next to the workflow.
    public func check(_ with: Value, files: WorkflowFiles) -> [Finding] {
        (exclusive?.findings(in: with) ?? []) + (check?(with, files) ?? [])
    }

    /// Validates the input and calls the function; every error rejects the promise.
    public func callAsFunction(_ input: Value, in context: FunctionContext) -> Promise<Value> {
        prepare(input, in: context).then(on: nil) { try $0.perform() }
    }

    func prepare(_ input: Value, in context: FunctionContext) -> Promise<PreparedCall> {
        firstly { try preparation(try arguments(input), context) }
    }

    /// The given arguments, if they match the function's schema.
    func arguments(_ input: Value) throws(FunctionError) -> Value {
        if let name = exclusive?.nullSelection(in: input) {
            throw FunctionError("'\(name)' is null", at: JSONPointer([name]), hint: "leave it out to select without it")
        }
        let given = ignoresNull ? Self.withoutNulls(input) : input
        try validate(given)
        if let finding = exclusive?.findings(in: given).first { throw FunctionError(finding) }
        return given
    }

    /// What a call with these arguments does to the world; nil if it depends on unknowns.
    /// - Parameters:
    ///   - with: The `with` as it is written, with its expressions.
    ///   - files: The files next to the workflow.
    public func effect(of with: Value, files: WorkflowFiles) -> Idempotency? {
        guard let effectOfArguments else { return effect }
        return effectOfArguments(with, files)
    }

    private func validate(_ given: Value) throws(FunctionError) {
        let compiled: JSONSchema
        do {
            compiled = try schema.compiled
        } catch {
            throw FunctionError("The input schema of '\(name)' is wrong at '\(error.schema)': \(error.message)")
        }
        let violations = compiled.validate(given).filter { !$0.isAboutToken(in: given) }
        guard let first = violations.first else { return }
        guard violations.count > 1 else {
            throw FunctionError(first.message, at: first.instance, hint: first.hint)
        }
        let all = violations.map { violation in
            violation.instance == .root ? violation.message : "\(violation.instance): \(violation.message)"
        }
        throw FunctionError(all.joined(separator: "; "))
    }

    private static func withoutNulls(_ input: Value) -> Value {
        switch input {
        case .null: .object(Object())
        case .object(let members): .object(members.filter { !$0.value.isNull })
        default: input
        }
    }
}

/// Parameters of which a call gives at most one.
struct Exclusive: Sendable {
    let id: String
    let names: [String]
    let hint: String

    init(_ id: String, _ names: [String], hint: String) { (self.id, self.names, self.hint) = (id, names, hint) }

    /// A parameter that is null while no other one is given: it would select everything by accident.
    fileprivate func nullSelection(in input: Value) -> String? {
        guard names.allSatisfy({ input[$0]?.isNull ?? true }) else { return nil }
        return names.first { input[$0]?.isNull ?? false }
    }

    fileprivate func findings(in with: Value) -> [Function.Finding] {
        let given = names.filter { !(with[$0]?.isNull ?? true) }
        guard given.count > 1 else { return [] }
        let message = "'\(given[0])' and '\(given[1])' cannot be given together"
        return [Function.Finding(id, at: [given[1]], message, hint: hint)]
    }
}

/// A call that is ready to be made: its effect is known.
struct PreparedCall: Sendable {
    var effect: Idempotency
    /// Whether it commits the journal itself, before the step that must happen once.
    var commitsItself = false
    /// What it does to people and things, as far as that is known before it is made.
    var consequences: [Effect] = []
    var perform: @Sendable () throws -> Promise<Value>

    init(
        effect: Idempotency, _ consequences: [Effect] = [],
        perform: @escaping @Sendable () throws -> Promise<Value>
    ) {
        self.effect = effect
        self.consequences = consequences
        self.perform = perform
    }
}

extension FunctionError {
    init(_ finding: Function.Finding) { self.init(finding.message, at: finding.pointer, hint: finding.hint) }

    /// Returns the closure's result; adds the place to an error that has none.
    static func placed<Result>(
        at place: JSONPointer, _ body: () throws -> Result
    ) throws(FunctionError) -> Result {
        do {
            return try body()
        } catch let error as FunctionError {
            throw error.at(place)
        } catch let error as GraphError {
            throw FunctionError(error).at(place)
        } catch let error as HTTPCallError {
            throw FunctionError(error.message, at: place, hint: error.hint)
        } catch {
            throw FunctionError("\(error)", at: place)
        }
    }
}

extension FunctionFinding {
    /// The finding for the closure's error; empty if it throws none.
    static func caught(_ id: String, at place: JSONPointer, _ body: () throws -> Void) -> [Self] {
        do throws(FunctionError) {
            try FunctionError.placed(at: place, body)
            return []
        } catch {
            return [Self(id, at: (error.pointer ?? place).tokens, error.message, hint: error.hint)]
        }
    }
}
