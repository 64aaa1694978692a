extension Value {
    /// Whether what stands here is computed when the workflow runs, so that nothing can be said about it before.
    var isComputed: Bool { string?.contains("${") ?? false }

    /// The text that stands here, unless it is computed when the workflow runs.
    var literal: String? { isComputed ? nil : string }
}
