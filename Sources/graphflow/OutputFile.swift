/// An open file, pipe or device; writing adds little to the system call, because a run writes a line for every task.
///
/// A file that an option names is opened, not replaced, so that it can be a device or a pipe.
final class OutputFile: Sendable {
    private let descriptor: Int32
    private let isOwned: Bool

    /// Standard output or standard error, which stays open.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isOwned = false
    }

    /// Opens a file that only its owner can read, or creates it; existing content is removed.
    ///
    /// `/dev/stdout` and the like are the open stream itself: opened again, they would overwrite earlier output in the
    /// same file, and could not be sockets.
    /// - Parameter isPublic: Whether others may read it, as far as the user's mask allows.
    init(_ path: String, isPublic: Bool = false) throws(SystemError) {
        isOwned = true
        if let stream = Self.stream(path) {
            descriptor = fcntl(stream, F_DUPFD_CLOEXEC, 3)
            guard descriptor >= 0 else { throw .last }
        } else {
            descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, isPublic ? 0o666 : 0o600)
            guard descriptor >= 0 else { throw .last }
            if !isPublic { try restrictToOwner() }
        }
    }

    /// Writes a file that an option names.
    /// - Parameter failure: The error for a file that cannot be written.
    static func write(
        _ bytes: Data, to path: String, isPublic: Bool = false, or failure: String, hint: String? = nil
    ) throws(UsageError) {
        do throws(SystemError) { try OutputFile(path, isPublic: isPublic).write(bytes) } catch {
            throw UsageError("\(failure): \(error)", hint: hint)
        }
    }

    /// Keeps files that are opened later from taking the number of a closed standard stream.
    static func reserveStandardStreams() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
            // Opened in the other direction, so that using the stream still fails.
            _ = unsafe open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static func stream(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdout": STDOUT_FILENO
        case "/dev/stderr": STDERR_FILENO
        case _ where path.hasPrefix("/dev/fd/"): Int32(path.dropFirst(8))
        default: nil
        }
    }

    /// Opens or creates a file that only its owner can read, to append lines; removes an incomplete last line.
    init(addingTo path: String) throws(SystemError) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        isOwned = true
        guard descriptor >= 0 else { throw .last }
        try restrictToOwner()
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFREG else { return }
        var end = Int(status.st_size)
        while end > 0 {
            let start = max(0, end - (64 << 10))
            var failure: SystemError?
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: end - start) { buffer, count in
                do throws(SystemError) {
                    count = try unsafe SystemCall.read(
                        descriptor, at: start, into: UnsafeMutableRawBufferPointer(buffer))
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            guard let last = piece.lastIndex(of: UInt8(ascii: "\n")) else {
                end = start
                continue
            }
            end = start + last + 1
            break
        }
        guard end == Int(status.st_size) || ftruncate(descriptor, off_t(end)) == 0 else { throw .last }
    }

    deinit { if isOwned, descriptor >= 0 { SystemCall.close(descriptor) } }

    var isNull: Bool {
        var (status, null) = (stat(), stat())
        return unsafe fstat(descriptor, &status) == 0 && stat("/dev/null", &null) == 0
            && status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == null.st_rdev
    }

    /// Removes the permissions of others, if it is a file and not a device.
    private func restrictToOwner() throws(SystemError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
        guard fchmod(descriptor, 0o600) == 0 else { throw .last }
    }

    func write(_ bytes: Data) throws(SystemError) { try SystemCall.write(descriptor, all: bytes) }
}
