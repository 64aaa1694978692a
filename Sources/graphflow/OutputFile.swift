import Essentials
import WorkflowHTTP

/// An open file, pipe or device that is written with as little as possible around the system's call, because a run
/// writes a line for every task.
///
/// A file that an option names is opened and not replaced, so that devices and pipes can be named too.
final class OutputFile: Sendable {
    private let descriptor: Int32
    private let isOwned: Bool

    /// Standard output or standard error, which stays open.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isOwned = false
    }

    /// Opens a file, or creates it; what is in it is dropped.
    ///
    /// `/dev/stdout` and its like are the open stream itself: opened anew, they would overwrite what was written to the
    /// same file, and could not be a socket.
    /// - Parameter mode: Its permissions if it is new.
    init(_ path: String, mode: mode_t = 0o666) throws(SystemError) {
        if let stream = Self.stream(path) {
            descriptor = fcntl(stream, F_DUPFD_CLOEXEC, 3)
        } else {
            descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        }
        isOwned = true
        guard descriptor >= 0 else { throw SystemError(code: errno) }
    }

    /// Keeps files that are opened later from taking the number of a standard stream that is closed.
    static func reserveStandardStreams() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
            // Opened in the other direction, so that using the stream fails as before.
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

    deinit { if isOwned, descriptor >= 0 { SystemCall.close(descriptor) } }

    /// Whether it is the device that discards what is written to it.
    var isNull: Bool {
        var (status, null) = (stat(), stat())
        return unsafe fstat(descriptor, &status) == 0 && stat("/dev/null", &null) == 0
            && status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == null.st_rdev
    }

    /// Takes away what others may do with it, if it is a file and no device.
    func restrictToOwner() throws(SystemError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
        guard fchmod(descriptor, 0o600) == 0 else { throw .last }
    }

    /// Writes bytes at its end.
    func write(_ bytes: Data) throws(SystemError) { try SystemCall.write(descriptor, all: bytes) }
}
