/// A JSON Schema, compiled once to validate many values.
///
/// Draft 2020-12 with its core, applicator, validation, unevaluated and format-assertion vocabularies, or draft 7 if
/// `$schema` names it; every other draft is an error. References must stay within the schema, or name a metaschema of
/// one of these drafts: nothing is fetched.
public struct JSONSchema: Sendable {
    /// The variant of JSON Schema in which a schema is written.
    public enum Dialect: Sendable, Hashable {
        /// JSON Schema draft 2020-12.
        case draft202012
        /// JSON Schema draft 7.
        case draft07
        /// The schema object of OpenAPI 3.0: `nullable`, boolean `exclusiveMaximum`, nothing next to `$ref`.
        case openAPI30
    }

    private let program: SchemaProgram

    /// Compiles a schema.
    ///
    /// - Parameters:
    ///   - schema: An object or a boolean.
    ///   - base: The URI against which relative references are resolved, if the schema has no `$id`.
    ///   - dialect: The dialect of a schema without `$schema`.
    ///   - root: The document in which references such as `#/components/schemas/user` are resolved, if the schema is a
    ///     part of it; otherwise the schema itself.
    /// - Throws: ``JSONSchemaError`` if a keyword has an invalid value, or a reference cannot be resolved.
    public init(
        _ schema: Value, base: String = "", dialect: Dialect = .draft202012, root: Value? = nil
    ) throws(JSONSchemaError) {
        let result = StackMark.onSufficientStack { stack -> Result<SchemaProgram, JSONSchemaError>? in
            var compiler = SchemaCompiler(schema, base: base, dialect: dialect, root: root, stack)
            do throws(JSONSchemaError) {
                return .success(try compiler.compile())
            } catch {
                return stack.isLarge || error.message != SchemaCompiler.tooDeep ? .failure(error) : nil
            }
        }
        guard let result else { throw JSONSchemaError(schema: .root, message: SchemaCompiler.tooDeep) }
        program = try result.get()
    }

    /// The value's violations of the schema; empty if it is valid.
    public func validate(_ value: Value) -> [Violation] { validate(value, until: nil) }

    /// The value's violations of the schema, possibly including an exceeded step budget.
    /// - Parameters:
    ///   - steps: The maximum number of steps; nil for the default.
    ///   - interrupt: Ends the validation; nil if only the budget does.
    package func validate(_ value: Value, steps: Int? = nil, until interrupt: Interrupt? = nil) -> [Violation] {
        let steps = steps ?? SchemaBudget.steps
        let decision = evaluate(value, steps, interrupt, isRecording: false)
        if decision.holds { return [] }
        return decision.violations.isEmpty
            ? evaluate(value, steps, interrupt, isRecording: true).violations : decision.violations
    }

    /// Whether a value is valid; faster than collecting violations.
    public func accepts(_ value: Value) -> Bool {
        evaluate(value, SchemaBudget.steps, nil, isRecording: false).holds
    }

    private func evaluate(
        _ value: Value, _ steps: Int, _ interrupt: Interrupt?, isRecording: Bool
    ) -> (holds: Bool, violations: [Violation]) {
        let program = program
        let result = StackMark.onSufficientStack { stack -> (holds: Bool, violations: [Violation])? in
            var evaluation = SchemaEvaluation(
                program, value, steps: steps, until: interrupt, stack, isRecording: isRecording)
            let holds = evaluation.run(value)
            return evaluation.needsLargeStack ? nil : (holds, evaluation.violations)
        }
        return result ?? (false, [Violation(instance: .root, schema: .root, message: SchemaEvaluation.tooDeep)])
    }
}

extension JSONSchema.Dialect {
    /// The draft in `$schema`; nil if there is none.
    ///
    /// - Throws: ``JSONSchemaError`` if that draft is not supported.
    init?(namedBy schema: Value, at pointer: JSONPointer) throws(JSONSchemaError) {
        guard let name = schema["$schema"] else { return nil }
        switch name.string.map({ $0.hasSuffix("#") ? String($0.dropLast()) : $0 }) {
        case "https://json-schema.org/draft/2020-12/schema": self = .draft202012
        case "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema": self = .draft07
        default:
            throw JSONSchemaError(
                schema: pointer.appending("$schema"), message: "the draft \(SchemaWords.short(name)) is not supported",
                hint: "'https://json-schema.org/draft/2020-12/schema' and "
                    + "'http://json-schema.org/draft-07/schema#' are")
        }
    }
}
