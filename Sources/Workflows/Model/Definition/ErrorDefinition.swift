package struct ErrorDefinition: Sendable {
    /// The members `type`, `status`, `title`, `detail` and `instance` as the file has them, with their expressions.
    package var members: Template
    package var literal: Object
}

package struct ErrorFilter: Sendable, Hashable {
    /// The members that must be equal: `type`, `status`, `title`, `instance`, and `detail` or `details`.
    package var members: Object

    /// The member of an error that a member of a filter refers to: version 1.0.3 calls `detail` `details` here.
    package static func member(_ name: String) -> String { name == "details" ? "detail" : name }

    /// Whether a member of an error matches; the standard's types are the same under each of their prefixes.
    package static func isWanted(_ wanted: Value, _ found: Value?, as name: String) -> Bool {
        if found == wanted { return true }
        guard name == "type", let found = found?.string, let wanted = wanted.string,
            let kind = WorkflowError.Kind(type: found)
        else { return false }
        return kind == WorkflowError.Kind(type: wanted)
    }
}
