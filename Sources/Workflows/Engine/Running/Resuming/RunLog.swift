import Foundation

/// Where the events of a run are written down before what follows from them is done.
struct RunLog: Sendable {
    /// Writes an event behind those before it.
    var append: @Sendable (Event) throws -> Void
    /// Sees to it that what was written outlasts a power cut.
    var flush: @Sendable () throws -> Void
    /// Keeps the output of a run that is complete.
    var finish: @Sendable (Value) throws -> Void
    /// Where the run's bytes are kept.
    var blobs: BlobStore
}
