/// A jq expression, compiled once and evaluated any number of times.
public struct Expression: Sendable {
    /// A position at which an expression reads a variable that it does not bind itself.
    public struct VariableRead: Sendable, Hashable {
        /// The variable's name, without `$`.
        public let name: String
        /// The offset in the source, in Unicode scalars.
        public let offset: Int

        init(name: String, offset: Int) {
            self.name = name
            self.offset = offset
        }
    }

    /// The expression in jq, without `${ }` around it.
    public let source: String
    /// Every position at which the expression reads a variable that it does not bind itself.
    public let variableReads: [VariableRead]
    /// The paths read from the input and from variables, as far as the source shows them.
    package let reads: [StaticPath]

    /// The names of the variables that an evaluation needs, without `$`.
    public let variables: Set<String>

    /// Whether a null value must not become a part of a text.
    private(set) var refusesNull = false
    /// Nil if it is nested very deeply.
    let syntax: Syntax?
    private let program: Program

    /// Compiles an expression.
    ///
    /// Unbound variables are not an error here: ``variableReads`` lists the variables that an evaluation needs.
    public init(_ source: String) throws(ExpressionError) { try self.init(source, offset: 0) }

    /// Compiles an expression with or without `${ }` around it, as the standard allows for conditions and the like.
    public init(bare source: String) throws(ExpressionError) {
        if let inside = try Interpolation.whole(source) {
            try self.init(inside.source, offset: inside.offset)
        } else {
            try self.init(source, offset: 0)
        }
    }

    init(_ source: String, offset: Int) throws(ExpressionError) {
        let result = Compilation.run(source)
        switch result {
        case .success(let compilation):
            self.source = source
            program = compilation.program
            variableReads = compilation.variableReads.map { VariableRead(name: $0.name, offset: $0.offset + offset) }
            variables = Set(variableReads.map(\.name))
            reads = compilation.reads
            syntax = compilation.syntax
        case .failure(var error):
            error.offset = error.offset.map { $0 + offset }
            let inside = source.trimmed.dropFirst().dropLast()
            let hasBraces = source.trimmed.first == "{" && source.trimmed.last == "}"
            if offset > 0, hasBraces, case .success = Compilation.run(String(inside)) {
                error.message = "one brace is enough"
                error.hint = "write '${ \(String(inside).trimmed) }'"
            }
            throw error
        }
    }

    /// Evaluates the expression.
    ///
    /// - Parameters:
    ///   - input: The value of `.`.
    ///   - variables: Values by name, without `$`.
    ///   - budget: The limits of the evaluation.
    ///   - environment: The clock and the time zone.
    /// - Returns: All outputs in order.
    public func evaluate(
        _ input: Value, variables: [String: Value] = [:], budget: Budget = Budget(),
        environment: Environment = Environment()
    ) throws(ExpressionError) -> [Value] {
        try run(input, variables, budget, environment, marks: false, limit: nil)
    }

    /// Evaluates the expression on data that may hold secrets.
    ///
    /// - Parameter marks: Whether the data may hold marked values; without them, nothing is checked.
    package func evaluate(
        _ input: Value, variables: [String: Value] = [:], budget: Budget = Budget(),
        environment: Environment = Environment(), marks: Bool
    ) throws(ExpressionError) -> [Value] {
        try run(input, variables, budget, environment, marks: marks, limit: nil)
    }

    /// Evaluates the expression up to its first output, the one that workflows use.
    ///
    /// - Returns: The first output, or null if there is none.
    public func first(
        _ input: Value, variables: [String: Value] = [:], budget: Budget = Budget(),
        environment: Environment = Environment()
    ) throws(ExpressionError) -> Value {
        try run(input, variables, budget, environment, marks: false, limit: 1).first ?? .null
    }

    /// Evaluates the expression up to its first output, on data that may hold secrets.
    ///
    /// - Parameter marks: Whether the data may hold marked values; without them, nothing is checked.
    package func first(
        _ input: Value, variables: [String: Value] = [:], budget: Budget = Budget(),
        environment: Environment = Environment(), marks: Bool
    ) throws(ExpressionError) -> Value {
        try run(input, variables, budget, environment, marks: marks, limit: 1).first ?? .null
    }

    /// Evaluates the expression on another thread, and passes on each output as soon as it is known.
    package func evaluate(
        _ input: Value, variables: [String: Value], each body: @escaping @Sendable (Value) -> Void
    ) throws(ExpressionError) {
        try execution(variables, Budget(), Environment(), marks: false, limit: nil).emit(input, body)
    }

    func run(
        _ input: Value, _ variables: [String: Value], _ budget: Budget, _ environment: Environment,
        marks: Bool, allowsUnknowns: Bool = false, limit: Int?
    ) throws(ExpressionError) -> [Value] {
        try execution(variables, budget, environment, marks: marks, allowsUnknowns: allowsUnknowns, limit: limit)
            .outputs(of: input).get()
    }

    private func execution(
        _ variables: [String: Value], _ budget: Budget, _ environment: Environment, marks: Bool,
        allowsUnknowns: Bool = false, limit: Int?
    ) throws(ExpressionError) -> Execution {
        var values: [Value] = []
        values.reserveCapacity(program.globals.count)
        for name in program.globals {
            guard let value = variables[name] else {
                throw ExpressionError(
                    "$\(name) is not defined", offset: variableReads.first { $0.name == name }?.offset)
            }
            values.append(value)
        }
        return Execution(
            program: program, variables: values, budget: budget, environment: environment, marks: marks,
            allowsUnknowns: allowsUnknowns, limit: limit)
    }

    /// The limits of one evaluation.
    public struct Budget: Sendable, Hashable {
        /// The maximum number of steps; each output, call and element of a bulk operation is a step.
        public var steps: Int
        /// The maximum number of nested calls, and of levels in a value that it builds.
        public var depth: Int
        /// The maximum total size in bytes of the values that it builds.
        public var memory: Int

        /// Creates a budget; the defaults are those for a workflow's expressions.
        public init(steps: Int = 10_000_000, depth: Int = 10_000, memory: Int = 256 << 20) {
            self.steps = steps
            self.depth = depth
            self.memory = memory
        }
    }

    /// The same expression, with an error for null inside a text unless its source handles null by `?` or `//`.
    var demandingValue: Expression {
        var expression = self
        expression.refusesNull = !(syntax?.allowsNull ?? true)
        return expression
    }

    package var shown: String { source.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

extension Syntax {
    /// Whether it handles a missing value anywhere, by `?` or `//`.
    fileprivate var allowsNull: Bool {
        switch self {
        case .attempt, .binary(.alternative, _, _), .index(_, _, isOptional: true),
            .slice(_, _, _, isOptional: true), .iterate(_, isOptional: true):
            true
        default: parts.contains(where: \.allowsNull)
        }
    }
}
