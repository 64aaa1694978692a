import Dispatch
import Foundation
import Promises

/// Ends work when a signal asks for it: the first one lets it end in order, the second ends the program at once.
final class Interruption: Sendable {
    private let received = Locked<ExitStatus?>(nil)
    // Made once, and cancelled once: nothing that another thread could see half done.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Watches for SIGINT and SIGTERM, and calls the body at the first one.
    /// - Parameters:
    ///   - console: Where the command runs; nothing is watched where the process is not the command's own.
    ///   - body: Ends the work.
    ///   - atOnce: What is to be done even when the second one ends the program.
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

    /// The status to end with, where a signal came.
    var status: ExitStatus? { received.withLock { $0 } }

    /// Stops watching.
    func end() {
        for source in unsafe sources { source.cancel() }
    }
}
