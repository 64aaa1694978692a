/// A JSON Schema, compiled once to validate many values.
///
/// Draft 2020-12 with its core, applicator, validation, unevaluated and format-assertion vocabularies. References stay
/// within the schema: nothing is fetched.
public struct JSONSchema: Sendable {
    /// Which rules a schema is written by.
    public enum Dialect: Sendable, Hashable {
        /// JSON Schema draft 2020-12.
        case draft202012
        /// The schema object of OpenAPI 3.0: `nullable`, boolean `exclusiveMaximum`, nothing beside `$ref`.
        case openAPI30
    }

    private let program: SchemaProgram

    /// Compiles a schema.
    ///
    /// - Parameters:
    ///   - schema: An object or a boolean.
    ///   - base: The URI that relative references start from, where the schema names none by `$id`.
    ///   - dialect: The rules it is written by.
    ///   - root: The document in which references such as `#/components/schemas/user` are looked up, when the schema
    ///     is a part of it; otherwise the schema itself.
    /// - Throws: ``JSONSchemaError`` when a keyword has a value that it cannot have, or a reference leads nowhere.
    public init(
        _ schema: Value, base: String = "", dialect: Dialect = .draft202012, root: Value? = nil
    ) throws(JSONSchemaError) {
        var compiler = SchemaCompiler(schema, base: base, dialect: dialect, root: root)
        program = try compiler.compile()
    }

    /// What keeps a value from being valid; empty for a valid one.
    public func validate(_ value: Value) -> [Violation] {
        guard !accepts(value) else { return [] }
        var evaluation = SchemaEvaluation(program, isRecording: true)
        _ = evaluation.run(value)
        return evaluation.violations
    }

    /// Whether a value is valid; cheaper than asking what is wrong with it.
    public func accepts(_ value: Value) -> Bool {
        var evaluation = SchemaEvaluation(program, isRecording: false)
        return evaluation.run(value)
    }
}
