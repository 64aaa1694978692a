/// How data is checked and transformed before a workflow or a task.
public struct Input: Sendable {
    /// What the raw input must be like.
    public var schema: Schema?
    /// What is made of the raw input; nil to leave it as it is.
    public var from: Template?

    /// Input that is taken as it is.
    public static let unchanged = Input()
}

/// How data is transformed and checked after a workflow or a task.
public struct Output: Sendable {
    /// What is made of the raw output; nil to leave it as it is.
    public var `as`: Template?
    /// What the transformed output must be like.
    public var schema: Schema?

    /// Output that is given as it is.
    public static let unchanged = Output()
}

/// What a task leaves in the context, where every later task can read it.
public struct Export: Sendable {
    /// What the context becomes; nil to leave it as it is.
    public var `as`: Template?
    /// What the new context must be like.
    public var schema: Schema?

    /// A context that stays as it is.
    public static let nothing = Export()
}

/// A JSON Schema with its place in the file.
public struct Schema: Sendable {
    /// Where the schema is.
    ///
    /// What is rare lies behind a reference: each task has three schemas, and tasks are copied often.
    public enum Source: Sendable {
        /// In the workflow's file: compiled, and as it was written.
        case document(JSONSchema, Value)
        /// In a file beside the workflow.
        case file(JSONSchema, Value)
        /// On the network, from where it is read when it is first needed.
        indirect case network(ExternalResource)
    }

    /// Where the schema is.
    public var source: Source
    /// Where in the workflow's file it stands, or what names it.
    public var pointer: JSONPointer

    /// The schema, compiled; nil for one on the network.
    public var compiled: JSONSchema? {
        switch source {
        case .document(let schema, _), .file(let schema, _): schema
        case .network: nil
        }
    }

    /// The schema as it was written; nil for one on the network.
    public var document: Value? {
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
