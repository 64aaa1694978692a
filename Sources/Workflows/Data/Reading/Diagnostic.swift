/// Something that is wrong with a file or its input, in words that say what to do, and where.
public struct Diagnostic: Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable {
        /// The file cannot be run.
        case error
        /// The file can be run, but the author should look.
        case warning
    }

    /// How bad it is.
    public var severity: Severity
    /// A stable name of the kind of finding, such as `unknown-function`.
    public var id: String
    /// What is wrong, in one sentence without a full stop.
    public var message: String
    /// What to do about it, where there is something to say: `did you mean 'upload'?`.
    public var hint: String?
    /// The file's name as the author gave it; nil where there is no file.
    public var file: String?
    /// The stretch of the file's text; nil where the whole file is meant.
    public var range: SourceRange?
    /// The line of the file on which the range starts, for showing it.
    public var sourceLine: String?

    /// Creates a finding.
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
