/// Why a run's journal, or the folder of runs, cannot be used.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of reason it is.
    public struct Code: Sendable, Hashable {
        private enum Kind: Sendable, Hashable { case notFound, ambiguous, held, damaged, newer, refused, failed }
        private let kind: Kind

        /// There is no such run.
        public static let notFound = Code(kind: .notFound)
        /// More than one run matches.
        public static let ambiguous = Code(kind: .ambiguous)
        /// Another process is performing the run.
        public static let held = Code(kind: .held)
        /// The journal was changed or damaged.
        public static let damaged = Code(kind: .damaged)
        /// The journal was written by a newer version.
        public static let newerVersion = Code(kind: .newer)
        /// A folder or a file cannot hold runs.
        public static let refused = Code(kind: .refused)
        /// Reading or writing failed, for example because the disk is full.
        public static let failed = Code(kind: .failed)
    }

    /// What kind of reason it is.
    public let code: Code
    /// The problem, in one sentence without a full stop.
    public let message: String
    /// What to do about it; nil if nothing helps.
    public let hint: String?
    /// The damaged line of the journal, from 1; nil for other errors.
    public let line: Int?

    /// The message and the hint, if there is one.
    public var description: String { [message, hint].compactMap(\.self).joined(separator: "; ") }

    package init(_ code: Code, _ message: String, hint: String? = nil, line: Int? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.line = line
    }

    package init(_ failure: SystemError, _ what: String, hint: String? = nil) {
        self.init(failure.code == nil ? .refused : .failed, "\(what): \(failure)", hint: hint)
    }
}
