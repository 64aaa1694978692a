import Foundation

/// How much is tried of what takes long by nature: random workflows, schedules and crashes.
///
/// `swift test` tries a part. With `GRAPHFLOW_TESTS=all`, as `.ci/run` has it for these suites, all is tried.
public enum Extent {
    /// Whether all is tried.
    public static let isWhole = ProcessInfo.processInfo.environment["GRAPHFLOW_TESTS"] == "all"

    /// The whole number, or its part.
    public static func of<Number: BinaryInteger & Sendable>(_ whole: Number, or part: Number) -> Number {
        isWhole ? whole : part
    }
}
