/// An error that a workflow raises on purpose.
public struct ErrorDefinition: Sendable {
    /// The members `type`, `status`, `title`, `detail` and `instance` as the file has them, with their expressions.
    public var members: Template
    /// The members as the file has them.
    public var literal: Object
}

/// What an error must be like to be caught.
public struct ErrorFilter: Sendable, Hashable {
    /// The members that must be equal: `type`, `status`, `title`, `instance`, and `details` for the error's `detail`.
    public var members: Object
}
