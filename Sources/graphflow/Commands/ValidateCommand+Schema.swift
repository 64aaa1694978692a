import Workflows

extension ValidateCommand {
    /// Prints what workflow files have to be like instead of checking some.
    static let schemaOption = Option(
        name: "schema", help: "Print the JSON Schema of workflow files, for editors; takes no file.")

    /// Whether the schema is asked for, and nothing but the schema.
    static func printsSchema(_ arguments: ParsedArguments) throws(UsageError) -> Bool {
        guard arguments.has(schemaOption.name) else { return false }
        guard arguments.operands.isEmpty else {
            throw UsageError(
                "'--schema' takes no file", hint: "graphflow validate --schema > workflows/graphflow.schema.json")
        }
        return true
    }

    /// Prints the schema as a file has it, with indentation, whoever reads it.
    static func printSchema(on console: Console) -> ExitStatus {
        console.print(Workflow.fileSchema().json(pretty: true))
        return .success
    }
}
