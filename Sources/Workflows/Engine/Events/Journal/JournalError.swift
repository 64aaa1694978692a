/// Why a run's journal, or the folder of runs, cannot be used.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of reason it is.
    public struct Code: Sendable, Hashable {
        private enum Kind: Sendable, Hashable { case notFound, ambiguous, held, damaged, newer, refused, failed }
        private let kind: Kind

        /// There is no such run.
        public static let notFound = Code(kind: .notFound)
        /// More than one run is meant.
        public static let ambiguous = Code(kind: .ambiguous)
        /// Another process is at work on the run.
        public static let held = Code(kind: .held)
        /// The journal is not what was written.
        public static let damaged = Code(kind: .damaged)
        /// The journal was written by a newer version.
        public static let newerVersion = Code(kind: .newer)
        /// A folder or a file is not one that holds runs.
        public static let refused = Code(kind: .refused)
        /// The system does not read or write: the disk is full, for example.
        public static let failed = Code(kind: .failed)
    }

    /// What kind of reason it is.
    public let code: Code
    /// What is wrong, in one sentence without a full stop.
    public let message: String
    /// What to do about it; nil where there is nothing that helps.
    public let hint: String?
    /// The line of the journal that is wrong, from 1; nil where it is none.
    public let line: Int?

    /// The message, and the hint where there is one.
    public var description: String { [message, hint].compactMap(\.self).joined(separator: "; ") }

    init(_ code: Code, _ message: String, hint: String? = nil, line: Int? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.line = line
    }

    /// A file or a folder that the system or its owner keeps from being used.
    init(_ failure: SystemError, _ what: String, hint: String? = nil) {
        self.init(failure.code == nil ? .refused : .failed, "\(what): \(failure)", hint: hint)
    }
}
