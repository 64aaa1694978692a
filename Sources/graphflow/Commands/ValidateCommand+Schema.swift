import Workflows

extension ValidateCommand {
    /// Prints the schema of workflow files instead of checking files.
    static let schemaOption = Option(
        name: "schema", help: "Print the JSON Schema of workflow files, for editors; takes no file.")

    /// Prints the schema of plans instead of checking files.
    static let planSchemaOption = Option(
        name: "plan-schema", help: "Print the JSON Schema of 'run --dry-run --format json'; takes no file.")

    /// Prints the schema of files of tests instead of checking files.
    static let testSchemaOption = Option(
        name: "test-schema",
        help: "Print the JSON Schema of files of tests, NAME.test.yaml, for editors; takes no file.")

    /// The schema to print; nil to check files.
    static func schema(_ arguments: ParsedArguments) throws(UsageError) -> Value? {
        if try printsSchema(arguments, schemaOption) { return Workflow.fileSchema() }
        if try printsSchema(arguments, testSchemaOption) { return TestFile.schema }
        // A literal nil would be the value null.
        guard try printsSchema(arguments, planSchemaOption) else { return Optional<Value>.none }
        return Plan.schema
    }

    /// Whether the option is given; fails if there are files as well.
    private static func printsSchema(_ arguments: ParsedArguments, _ option: Option) throws(UsageError) -> Bool {
        guard arguments.has(option.name) else { return false }
        guard arguments.operands.isEmpty else {
            throw UsageError(
                "'--\(option.name)' takes no file",
                hint: "graphflow validate --schema > workflows/graphflow.schema.json")
        }
        return true
    }

    /// Prints the schema with indentation, even where the output is not a terminal.
    static func print(_ schema: Value, on console: Console) -> ExitStatus {
        console.print(schema.json(pretty: true))
        return .success
    }
}
