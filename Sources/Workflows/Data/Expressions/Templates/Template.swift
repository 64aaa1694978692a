/// Data in which strings may be or contain expressions: `${ .user.mail }` or `Hello ${ .name }`.
///
/// A string that is exactly one expression keeps the type of its value; one inside a longer string interpolates, a
/// string as it is and everything else as JSON in one line.
public struct Template: Sendable {
    /// How a string without `${ }` is taken: `evaluate.mode` of the standard.
    public enum Mode: String, Sendable, Hashable {
        /// Only `${ }` makes an expression.
        case strict
        /// A string that is an expression as a whole is evaluated, with or without `${ }`.
        case loose
    }

    /// A place at which a variable is read.
    public struct VariableRead: Sendable, Hashable {
        /// The place of the string.
        public let pointer: JSONPointer
        /// The variable, and its offset inside that string.
        public let read: Expression.VariableRead
    }

    /// Something that is read, as far as that is plain from the source.
    public struct Read: Sendable, Hashable {
        /// The place of the string.
        public let pointer: JSONPointer
        /// What is read.
        public let path: Expression.StaticPath
    }

    /// Every place at which a variable is read.
    public let variableReads: [VariableRead]
    /// What is read of the input and of variables, as far as that is plain.
    public let reads: [Read]

    private let root: Part

    /// Compiles all expressions in the data.
    ///
    /// - Throws: every expression that cannot be compiled.
    public init(_ value: Value, mode: Mode = .strict) throws(TemplateError) {
        var builder = Builder(mode: mode)
        root = builder.part(value, at: .root)
        if !builder.findings.isEmpty { throw TemplateError(builder.findings) }
        variableReads = builder.variableReads
        reads = builder.reads
    }

    /// The names of the variables that an evaluation needs, without `$`.
    public var variables: Set<String> { Set(variableReads.map(\.read.name)) }

    /// Whether there is no expression in the data.
    public var isConstant: Bool {
        if case .constant = root { true } else { false }
    }

    /// Evaluates all expressions.
    ///
    /// - Throws: the first expression that ends in an error.
    /// - Returns: the data with the expressions' values in their places; null where an expression has no output.
    public func evaluate(
        _ input: Value, variables: [String: Value] = [:], budget: Expression.Budget = Expression.Budget(),
        environment: Expression.Environment = Expression.Environment()
    ) throws(TemplateError) -> Value {
        let scope = Scope(input: input, variables: variables, budget: budget, environment: environment)
        return try root.evaluate(scope, at: .root)
    }

    /// Evaluates all expressions by something else than their evaluation, which is told the place of each.
    package func evaluate(
        by evaluate: @escaping (Expression, JSONPointer) throws(ExpressionError) -> Value
    ) throws(TemplateError) -> Value {
        var scope = Scope(input: .null, variables: [:], budget: Expression.Budget(), environment: .init())
        scope.evaluate = evaluate
        return try root.evaluate(scope, at: .root)
    }
}
