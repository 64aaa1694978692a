extension JSONSchema {
    /// One reason why a value is not valid.
    public struct Violation: Sendable, Hashable {
        /// The place in the data; for a property that is not known, that property.
        public let instance: JSONPointer
        /// Whether the name at that place is wrong, or its value.
        public let part: Document.Part
        /// The place of the keyword in its schema document.
        public let schema: JSONPointer
        /// What is wrong, in words that continue the place's name: `must be a string, but is a number`.
        public let message: String
        /// What to do about it, where there is something to say: `did you mean 'upload'?`.
        public let hint: String?

        /// What is wrong in a form from which several violations can be put together into one.
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
    /// The finding that something in the file violates a schema.
    ///
    /// - Parameter base: Where in the file the validated value is.
    public func diagnostic(
        _ severity: Diagnostic.Severity = .error, id: String, _ violation: JSONSchema.Violation,
        at base: JSONPointer = .root
    ) -> Diagnostic {
        let pointer = JSONPointer(base.tokens + violation.instance.tokens)
        return diagnostic(
            severity, id: id, violation.message, hint: violation.hint, at: pointer, part: violation.part)
    }
}
