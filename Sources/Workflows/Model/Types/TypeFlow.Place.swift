extension TypeFlow {
    /// What data are at a task.
    package struct Place: Sendable {
        /// The task.
        package let task: JSONPointer
        /// Its name.
        package let name: String
        /// What it gets, after `input.from`.
        package let input: DataType
        /// What it returns, after `output.as`.
        package let output: DataType
        /// What `$context` is after it.
        package let context: DataType
    }

    /// Something in an expression that cannot be meant.
    struct Finding {
        let pointer: JSONPointer
        let found: Expression.TypeFinding
    }
}
