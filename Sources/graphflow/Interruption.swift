import Essentials
import Promises

/// Ends work on a signal: the first one ends it in order, the second one ends the program at once.
final class Interruption: Sendable {
    private let received = Locked<ExitStatus?>(nil)
    // Set once in `init` and cancelled once, so no other thread sees an intermediate state.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Watches for SIGINT and SIGTERM, and calls the body at the first one.
    /// - Parameters:
    ///   - console: The command's console; signals are only watched if it owns the process.
    ///   - body: Ends the work.
    ///   - atOnce: What must be done before the second one ends the program.
    init(
        on console: Console, atOnce: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () -> Void
    ) {
        guard console.ownsProcess else {
            unsafe sources = []
            return
        }
        let received = received
        let watched: [(signal: Int32, status: ExitStatus)] = [(SIGINT, .interrupted), (SIGTERM, .terminated)]
        unsafe sources = watched.map { number, status in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable in
                let isFirst = received.withLock { first in
                    defer { first = first ?? status }
                    return first == nil
                }
                guard isFirst else {
                    atOnce()
                    exit(status.rawValue)
                }
                body()
            }
            source.activate()
            return source
        }
    }

    /// The exit status after a signal; nil if none came.
    var status: ExitStatus? { received.withLock { $0 } }

    /// Stops watching.
    func end() {
        for source in unsafe sources { source.cancel() }
    }
}
