package import Foundation

/// A regular file of this user that nobody else may read, opened; it is closed with its last user.
package final class OpenFile: Sendable {
    /// What a file is opened for.
    package enum Use {
        /// It is there, and stays as it is.
        case reading
        /// It is there, and what is written comes behind what it holds.
        case appending
        /// It is made, and must not be there yet.
        case making
    }

    private let descriptor: Int32

    /// Opens a file; a symbolic link is none.
    package init(_ path: String, for use: Use) throws(SystemError) {
        let flags =
            switch use {
            // Opening a pipe must not wait for somebody who writes.
            case .reading: O_RDONLY | O_NONBLOCK
            case .appending: O_RDWR | O_APPEND | O_NONBLOCK
            case .making: O_RDWR | O_APPEND | O_CREAT | O_EXCL
            }
        descriptor = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("it is no regular file")
        }
        guard status.st_uid == geteuid() else { throw SystemError("it belongs to somebody else") }
        guard status.st_mode & 0o077 == 0 else {
            throw SystemError("others can read or change it; close it first: chmod 600 \(PlainText.line(path))")
        }
    }

    deinit { if descriptor >= 0 { SystemCall.close(descriptor) } }

    /// The number of bytes.
    package var size: Int {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
            return Int(status.st_size)
        }
    }

    /// Some of the bytes, fewer where the file ends before.
    package func read(from offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let got = unsafe pread(
                    descriptor, buffer.baseAddress?.advanced(by: done), count - done, off_t(offset + done))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = .last }
                guard got > 0 else { return }
                done += got
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes bytes, with one call where the system takes them with one.
    package func write(_ bytes: some ContiguousBytes) throws(SystemError) {
        let failure: SystemError? = unsafe bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = unsafe SystemCall.write(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? .last : SystemError(code: ENOSPC) }
                done += count
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Cuts what is behind that many bytes.
    package func truncate(to size: Int) throws(SystemError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .last }
    }

    /// Waits until what was written is safe from a loss of power.
    package func synchronize() throws(SystemError) {
        guard SystemCall.synchronize(descriptor) else { throw .last }
    }
}
