package struct Input: Sendable {
    package var schema: Schema?
    /// The transformation of the raw input; nil to leave it unchanged.
    package var from: Template?

    package static let unchanged = Input()
}

package struct Output: Sendable {
    /// The transformation of the raw output; nil to leave it unchanged.
    package var `as`: Template?
    package var schema: Schema?

    package static let unchanged = Output()
}

/// What a task exports to the context, where every later task can read it.
package struct Export: Sendable {
    /// The new context; nil to leave it unchanged.
    package var `as`: Template?
    package var schema: Schema?

    package static let nothing = Export()
}

package struct Schema: Sendable {
    /// Where the schema is.
    ///
    /// The rare case is indirect, because each task has three schemas and tasks are copied often.
    package enum Source: Sendable {
        /// In the workflow's file: compiled, and as the file has it.
        case document(JSONSchema, Value)
        /// In a file next to the workflow.
        case file(JSONSchema, Value)
        /// On the network; read when it is first needed.
        indirect case network(ExternalResource)
    }

    package var source: Source
    /// The place of the schema, or of the reference to it, in the workflow's file.
    package var pointer: JSONPointer

    /// The compiled schema; nil for one on the network.
    package var compiled: JSONSchema? {
        switch source {
        case .document(let schema, _), .file(let schema, _): schema
        case .network: nil
        }
    }

    /// The schema as the file has it; nil for one on the network.
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
