import Foundation

/// What makes a run the one that it is, also in another process.
struct RunIdentity: Sendable {
    /// The run's id.
    var id: String
    /// When it began.
    var startedAt: Date
    /// What the names are made with that stand for secrets in its data; nil for any.
    var key: Data?
}
