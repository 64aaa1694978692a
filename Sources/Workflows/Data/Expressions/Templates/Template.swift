/// Data in which strings may be or contain expressions: `${ .user.mail }` or `Hello ${ .name }`.
///
/// A string that is exactly one expression keeps the type of its value. Expressions inside a longer string are
/// interpolated: strings unchanged, other values as JSON on one line.
public struct Template: Sendable {
    /// How strings without `${ }` are treated: `evaluate.mode` of the standard.
    public enum Mode: String, Sendable, Hashable {
        /// Only `${ }` marks an expression.
        case strict
        /// A string that is a valid expression as a whole is evaluated, with or without `${ }`.
        case loose
    }

    /// A position at which a variable is read.
    public struct VariableRead: Sendable, Hashable {
        /// The string's path.
        public let pointer: JSONPointer
        /// The variable, with its offset in that string.
        public let read: Expression.VariableRead
    }

    /// A path that is read, as far as the source shows it.
    public struct Read: Sendable, Hashable {
        /// The string's path.
        public let pointer: JSONPointer
        package let path: Expression.StaticPath
    }

    /// Every position at which a variable is read.
    public let variableReads: [VariableRead]
    /// The paths read from the input and from variables, as far as the source shows them.
    public let reads: [Read]
    /// The names of the variables that an evaluation needs, without `$`.
    public let variables: Set<String>

    private(set) var root: Part

    /// Compiles all expressions in the data.
    ///
    /// - Throws: ``TemplateError`` with every expression that cannot be compiled.
    public init(_ value: Value, mode: Mode = .strict) throws(TemplateError) {
        var builder = Builder(mode: mode)
        root = builder.part(value, at: .root)
        if !builder.findings.isEmpty { throw TemplateError(builder.findings) }
        variableReads = builder.variableReads
        reads = builder.reads
        variables = Set(variableReads.map(\.read.name))
    }

    /// Whether the data contains no expression.
    public var isConstant: Bool {
        if case .constant = root { true } else { false }
    }

    /// Evaluates all expressions.
    ///
    /// - Throws: ``TemplateError`` with the first expression that fails.
    /// - Returns: The data with expressions replaced by their values; null for an expression without an output.
    public func evaluate(
        _ input: Value, variables: [String: Value] = [:], budget: Expression.Budget = Expression.Budget(),
        environment: Expression.Environment = Expression.Environment()
    ) throws(TemplateError) -> Value {
        let scope = Scope(input: input, variables: variables, budget: budget, environment: environment)
        return try root.evaluate(scope)
    }

    /// Evaluates all expressions on data that may hold secrets.
    ///
    /// - Parameter marks: Whether the data may hold marked values; without them, nothing is checked.
    package func evaluate(
        _ input: Value, variables: [String: Value] = [:], budget: Expression.Budget = Expression.Budget(),
        environment: Expression.Environment = Expression.Environment(), marks: Bool
    ) throws(TemplateError) -> Value {
        var scope = Scope(input: input, variables: variables, budget: budget, environment: environment)
        scope.marks = marks
        return try root.evaluate(scope)
    }

    package func evaluate(
        by evaluate: @escaping (Expression, JSONPointer) throws(ExpressionError) -> Value
    ) throws(TemplateError) -> Value {
        var scope = Scope(input: .null, variables: [:], budget: Expression.Budget(), environment: .init())
        scope.evaluate = evaluate
        return try root.evaluate(scope)
    }

    /// The data with a string that is an address: an expression that is a segment of its path must not be empty.
    ///
    /// A string that is one expression is unchanged.
    package func withAddress(at pointer: JSONPointer, isEncoded: Bool) -> Template {
        var template = self
        template.root = root.withAddress(at: pointer, isEncoded ? .encodedAddress : .address)
        return template
    }

    /// The data with an error for null inside a longer text, unless its expression handles null by `?` or `//`.
    package var demandingValues: Template {
        var template = self
        template.root = root.demandingValues
        return template
    }

    package static func isExpression(_ text: String) -> Bool { (try? Interpolation.whole(text)) != nil }

    package static func text(_ text: String, replacingExpressionsBy other: String) -> String {
        guard let pieces = try? Interpolation.pieces(of: text) else { return text }
        return pieces.map { if case .text(let piece) = $0 { piece } else { other } }.joined()
    }

    /// An expression's offset in a text, as a whole or between `${` and `}`, in Unicode scalars.
    package static func offset(of expression: String, in text: String) -> Int? {
        if text == expression { return 0 }
        let pieces = (try? Interpolation.pieces(of: text)) ?? []
        return pieces.lazy.compactMap { piece in
            if case .expression(let inside) = piece, inside.source == expression { inside.offset } else { nil }
        }.first
    }

    package func expression(at pointer: JSONPointer) -> Expression? { root.expression(at: pointer) }
}

extension Template.Part {
    fileprivate func expression(at pointer: JSONPointer) -> Expression? {
        switch self {
        case .constant: nil
        case .expression(let expression, let place): place == pointer ? expression : nil
        case .text(let pieces, let place):
            place == pointer
                ? pieces.lazy.compactMap { if case .expression(let expression, _) = $0 { expression } else { nil } }
                    .first
                : nil
        case .array(let parts): parts.lazy.compactMap { $0.expression(at: pointer) }.first
        case .object(let members): members.lazy.compactMap { $0.part.expression(at: pointer) }.first
        }
    }

    fileprivate var demandingValues: Template.Part {
        switch self {
        case .constant, .expression: self
        case .text(let pieces, let place): .text(pieces.map(\.demandingValue), place)
        case .array(let parts): .array(parts.map(\.demandingValues))
        case .object(let members): .object(members.map { ($0.name, $0.part.demandingValues) })
        }
    }

    fileprivate func withAddress(at pointer: JSONPointer, _ context: Piece.Context) -> Template.Part {
        switch self {
        case .constant, .expression, .array: self
        case .text(let pieces, let place): place == pointer ? .text(pieces.map { $0.within(context) }, place) : self
        case .object(let members): .object(members.map { ($0.name, $0.part.withAddress(at: pointer, context)) })
        }
    }
}

extension Template.Part.Piece {
    fileprivate var demandingValue: Template.Part.Piece {
        guard case .expression(let expression, let context) = self else { return self }
        return .expression(expression.demandingValue, in: context)
    }

    fileprivate func within(_ context: Context) -> Template.Part.Piece {
        guard case .expression(let expression, _) = self else { return self }
        return .expression(expression, in: context)
    }
}
