/// A problem in a file or its input: what is wrong, where, and how to fix it.
public struct Diagnostic: Sendable, Hashable {
    /// How serious a diagnostic is.
    public enum Severity: String, Sendable, Hashable {
        /// The file cannot be run.
        case error
        /// The file can be run, but may contain a mistake.
        case warning
    }

    /// The severity.
    public var severity: Severity
    /// A stable identifier for the kind of diagnostic, such as `unknown-function`.
    public var id: String
    /// What is wrong, in one sentence without a full stop.
    public var message: String
    /// Advice, if there is any: `did you mean 'upload'?`.
    public var hint: String?
    /// The file's name as the author gave it; nil if there is no file.
    public var file: String?
    /// The range in the file; nil if the diagnostic concerns the whole file.
    public var range: SourceRange?
    /// The source line on which the range starts.
    public var sourceLine: String?

    /// Creates a diagnostic.
    public init(
        _ severity: Severity = .error, id: String, _ message: String, hint: String? = nil, file: String? = nil,
        range: SourceRange? = nil, sourceLine: String? = nil
    ) {
        self.severity = severity
        self.id = id
        self.message = message
        self.hint = hint
        self.file = file
        self.range = range
        self.sourceLine = sourceLine
    }
}
