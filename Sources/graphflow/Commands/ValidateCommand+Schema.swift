import Workflows

extension ValidateCommand {
    /// Prints what workflow files have to be like instead of checking some.
    static let schemaOption = Option(
        name: "schema", help: "Print the JSON Schema of workflow files, for editors; takes no file.")

    /// Prints what plans are like instead of checking files.
    static let planSchemaOption = Option(
        name: "plan-schema", help: "Print the JSON Schema of 'run --dry-run --format json'; takes no file.")

    /// The schema that is asked for; nil for the check of files.
    static func schema(_ arguments: ParsedArguments) throws(UsageError) -> Value? {
        if try printsSchema(arguments, schemaOption) { return Workflow.fileSchema() }
        // A literal nil would be null, which is a value.
        guard try printsSchema(arguments, planSchemaOption) else { return Optional<Value>.none }
        return Plan.schema
    }

    /// Whether the schema is asked for, and nothing but the schema.
    private static func printsSchema(_ arguments: ParsedArguments, _ option: Option) throws(UsageError) -> Bool {
        guard arguments.has(option.name) else { return false }
        guard arguments.operands.isEmpty else {
            throw UsageError(
                "'--\(option.name)' takes no file",
                hint: "graphflow validate --schema > workflows/graphflow.schema.json")
        }
        return true
    }

    /// Prints the schema as a file has it, with indentation, whoever reads it.
    static func print(_ schema: Value, on console: Console) -> ExitStatus {
        console.print(schema.json(pretty: true))
        return .success
    }
}
