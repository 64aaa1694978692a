/// A jq expression, compiled once and evaluated as often as needed.
public struct Expression: Sendable {
    /// A place at which an expression reads a variable that it does not bind itself.
    public struct VariableRead: Sendable, Hashable {
        /// The variable's name, without `$`.
        public let name: String
        /// The place in the source, in Unicode scalars from its start.
        public let offset: Int

        init(name: String, offset: Int) {
            self.name = name
            self.offset = offset
        }
    }

    /// The expression in jq, without `${ }` around it.
    public let source: String
    /// Every place at which a variable is read that the expression does not bind itself.
    public let variableReads: [VariableRead]
    /// What the expression reads of its input and of variables, as far as that is plain from the source.
    public let reads: [StaticPath]
    /// What the result depends on besides that.
    let dependencies: Dependencies

    private let program: Program

    /// Compiles an expression.
    ///
    /// A variable that nobody binds is no error here: ``variableReads`` says what an evaluation needs.
    public init(_ source: String) throws(ExpressionError) { try self.init(source, offset: 0) }

    /// Compiles an expression that may have `${ }` around it, as the standard writes conditions and the like.
    public init(bare source: String) throws(ExpressionError) {
        if let inside = try Interpolation.whole(source) {
            try self.init(inside.source, offset: inside.offset)
        } else {
            try self.init(source, offset: 0)
        }
    }

    /// Compiles an expression that stands at an offset inside a longer text.
    init(_ source: String, offset: Int) throws(ExpressionError) {
        let result = Compilation.run(source)
        switch result {
        case .success(let compilation):
            self.source = source
            program = compilation.program
            variableReads = compilation.variableReads.map { VariableRead(name: $0.name, offset: $0.offset + offset) }
            reads = compilation.reads
            dependencies = compilation.dependencies
        case .failure(var error):
            error.offset = error.offset.map { $0 + offset }
            throw error
        }
    }

    /// The names of the variables that an evaluation needs, without `$`.
    public var variables: Set<String> { Set(variableReads.map(\.name)) }

    /// Evaluates the expression.
    ///
    /// - Parameters:
    ///   - input: what `.` is.
    ///   - variables: values by name, without `$`.
    ///   - budget: what the evaluation may use.
    ///   - environment: the clock.
    /// - Returns: all outputs in order.
    public func evaluate(
        _ input: Value, variables: [String: Value] = [:], budget: Budget = Budget(),
        environment: Environment = Environment()
    ) throws(ExpressionError) -> [Value] {
        try run(input, variables, budget, environment, limit: nil)
    }

    /// Evaluates the expression up to its first output, which is what a workflow uses.
    ///
    /// - Returns: the first output, or null where there is none.
    public func first(
        _ input: Value, variables: [String: Value] = [:], budget: Budget = Budget(),
        environment: Environment = Environment()
    ) throws(ExpressionError) -> Value {
        try run(input, variables, budget, environment, limit: 1).first ?? .null
    }

    private func run(
        _ input: Value, _ variables: [String: Value], _ budget: Budget, _ environment: Environment, limit: Int?
    ) throws(ExpressionError) -> [Value] {
        var values: [Value] = []
        for name in program.globals {
            guard let value = variables[name] else {
                throw ExpressionError(
                    "$\(name) is not defined", offset: variableReads.first { $0.name == name }?.offset)
            }
            values.append(value)
        }
        let execution = Execution(
            program: program, variables: values, budget: budget, environment: environment, limit: limit)
        return try execution.outputs(of: input).get()
    }
}

extension Expression {
    /// What one evaluation may use before it ends in an error.
    public struct Budget: Sendable, Hashable {
        /// How many steps it may take; an output, a call and a bulk operation's elements are steps.
        public var steps: Int
        /// How many calls may be open at a time, and how many levels a value built by it may have.
        public var depth: Int
        /// How many bytes all values that it builds may take together.
        public var memory: Int

        /// Creates a budget; what is not given is what a workflow's expressions get.
        public init(steps: Int = 10_000_000, depth: Int = 10_000, memory: Int = 256 << 20) {
            self.steps = steps
            self.depth = depth
            self.memory = memory
        }
    }
}
