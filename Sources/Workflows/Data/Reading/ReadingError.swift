/// Why a file, or data, could not be read: everything that was found wrong with it.
public struct ReadingError: Error, Sendable, Hashable {
    /// What was found, in the order of the text; never empty.
    public let diagnostics: [Diagnostic]

    /// Creates an error of one finding or more.
    public init(diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }
}

extension ReadingError: CustomStringConvertible {
    /// The findings as a terminal shows them, without colour.
    public var description: String { diagnostics.map { $0.text() }.joined(separator: "\n") }
}
