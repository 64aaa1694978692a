/// A failed system call, or the reason why a file or folder is refused.
package struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The system's error code; nil if the system did not refuse.
    package let code: Int32?
    package let description: String

    /// The last system error on this thread; `ELOOP` means a refused link.
    package static var last: SystemError {
        let code = errno
        return code == ELOOP ? SystemError("it is a symbolic link", code: code) : SystemError(code: code)
    }

    package init(code: Int32) { self.init(unsafe String(cString: strerror(code)), code: code) }

    package init(_ error: any Error) {
        let cause = (error as? CocoaError)?.underlying as? POSIXError
        self = cause.map { SystemError(code: $0.code.rawValue) } ?? SystemError("\(error)")
    }

    package init(_ description: String, code: Int32? = nil) {
        self.code = code
        self.description = description
    }

    package var isMissing: Bool { code == ENOENT }

    package var isAddressInUse: Bool { code == EADDRINUSE }
}
