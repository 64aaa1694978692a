extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fields as lines, without what lets somebody act in another's name.
    public var description: String {
        redacted.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    /// The fields as lines, without what lets somebody act in another's name.
    public var debugDescription: String { description }

    /// A mirror of the fields without what lets somebody act in another's name, so that `dump` shows none of it either.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: redacted.fields.map { "\($0.name): \($0.value)" }, displayStyle: .collection)
    }
}
