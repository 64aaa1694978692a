extension Thenable {
    /// Whether there is no outcome yet.
    public var isPending: Bool { result == nil }

    /// Whether there is an outcome.
    public var isResolved: Bool { result != nil }

    /// Whether the outcome is a value.
    public var isFulfilled: Bool { if case .success = result { true } else { false } }

    /// Whether the outcome is an error.
    public var isRejected: Bool { if case .failure = result { true } else { false } }

    /// The error, if the outcome is one.
    public var error: (any Error)? { if case .failure(let error) = result { error } else { nil } }
}
