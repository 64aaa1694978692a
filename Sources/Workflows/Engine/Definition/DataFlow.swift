/// How data is checked and transformed before a workflow or a task.
package struct Input: Sendable {
    /// What the raw input must be like.
    package var schema: Schema?
    /// What is made of the raw input; nil to leave it as it is.
    package var from: Template?

    /// Input that is taken as it is.
    package static let unchanged = Input()
}

/// How data is transformed and checked after a workflow or a task.
package struct Output: Sendable {
    /// What is made of the raw output; nil to leave it as it is.
    package var `as`: Template?
    /// What the transformed output must be like.
    package var schema: Schema?

    /// Output that is given as it is.
    package static let unchanged = Output()
}

/// What a task leaves in the context, where every later task can read it.
package struct Export: Sendable {
    /// What the context becomes; nil to leave it as it is.
    package var `as`: Template?
    /// What the new context must be like.
    package var schema: Schema?

    /// A context that stays as it is.
    package static let nothing = Export()
}

/// A JSON Schema with its place in the file.
package struct Schema: Sendable {
    /// Where the schema is.
    ///
    /// What is rare lies behind a reference: each task has three schemas, and tasks are copied often.
    package enum Source: Sendable {
        /// In the workflow's file: compiled, and as it was written.
        case document(JSONSchema, Value)
        /// In a file beside the workflow.
        case file(JSONSchema, Value)
        /// On the network, from where it is read when it is first needed.
        indirect case network(ExternalResource)
    }

    /// Where the schema is.
    package var source: Source
    /// Where in the workflow's file it stands, or what names it.
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

    /// The place in the workflow's file of a part of the schema, or of what names the schema.
    package func place(of part: JSONPointer) -> JSONPointer {
        guard case .document = source else { return pointer }
        return JSONPointer(pointer.tokens + part.tokens)
    }
}
