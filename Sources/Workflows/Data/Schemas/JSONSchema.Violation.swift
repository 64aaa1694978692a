extension JSONSchema {
    /// One reason why a value is not valid.
    public struct Violation: Sendable, Hashable {
        /// The path in the data; for an unknown property, that property's path.
        public let instance: JSONPointer
        /// Whether the name or the value is wrong.
        public let part: Document.Part
        /// The keyword's path in its schema document.
        public let schema: JSONPointer
        /// What is wrong, worded to follow the value's name: `must be a string, but is a number`.
        public let message: String
        /// Advice, if there is any: `did you mean 'upload'?`.
        public let hint: String?

        /// Lets several violations be merged into one.
        package enum Cause: Sendable, Hashable {
            case type([SchemaType])
            case constant([Value])
            case missing(String)
        }

        package let cause: Cause?

        /// Creates a violation.
        public init(
            instance: JSONPointer, part: Document.Part = .value, schema: JSONPointer, message: String,
            hint: String? = nil
        ) {
            self.init(instance: instance, part: part, schema: schema, message: message, hint: hint, cause: nil)
        }

        init(
            instance: JSONPointer, part: Document.Part, schema: JSONPointer, message: String, hint: String?,
            cause: Cause?
        ) {
            self.instance = instance
            self.part = part
            self.schema = schema
            self.message = message
            self.hint = hint
            self.cause = cause
        }
    }
}

extension Document {
    /// A diagnostic for a schema violation in the file.
    ///
    /// - Parameters:
    ///   - severity: How serious it is.
    ///   - id: The kind of diagnostic.
    ///   - violation: The violation.
    ///   - base: The path of the validated value in the file.
    public func diagnostic(
        _ severity: Diagnostic.Severity = .error, id: String, _ violation: JSONSchema.Violation,
        at base: JSONPointer = .root
    ) -> Diagnostic {
        let pointer = JSONPointer(base.tokens + violation.instance.tokens)
        return diagnostic(
            severity, id: id, violation.message, hint: violation.hint, at: pointer, part: violation.part)
    }
}
