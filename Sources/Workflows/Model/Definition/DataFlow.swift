/// How data is checked and transformed before a workflow or a task.
package struct Input: Sendable {
    /// The schema of the raw input.
    package var schema: Schema?
    /// The transformation of the raw input; nil to leave it unchanged.
    package var from: Template?

    /// Unchanged input.
    package static let unchanged = Input()
}

/// How data is transformed and checked after a workflow or a task.
package struct Output: Sendable {
    /// The transformation of the raw output; nil to leave it unchanged.
    package var `as`: Template?
    /// The schema of the transformed output.
    package var schema: Schema?

    /// Unchanged output.
    package static let unchanged = Output()
}

/// What a task exports to the context, where every later task can read it.
package struct Export: Sendable {
    /// The new context; nil to leave it unchanged.
    package var `as`: Template?
    /// The schema of the new context.
    package var schema: Schema?

    /// An unchanged context.
    package static let nothing = Export()
}

/// A JSON Schema with its place in the file.
package struct Schema: Sendable {
    /// Where the schema is.
    ///
    /// The rare case is indirect, because each task has three schemas and tasks are copied often.
    package enum Source: Sendable {
        /// In the workflow's file: compiled, and as it was written.
        case document(JSONSchema, Value)
        /// In a file beside the workflow.
        case file(JSONSchema, Value)
        /// On the network; read when it is first needed.
        indirect case network(ExternalResource)
    }

    /// Where the schema is.
    package var source: Source
    /// The place of the schema, or of the reference to it, in the workflow's file.
    package var pointer: JSONPointer

    /// The schema, compiled; nil for one on the network.
    package var compiled: JSONSchema? {
        switch source {
        case .document(let schema, _), .file(let schema, _): schema
        case .network: nil
        }
    }

    /// The schema as it was written; nil for one on the network.
    package var document: Value? {
        switch source {
        case .document(_, let document), .file(_, let document): document
        case .network: nil
        }
    }

    /// The place in the workflow's file of a part of the schema, or of the reference to it.
    package func place(of part: JSONPointer) -> JSONPointer {
        guard case .document = source else { return pointer }
        return JSONPointer(pointer.tokens + part.tokens)
    }
}
