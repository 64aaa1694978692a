extension TypeFlow {
    /// The data at a task.
    package struct Place: Sendable {
        package let task: JSONPointer
        package let name: String
        /// The data after `input.from`.
        package let input: DataType
        /// The data after `output.as`.
        package let output: DataType
        /// The `$context` after the task.
        package let context: DataType
    }

    /// The data that an expression reads.
    package struct Scope: Sendable {
        package var input = DataType.anything
        package var variables: [String: DataType] = [:]

        package init() {}

        init(input: DataType, variables: [String: DataType]) { (self.input, self.variables) = (input, variables) }
    }

    /// A probable mistake in an expression.
    struct Finding {
        let pointer: JSONPointer
        let found: Expression.TypeFinding
    }
}
