import Foundation

/// Why a call of the system failed, or why a file or a folder is refused.
package struct SystemError: Error, Hashable, CustomStringConvertible {
    /// What the system said; nil where it is not the system that refuses.
    package let code: Int32?
    /// The same in words, without a full stop.
    package let description: String

    /// What the system said last on this thread, where links are not followed.
    package static var last: SystemError {
        let code = errno
        return code == ELOOP ? SystemError("it is a symbolic link", code: code) : SystemError(code: code)
    }

    package init(code: Int32) { self.init(unsafe String(cString: strerror(code)), code: code) }

    package init(_ description: String, code: Int32? = nil) {
        self.code = code
        self.description = description
    }

    /// Whether there is no such file.
    package var isMissing: Bool { code == ENOENT }

    /// Whether the port is taken.
    package var isAddressInUse: Bool { code == EADDRINUSE }
}
