/// An open file, pipe or device; writing adds little to the system call, because a run writes a line for every task.
///
/// A file that an option names is opened, not replaced, so that it can be a device or a pipe. It cannot be opened
/// without what the command reads.
final class OutputFile: Sendable {
    private let descriptor: Int32
    private let isOwned: Bool
    /// Whether the file still has its earlier content, which the first bytes replace.
    private let isUntouched: Locked<Bool>

    /// Standard output or standard error, which stays open.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isOwned = false
        isUntouched = Locked(false)
    }

    /// Opens a file that only its owner can read, or creates it.
    ///
    /// `/dev/stdout` and the like are the open stream itself: opened again, they would overwrite earlier output in the
    /// same file, and could not be sockets.
    /// - Parameters:
    ///   - files: What the command reads, which stays as it is.
    ///   - isPublic: Whether others may read it, as far as the user's mask allows.
    ///   - isContinued: Whether its lines are kept, but for an incomplete last one. Otherwise the first bytes that are
    ///     written replace them, so a command that fails before leaves the file as it was.
    convenience init(
        _ path: String, sparing files: CommandFiles, isPublic: Bool = false, isContinued: Bool = false
    ) throws(UsageError) {
        try files.demandWritable(path)
        do throws(SystemError) {
            try self.init(opening: path, isPublic: isPublic, isContinued: isContinued)
            if isContinued { try removeIncompleteLine() }
        } catch {
            throw UsageError(
                "'\(PlainText.exact(path, limit: 200))' cannot be written: \(error)",
                hint: "check that its folder exists and that you may write there")
        }
    }

    private init(opening path: String, isPublic: Bool, isContinued: Bool = false) throws(SystemError) {
        let stream = Self.stream(path)
        isOwned = true
        isUntouched = Locked(stream == nil && !isContinued)
        if let stream {
            descriptor = fcntl(stream, F_DUPFD_CLOEXEC, 3)
            guard descriptor >= 0 else { throw .last }
        } else {
            let flags = isContinued ? O_RDWR | O_APPEND : O_WRONLY
            descriptor = unsafe open(path, flags | O_CREAT | O_CLOEXEC, isPublic ? 0o666 : 0o600)
            guard descriptor >= 0 else { throw .last }
            if !isPublic { try restrictToOwner() }
        }
    }

    /// Writes a file that an option names; one that is there is replaced when the new one is complete.
    /// - Parameters:
    ///   - files: What the command reads, which stays as it is; nil to replace such a file.
    ///   - failure: What the error says of a file that cannot be written.
    static func write(
        _ bytes: Data, to path: String, sparing files: CommandFiles?, isPublic: Bool = false, or failure: String,
        hint: String? = nil
    ) throws(UsageError) {
        try files?.demandWritable(path)
        do throws(SystemError) {
            guard let (file, mode) = replaceable(path) else {
                return try OutputFile(opening: path, isPublic: isPublic).write(bytes)
            }
            let folder = PrivateFolder(path: file.deletingLastPathComponent().path(percentEncoded: false))
            try folder.replace(file.lastPathComponent) { file throws(SystemError) in try file.write(bytes) }
            if isPublic, unsafe chmod(file.path(percentEncoded: false), mode) != 0 { throw .last }
        } catch {
            throw UsageError("\(failure): \(error)", hint: hint)
        }
    }

    /// The file that a path leads to and its permissions, if another one can be put in its place.
    private static func replaceable(_ path: String) -> (file: URL, mode: mode_t)? {
        guard stream(path) == nil, !path.hasPrefix("/proc/") else { return nil }
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        // The name of the new file is longer.
        guard file.lastPathComponent.utf8.count < 200 else { return nil }
        let folder = file.deletingLastPathComponent().path(percentEncoded: false)
        var status = stat()
        guard unsafe stat(file.path(percentEncoded: false), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), unsafe access(file.path(percentEncoded: false), W_OK) == 0,
            unsafe access(folder, W_OK) == 0
        else { return nil }
        return (file, status.st_mode & 0o777)
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

    /// Removes the last line if it has no end, and continues after the others.
    private func removeIncompleteLine() throws(SystemError) {
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

    /// Writes bytes; the first ones replace the content of a file.
    func write(_ bytes: Data) throws(SystemError) {
        try isUntouched.withLock { isUntouched throws(SystemError) in
            guard isUntouched else { return }
            guard ftruncate(descriptor, 0) == 0 || errno == EINVAL else { throw .last }
            isUntouched = false
        }
        try SystemCall.write(descriptor, all: bytes)
    }
}
