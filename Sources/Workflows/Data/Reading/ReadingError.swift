/// The findings because of which a file, or data, could not be read.
public struct ReadingError: Error, Sendable, Hashable {
    /// The findings, in the order of the text; never empty.
    public let diagnostics: [Diagnostic]

    /// Creates an error from one or more findings.
    public init(diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }
}

extension ReadingError: CustomStringConvertible {
    /// The findings as shown in a terminal, without colour.
    public var description: String { diagnostics.map { $0.text() }.joined(separator: "\n") }
}
