/// A lock between processes: `flock` on a dedicated file.
///
/// The system releases it when its holder ends. The file stays, except for locks shared with MSAL's extensions, where
/// the file itself is the lock.
package struct FileLock: Sendable {
    package enum Failure: Error {
        case held(by: String)
        case system(SystemError)
    }

    /// Seconds until an unlocked lock file is taken over: MSAL's extensions create the file before they lock it.
    private static let ageOfAbandoned = 5.0

    /// Extra waiting time while others only test the lock, which can take long on a busy machine.
    private static let patienceWithLookers = Duration.seconds(10)

    private let descriptor: Int32
    private let created: String?

    /// Waits for the lock on a new thread.
    ///
    /// - Parameters:
    ///   - path: The lock's file, which is created if it does not exist.
    ///   - patience: How long to wait, in real seconds: other programs know no other clock.
    ///   - isSharedWithMSAL: Whether to lock as MSAL's extensions do.
    static func acquire(_ path: String, patience: Double, isSharedWithMSAL: Bool = false) -> Promise<FileLock> {
        Promise { resolver in
            let isWanted = Locked(true)
            resolver.onCancel { isWanted.withLock { $0 = false } }
            SystemThread.start {
                do {
                    let isStillWanted = { isWanted.withLock { $0 } }
                    let lock =
                        isSharedWithMSAL
                        ? try FileLock(creating: path, patience: patience, while: isStillWanted)
                        : try FileLock(path, patience: patience, while: isStillWanted)
                    guard isWanted.withLock({ $0 }) else { return lock.release() }
                    resolver.fulfill(lock)
                } catch {
                    resolver.reject(error)
                }
            }
        }
    }

    /// Waits for the lock on this thread.
    ///
    /// - Parameters:
    ///   - path: The lock's file, which is created if it does not exist.
    ///   - patience: How long to wait, in real seconds.
    ///   - isBrief: Whether the lock is released so soon that its holder need not be recorded.
    ///   - isWanted: Whether to keep waiting.
    package init(
        _ path: String, patience: Double, isBrief: Bool = false, while isWanted: () -> Bool = { true }
    ) throws(Failure) {
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else { throw .system(.last) }
        descriptor = opened
        created = nil
        let deadline = ContinuousClock.now + .seconds(patience)
        var pause = 0.001
        while flock(opened, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            let isLookedAt = code == EWOULDBLOCK && Self.isShared(opened)
            let end = isLookedAt ? deadline + Self.patienceWithLookers : deadline
            guard code == EWOULDBLOCK || code == EINTR, isWanted(), ContinuousClock.now < end else {
                let holder = code == EWOULDBLOCK ? Self.content(opened) : nil
                Self.close(opened)
                throw holder.map { .held(by: $0) } ?? .system(SystemError(code: code))
            }
            SystemThread.sleep(seconds: pause)
            pause = min(pause * 2, 0.05)
        }
        if !isBrief { Self.recordHolder(in: opened) }
    }

    /// Waits, on this thread, for a lock that is shared with MSAL's extensions.
    ///
    /// The process that creates the file has the lock and removes the file on release; versions that use `portalocker`
    /// also `flock` it. This does both. A dead process's file is taken over in place, so no other process can create it
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - path: The lock's file.
    ///   - patience: How long to wait, in real seconds.
    ///   - isWanted: Whether to keep waiting.
    init(creating path: String, patience: Double, while isWanted: () -> Bool = { true }) throws(Failure) {
        let deadline = ContinuousClock.now + .seconds(patience)
        var pause = 0.001
        while true {
            var locked = try Self.create(path)
            if locked == nil { locked = try Self.takeOver(path) }
            if let locked {
                Self.recordHolder(in: locked)
                descriptor = locked
                created = path
                return
            }
            guard isWanted(), ContinuousClock.now < deadline else { throw .held(by: Self.recorded(in: path)) }
            SystemThread.sleep(seconds: pause)
            // MSAL's extensions try four times a second and give up after five seconds, so they must get a turn.
            pause = min(pause * 2, 0.25)
        }
    }

    /// Creates and locks the file; nil if it exists, or if another process has already locked it.
    private static func create(_ path: String) throws(Failure) -> Int32? {
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            guard errno == EEXIST else { throw .system(.last) }
            return nil
        }
        // An older extension that has waited long enough locks any file it finds.
        if flock(opened, LOCK_EX | LOCK_NB) == 0 {
            if isFile(opened, at: path) { return opened }
        } else if errno != EWOULDBLOCK {
            let error = SystemError.last
            _ = unsafe unlink(path)
            Self.close(opened)
            throw .system(error)
        }
        Self.close(opened)
        return nil
    }

    /// Locks a file left by a dead process; nil if there is none.
    private static func takeOver(_ path: String) throws(Failure) -> Int32? {
        let opened = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else {
            guard errno == ENOENT else { throw .system(.last) }
            return nil
        }
        // The age is checked first: a lock here could block a process that has just created the file.
        if isOld(opened), flock(opened, LOCK_EX | LOCK_NB) == 0 {
            let process = content(opened).split(separator: " ").first.flatMap { pid_t($0) }
            // In a container, the dead process often had this process's number.
            let isAbandoned = process.map { $0 == getpid() || !SystemCall.isAlive($0) } ?? true
            if isAbandoned, isOld(opened), isFile(opened, at: path) { return opened }
        }
        Self.close(opened)
        return nil
    }

    private static func isOld(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return false }
        #if canImport(Darwin)
            let changed = status.st_mtimespec.tv_sec
        #else
            let changed = status.st_mtim.tv_sec
        #endif
        return Date().timeIntervalSince1970 - Double(changed) > ageOfAbandoned
    }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var opened = stat()
        var found = stat()
        return unsafe fstat(descriptor, &opened) == 0 && lstat(path, &found) == 0 && opened.st_ino == found.st_ino
            && opened.st_dev == found.st_dev
    }

    private static func recorded(in path: String) -> String {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return "" }
        defer { Self.close(opened) }
        return content(opened)
    }

    /// Records the holder for display, as MSAL's extensions do.
    private static func recordHolder(in descriptor: Int32) {
        let text = ([String(getpid())] + CommandLine.arguments.prefix(2)).joined(separator: " ")
        if ftruncate(descriptor, 0) == 0 { _ = unsafe pwrite(descriptor, text, text.utf8.count, 0) }
    }

    /// Whether the lock is held; the test does not block other processes.
    package static func isHeld(_ path: String) -> Bool {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return false }
        defer { Self.close(opened) }
        return !isShared(opened) && errno == EWOULDBLOCK
    }

    private static func isShared(_ descriptor: Int32) -> Bool {
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return false }
        _ = flock(descriptor, LOCK_UN)
        return true
    }

    /// The holder's process, program and first argument; nil if the lock is free.
    package static func holder(of path: String) -> (process: pid_t, words: [String])? {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return nil }
        defer { Self.close(opened) }
        guard !isShared(opened), errno == EWOULDBLOCK else { return nil }
        let words = content(opened).split(separator: " ").map(String.init)
        return words.first.flatMap { pid_t($0) }.map { ($0, Array(words.dropFirst())) }
    }

    package func release() {
        // Removed first: a process that finds it unlocked may conclude that its holder is gone.
        if let created, Self.isFile(descriptor, at: created) { _ = unsafe unlink(created) }
        Self.close(descriptor)
    }

    /// Unlocks and closes the file; a child that has not yet started its program has a copy of the descriptor.
    private static func close(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        SystemCall.close(descriptor)
    }

    private static func content(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        return PlainText.line(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self), limit: 200)
    }
}
