public import Promises

/// What `call` names: something with an effect, described so that files can be checked and people can read about it.
public struct Function: Sendable {
    /// What a function does, given its input and what it may work with.
    public typealias Body = @Sendable (_ input: Value, _ context: FunctionContext) throws -> Promise<Value>

    /// What can be found wrong with a `with` before anything runs; strings that are expressions are not known yet.
    typealias Check = @Sendable (_ with: Value, _ files: WorkflowFiles) -> [Finding]

    /// What is known of the effect of a `with` before anything runs; nil where that hangs on what is not known yet.
    typealias EffectOfArguments = @Sendable (_ with: Value, _ files: WorkflowFiles) -> Effect?

    /// What a call comes to before it is made, when what it is made of has been read.
    typealias Preparation = @Sendable (_ input: Value, _ context: FunctionContext) throws -> Promise<PreparedCall>

    /// Something that is wrong with a `with`.
    public struct Finding: Sendable, Hashable {
        /// The place inside the `with`.
        public var pointer: JSONPointer
        /// A stable name of the kind of finding, such as `missing-file`.
        public var id: String
        /// What is wrong, in one sentence without a full stop.
        public var message: String
        /// What to do about it, where there is something to say.
        public var hint: String?
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

    /// What it gives where nobody but a person knows that it was done.
    let assumedOutput: Value

    private let preparation: Preparation
    private let effectOfArguments: EffectOfArguments?
    private let check: Check?
    /// The JSON Schema of the evaluated `with`, where that may be more than what a file may write.
    private let schema: FunctionInputSchema
    /// Whether a member that is null counts as not given, which is what an expression gives that finds nothing.
    private let ignoresNull: Bool

    /// Creates a function of a program's own.
    public init(
        name: String, version: String = "1.0.0", summary: String = "", input: Value = true, output: Value = true,
        permissions: Permissions = Permissions(), effect: Effect = .once, body: @escaping Body
    ) {
        self.init(
            name, version: version, summary: summary, input: input, output: output, permissions: permissions,
            effect: effect, ignoresNull: false, check: nil, body: body)
    }

    /// Creates a function of the default catalog.
    init(
        _ name: String, version: String = "1.0.0", summary: String, input: Value, output: Value,
        permissions: Permissions = Permissions(), effect: Effect, ignoresNull: Bool = true, commitsItself: Bool = false,
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
        self.check = check
        schema = FunctionInputSchema(input)
        effectOfArguments = nil
        self.assumedOutput = assumedOutput
        preparation = { input, context in
            var call = PreparedCall(effect: effect) { try body(input, context) }
            call.commitsItself = commitsItself
            return .value(call)
        }
    }

    /// Creates a call of the standard, whose effect hangs on its arguments.
    /// - Parameters:
    ///   - name: What `call` says.
    ///   - summary: What the call does, in one sentence.
    ///   - input: The JSON Schema of `with` as a file may write it.
    ///   - evaluatedInput: The JSON Schema of `with` after its expressions, which may give more than a file may write.
    ///   - effectOfArguments: What is known of the effect before anything runs.
    ///   - check: Finds what is wrong before anything runs.
    ///   - preparation: Reads what the call is made of.
    init(
        protocol name: String, summary: String, input: Value, evaluatedInput: Value,
        effectOfArguments: @escaping EffectOfArguments, check: Check? = nil, preparation: @escaping Preparation
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
        self.check = check
        self.effectOfArguments = effectOfArguments
        self.preparation = preparation
    }

    /// Finds what is wrong with a `with` beyond its schema, such as a file that is not there; nothing is run.
    ///
    /// - Parameters:
    ///   - with: The `with` as it is written, with its expressions.
    ///   - files: The files beside the workflow.
    public func check(_ with: Value, files: WorkflowFiles) -> [Finding] {
        check?(with, files) ?? []
    }

    /// Calls the function after comparing the input with its schema; whatever goes wrong rejects the promise.
    public func callAsFunction(_ input: Value, in context: FunctionContext) -> Promise<Value> {
        prepare(input, in: context).then(on: nil) { try $0.perform() }
    }

    /// Compares the input with its schema and reads what the call is made of, without making it.
    func prepare(_ input: Value, in context: FunctionContext) -> Promise<PreparedCall> {
        do {
            let given = ignoresNull ? Self.withoutNulls(input) : input
            try validate(given, allowsSymbols: context.isPlanning)
            return try preparation(given, context)
        } catch {
            return Promise(error: error)
        }
    }

    /// What a call with these arguments does to the world; nil where that hangs on what is not known yet.
    /// - Parameters:
    ///   - with: The `with` as it is written, with its expressions.
    ///   - files: The files beside the workflow.
    func effect(of with: Value, files: WorkflowFiles) -> Effect? {
        guard let effectOfArguments else { return effect }
        return effectOfArguments(with, files)
    }

    private func validate(_ given: Value, allowsSymbols: Bool) throws(FunctionError) {
        let compiled: JSONSchema
        do {
            compiled = try schema.compiled
        } catch {
            throw FunctionError("The input schema of '\(name)' is wrong at '\(error.schema)': \(error.message)")
        }
        let violations = compiled.validate(given).filter { !allowsSymbols || !$0.isAboutSymbol(in: given) }
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

/// A call that only has to be made: what it does to the world is known.
struct PreparedCall: Sendable {
    /// What making it does to the world.
    var effect: Effect
    /// Whether it says itself when what follows must be done once, and has what led to it written down then.
    var commitsItself = false
    /// Makes it.
    var perform: @Sendable () throws -> Promise<Value>

    init(effect: Effect, perform: @escaping @Sendable () throws -> Promise<Value>) {
        self.effect = effect
        self.perform = perform
    }
}

extension Value {
    /// Whether what stands here is computed when the workflow runs, so that nothing can be said about it before.
    var isComputed: Bool { string?.contains("${") ?? false }

    /// The text that stands here, unless it is computed when the workflow runs.
    var literal: String? { isComputed ? nil : string }
}
