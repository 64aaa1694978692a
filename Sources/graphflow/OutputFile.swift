import Foundation
import WorkflowHTTP

/// An open file, pipe or device that is written with as little as possible around the system's call, because a run
/// writes a line for every task.
final class OutputFile: Sendable {
    private let descriptor: Int32
    private let isOwned: Bool

    /// Standard output or standard error, which stays open.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isOwned = false
    }

    /// Opens a file, which is emptied or created; a pipe or a device stays what it is.
    init(path: String) throws(SystemError) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        isOwned = true
        guard descriptor >= 0 else { throw .last }
    }

    deinit { if isOwned, descriptor >= 0 { SystemCall.close(descriptor) } }

    /// Whether it is the device that discards what is written to it.
    var isNull: Bool {
        var (status, null) = (stat(), stat())
        return unsafe fstat(descriptor, &status) == 0 && stat("/dev/null", &null) == 0
            && status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == null.st_rdev
    }

    func write(_ data: Data) throws(SystemError) {
        let failure: SystemError? = unsafe data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = unsafe SystemCall.write(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return .last }
                done += count
            }
            return nil
        }
        if let failure { throw failure }
    }
}
