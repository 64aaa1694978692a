/// An error that a workflow raises on purpose.
package struct ErrorDefinition: Sendable {
    /// The members `type`, `status`, `title`, `detail` and `instance` as the file has them, with their expressions.
    package var members: Template
    /// The members as the file has them.
    package var literal: Object
}

/// A filter for the errors that are caught.
package struct ErrorFilter: Sendable, Hashable {
    /// The members that must be equal: `type`, `status`, `title`, `instance`, and `details` for the error's `detail`.
    package var members: Object
}
