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
    /// The schema, compiled.
    public var compiled: JSONSchema
    /// The schema as it was written.
    public var document: Value
    /// Where in the file it stands.
    public var pointer: JSONPointer
}
