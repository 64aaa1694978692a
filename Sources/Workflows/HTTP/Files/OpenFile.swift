/// An open regular file that only this user can read; it is closed when the last reference is released.
package final class OpenFile: Sendable {
    package enum Use {
        case reading
        case appending
        /// Fails if the file exists.
        case making
    }

    private let descriptor: Int32

    /// Nil if the file does not exist.
    static func existing(_ path: String) throws(SystemError) -> OpenFile? {
        do throws(SystemError) { return try OpenFile(path, for: .reading) } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// Opens a file; symbolic links are refused.
    package init(_ path: String, for use: Use) throws(SystemError) {
        let flags =
            switch use {
            // Opening a pipe must not wait for a writer.
            case .reading: O_RDONLY | O_NONBLOCK
            case .appending: O_RDWR | O_APPEND | O_NONBLOCK
            case .making: O_RDWR | O_APPEND | O_CREAT | O_EXCL
            }
        descriptor = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("it is not a regular file")
        }
        guard status.st_uid == geteuid() else { throw SystemError("it belongs to another user") }
        guard status.st_mode & 0o077 == 0 else {
            throw SystemError("others can read or change it; restrict it first: chmod 600 \(PlainText.line(path))")
        }
    }

    deinit { if descriptor >= 0 { SystemCall.close(descriptor) } }

    package var size: Int {
        get throws(SystemError) { Int(try status.st_size) }
    }

    package var changedAt: Date {
        get throws(SystemError) {
            #if canImport(Darwin)
                let time = try status.st_mtimespec
            #else
                let time = try status.st_mtim
            #endif
            return Date(timeIntervalSince1970: Double(time.tv_sec))
        }
    }

    private var status: stat {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
            return status
        }
    }

    /// Reads fewer bytes at the file's end.
    package func read(from offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            do throws(SystemError) {
                done = try unsafe SystemCall.read(descriptor, at: offset, into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes bytes, in a single call if the system accepts them at once.
    package func write(_ bytes: some ContiguousBytes) throws(SystemError) {
        try SystemCall.write(descriptor, all: bytes)
    }

    package func truncate(to size: Int) throws(SystemError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .last }
    }

    /// Waits until the written data survives a loss of power.
    package func synchronize() throws(SystemError) {
        guard SystemCall.synchronize(descriptor) else { throw .last }
    }
}
