import Foundation

/// How much is tried of what takes long by nature: random workflows, schedules and crashes.
///
/// `swift test` tries a part. With `GRAPHFLOW_TESTS=all`, as `.ci/run` has it for these suites, all is tried.
public enum Extent {
    /// Whether all is tried.
    public static let isWhole = ProcessInfo.processInfo.environment["GRAPHFLOW_TESTS"] == "all"

    /// The whole amount, or its part.
    public static func of<Amount>(_ whole: Amount, or part: Amount) -> Amount { isWhole ? whole : part }
}
