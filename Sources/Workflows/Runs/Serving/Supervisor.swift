import Essentials

/// The program that started this one and monitors it, such as systemd.
///
/// Notifications follow sd_notify(3): a datagram of lines to the socket that `NOTIFY_SOCKET` names.
package struct Supervisor: Sendable {
    private let address: String
    /// How often it must be notified before it restarts the service; nil for no limit.
    let watchdog: Duration?

    /// The supervisor that the environment names; nil if it names none.
    package init?(_ environment: [String: String], process: pid_t = getpid()) {
        guard let address = environment["NOTIFY_SOCKET"], address.count > 1, let first = address.first,
            first == "/" || first == "@", address.utf8.count < Self.longestAddress
        else { return nil }
        self.address = address
        // The variables may be for another process.
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        let interval = environment["WATCHDOG_USEC"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        watchdog = isMeant ? interval.map { .microseconds($0) } : nil
    }

    enum State: Sendable {
        case ready, stopping, alive
    }

    /// Notifies of a state, with a line for people.
    func notify(_ state: State, status: String) {
        let line =
            switch state {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            }
        // A status is one line. If the supervisor has gone, failing to send is no error.
        _ = send("\(line)\nSTATUS=\(status.split(whereSeparator: \.isNewline).joined(separator: " "))\n")
    }

    private static var longestAddress: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) }

    private func send(_ text: String) -> Bool {
        let descriptor = socket(AF_UNIX, SystemCall.datagram, 0)
        guard descriptor >= 0 else { return false }
        defer { SystemCall.close(descriptor) }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with a zero byte, which is written as '@', and ends with its length.
        var bytes = Array(address.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let start = MemoryLayout<sockaddr_un>.size - Self.longestAddress
        let length = socklen_t(start + bytes.count)
        let isConnected = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, length) }
        }
        guard isConnected == 0 else { return false }
        return (try? SystemCall.write(descriptor, all: Data(text.utf8))) != nil
    }
}
