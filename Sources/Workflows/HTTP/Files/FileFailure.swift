import Foundation

/// Why a file or a folder cannot be used.
package struct FileFailure: Error, Hashable {
    /// What the system said; nil where it is not the system that refuses.
    package var code: Int32?
    /// The same in words, without a full stop.
    package var words: String

    /// What the system said last on this thread.
    package static var last: FileFailure { FileFailure(errno) }

    init(_ code: Int32) {
        self.code = code
        words = code == ELOOP ? "it is a symbolic link" : SystemText.describe(code)
    }

    package init(_ words: String) { self.words = words }

    /// Whether there is no such file.
    package var isMissing: Bool { code == ENOENT }
}
