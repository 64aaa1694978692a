/// What the product says about itself.
public enum Graphflow {
    /// The version, as `graphflow --version` and the `User-Agent` of each request give it.
    public static let version = "0.1.0"

    /// The `User-Agent` of each request.
    package static var userAgent: String { "graphflow/\(version)" }
}
