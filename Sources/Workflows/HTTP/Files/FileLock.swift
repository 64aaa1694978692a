package import Essentials
import Promises

/// A lock between processes: `flock` on a file of its own, which is never removed.
///
/// The system releases it when its holder ends, for whatever reason.
package struct FileLock: Sendable {
    /// Why the lock could not be acquired.
    package enum Failure: Error {
        case held(by: String)
        case system(SystemError)
    }

    private let descriptor: Int32

    /// Waits for the lock on a thread of its own.
    ///
    /// - Parameters:
    ///   - path: The lock's file, which is created if it does not exist.
    ///   - patience: How long to wait, in real seconds: other programs know no other clock.
    static func acquire(_ path: String, patience: Double) -> Promise<FileLock> {
        Promise { resolver in
            let isWanted = Locked(true)
            resolver.onCancel { isWanted.withLock { $0 = false } }
            SystemThread.start {
                do {
                    let lock = try FileLock(path, patience: patience) { isWanted.withLock { $0 } }
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
    ///   - isBrief: Whether the lock is released so soon that nobody needs to know who holds it.
    ///   - isWanted: Whether to go on waiting.
    package init(
        _ path: String, patience: Double, isBrief: Bool = false, while isWanted: () -> Bool = { true }
    ) throws(Failure) {
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else { throw .system(.last) }
        descriptor = opened
        let deadline = ContinuousClock.now + .seconds(patience)
        var pause = 0.001
        while flock(opened, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR, isWanted(), ContinuousClock.now < deadline else {
                let holder = code == EWOULDBLOCK ? Self.content(opened) : nil
                SystemCall.close(opened)
                throw holder.map { .held(by: $0) } ?? .system(SystemError(code: code))
            }
            SystemThread.sleep(seconds: pause)
            pause = min(pause * 2, 0.05)
        }
        if isBrief { return }
        // The holder is recorded for display, as MSAL's extensions do.
        let text = ([String(getpid())] + CommandLine.arguments.prefix(2)).joined(separator: " ")
        if ftruncate(opened, 0) == 0 { _ = unsafe pwrite(opened, text, text.utf8.count, 0) }
    }

    /// Whether the lock is held; the test does not block other processes.
    package static func isHeld(_ path: String) -> Bool {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return false }
        defer { SystemCall.close(opened) }
        return flock(opened, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// What its holder is: the process, its program and that one's first argument; nil if nobody holds it.
    package static func holder(of path: String) -> (process: pid_t, words: [String])? {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return nil }
        defer { SystemCall.close(opened) }
        guard flock(opened, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        let words = content(opened).split(separator: " ").map(String.init)
        return words.first.flatMap { pid_t($0) }.map { ($0, Array(words.dropFirst())) }
    }

    /// Releases the lock.
    package func release() { SystemCall.close(descriptor) }

    private static func content(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        return PlainText.line(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self), limit: 200)
    }
}
