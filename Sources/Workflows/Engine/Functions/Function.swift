public import Promises

/// What `call` names: an operation with an effect, described for validation and for people.
public struct Function: Sendable {
    /// What a function does with its input, in a context.
    public typealias Body = @Sendable (_ input: Value, _ context: FunctionContext) throws -> Promise<Value>

    /// Finds errors in a `with` before anything runs; the values of expressions are unknown.
    typealias Check = @Sendable (_ with: Value, _ files: WorkflowFiles) -> [Finding]

    /// The effect of a `with` before anything runs; nil if it depends on unknowns.
    typealias EffectOfArguments = @Sendable (_ with: Value, _ files: WorkflowFiles) -> Effect?

    /// Reads what a call needs and prepares it without making it.
    typealias Preparation = @Sendable (_ input: Value, _ context: FunctionContext) throws -> Promise<PreparedCall>

    /// The kinds of calls that unknown arguments can lead to in a plan, by what a document says of them.
    typealias Kinds =
        @Sendable (_ arguments: Value, _ context: FunctionContext) throws -> Promise<
            [PlannedArguments.Kind]
        >

    /// An error in a `with`.
    public struct Finding: Sendable, Hashable {
        /// The place inside the `with`.
        public var pointer: JSONPointer
        /// A stable name of the kind of finding, such as `missing-file`.
        public var id: String
        /// What is wrong, in one sentence without a full stop.
        public var message: String
        /// What to do about it, if anything.
        public var hint: String?
        /// The offset in the text at that place, in Unicode scalars; nil for all of it.
        var offset: Int?
        /// Whether the workflow can be run.
        var severity = Diagnostic.Severity.error
    }

    /// The name that `call` uses.
    public let name: String
    /// The version, in three numbers.
    public let version: String
    /// What the function does, in one sentence.
    public let summary: String
    /// The JSON Schema of `with`.
    public let input: Value
    /// The JSON Schema of what the function returns.
    public let output: Value
    /// The least-privileged permissions that it needs.
    public let permissions: Permissions
    /// What it does to the world.
    public let effect: Effect

    /// Whether it is not one of graphflow's own, so that a plan does not know what it does with its input.
    let isCustom: Bool

    /// Whether the engine performs it, because it runs another workflow.
    let runsWorkflow: Bool

    /// The output that is assumed when a person confirms that it was done.
    let assumedOutput: Value

    /// The kinds of calls in a plan; nil if the input's schema says enough.
    let kinds: Kinds?

    private let preparation: Preparation
    private let effectOfArguments: EffectOfArguments?
    private let check: Check?
    /// The JSON Schema of the evaluated `with`, which may allow more than a file.
    private let schema: FunctionInputSchema
    /// Whether a null member counts as not given, because an expression that finds nothing returns null.
    private let ignoresNull: Bool

    /// Creates a custom function.
    public init(
        name: String, version: String = "1.0.0", summary: String = "", input: Value = true, output: Value = true,
        permissions: Permissions = Permissions(), effect: Effect = .once, body: @escaping Body
    ) {
        self.init(
            name, version: version, summary: summary, input: input, output: output, permissions: permissions,
            effect: effect, ignoresNull: false, isCustom: true, check: nil, body: body)
    }

    /// Creates a function of the default catalog.
    init(
        _ name: String, version: String = "1.0.0", summary: String, input: Value, output: Value,
        permissions: Permissions = Permissions(), effect: Effect, ignoresNull: Bool = true, isCustom: Bool = false,
        runsWorkflow: Bool = false, commitsItself: Bool = false,
        assumedOutput: Value = .null, check: Check? = nil, body: @escaping Body
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.input = input
        self.output = output
        self.permissions = permissions
        self.effect = effect
        self.ignoresNull = ignoresNull
        self.isCustom = isCustom
        self.runsWorkflow = runsWorkflow
        self.check = check
        schema = FunctionInputSchema(input)
        effectOfArguments = nil
        kinds = nil
        self.assumedOutput = assumedOutput
        preparation = { input, context in
            var call = PreparedCall(effect: effect) { try body(input, context) }
            call.commitsItself = commitsItself
            return .value(call)
        }
    }

    /// Creates a call whose effect depends on its arguments: one of the standard, or of Graph.
    /// - Parameters:
    ///   - name: The name that `call` uses.
    ///   - summary: What the call does, in one sentence.
    ///   - input: The JSON Schema of `with` as a file may write it.
    ///   - evaluatedInput: The JSON Schema of the evaluated `with`, which may allow more than a file.
    ///   - effectOfArguments: The effect, if it is known before anything runs.
    ///   - check: Finds errors before anything runs.
    ///   - kinds: The kinds of calls in a plan; nil if the input's schema says enough.
    ///   - preparation: Prepares the call.
    init(
        protocol name: String, summary: String, input: Value, evaluatedInput: Value,
        effectOfArguments: @escaping EffectOfArguments, check: Check? = nil, kinds: Kinds? = nil,
        preparation: @escaping Preparation
    ) {
        self.name = name
        version = "1.0.0"
        self.summary = summary
        self.input = input
        schema = FunctionInputSchema(evaluatedInput)
        output = true
        permissions = Permissions()
        effect = .once
        assumedOutput = .null
        ignoresNull = true
        isCustom = false
        runsWorkflow = false
        self.check = check
        self.effectOfArguments = effectOfArguments
        self.kinds = kinds
        self.preparation = preparation
    }

    /// Finds errors in a `with` beyond its schema, such as a missing file; runs nothing.
    ///
    /// - Parameters:
    ///   - with: The `with` as it is written, with its expressions.
    ///   - files: The files beside the workflow.
    public func check(_ with: Value, files: WorkflowFiles) -> [Finding] {
        check?(with, files) ?? []
    }

    /// Validates the input and calls the function; every error rejects the promise.
    public func callAsFunction(_ input: Value, in context: FunctionContext) -> Promise<Value> {
        prepare(input, in: context).then(on: nil) { try $0.perform() }
    }

    /// Validates the input and prepares the call without making it.
    func prepare(_ input: Value, in context: FunctionContext) -> Promise<PreparedCall> {
        do {
            return try preparation(try arguments(input, allowsUnknowns: context.isPlanning), context)
        } catch {
            return Promise(error: error)
        }
    }

    /// The arguments that are given, if they match the function's schema.
    func arguments(_ input: Value, allowsUnknowns: Bool) throws(FunctionError) -> Value {
        let given = ignoresNull ? Self.withoutNulls(input) : input
        try validate(given, allowsUnknowns: allowsUnknowns)
        return given
    }

    /// What a call with these arguments does to the world; nil if it depends on unknowns.
    /// - Parameters:
    ///   - with: The `with` as it is written, with its expressions.
    ///   - files: The files beside the workflow.
    func effect(of with: Value, files: WorkflowFiles) -> Effect? {
        guard let effectOfArguments else { return effect }
        return effectOfArguments(with, files)
    }

    private func validate(_ given: Value, allowsUnknowns: Bool) throws(FunctionError) {
        let compiled: JSONSchema
        do {
            compiled = try schema.compiled
        } catch {
            throw FunctionError("The input schema of '\(name)' is wrong at '\(error.schema)': \(error.message)")
        }
        let violations = compiled.validate(given).filter { !allowsUnknowns || !$0.isAboutToken(in: given) }
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

/// A call that is ready to be made: its effect is known.
struct PreparedCall: Sendable {
    /// What making it does to the world.
    var effect: Effect
    /// Whether it commits the journal itself, before the step that must happen once.
    var commitsItself = false
    /// Makes it.
    var perform: @Sendable () throws -> Promise<Value>

    init(effect: Effect, perform: @escaping @Sendable () throws -> Promise<Value>) {
        self.effect = effect
        self.perform = perform
    }
}

extension Value {
    /// Whether this is computed when the workflow runs, and so unknown before.
    var isComputed: Bool { string?.contains("${") ?? false }

    /// The text, unless it is computed when the workflow runs.
    var literal: String? { isComputed ? nil : string }
}

extension Function.Finding {
    /// Creates a finding from an error.
    init(_ error: FunctionError, id: String, at member: String) {
        self.init(
            pointer: error.pointer ?? JSONPointer([member]), id: id, message: error.message, hint: error.hint)
    }

    /// Creates a finding from the error of a request that was not sent.
    init(_ error: GraphError, id: String, at pointer: JSONPointer) {
        let message = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
        self.init(pointer: pointer, id: id, message: message, hint: error.hint)
    }
}
