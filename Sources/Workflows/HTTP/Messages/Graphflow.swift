/// The product's version and user agent.
public enum Graphflow {
    /// The version shown by `graphflow --version` and in the `User-Agent` of each request.
    public static let version = "0.1.0"

    package static var userAgent: String { "graphflow/\(version)" }
}
