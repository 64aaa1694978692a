import Essentials
import Promises

/// Ends work on a signal: the first one ends it in order, the second one ends the program at once.
final class Interruption: Sendable {
    /// Everything of this process that ends on a signal.
    private struct Watch {
        var number = 0
        var bodies: [Int: @Sendable (ExitStatus) -> Void] = [:]
        // They are never cancelled: on Linux, a later source for the same signal would receive none.
        var sources: [any DispatchSourceSignal] = []
    }

    private static let watch = Locked(Watch())

    private let received = Locked<ExitStatus?>(nil)
    private let number: Int

    /// Watches for SIGINT and SIGTERM, and calls the body at the first one.
    /// - Parameters:
    ///   - console: The command's console; signals are only watched if it owns the process.
    ///   - body: Ends the work.
    ///   - atOnce: What must be done before the second one ends the program.
    init(
        on console: Console, atOnce: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () -> Void
    ) {
        guard console.ownsProcess else {
            number = 0
            return
        }
        let received = received
        number = Self.watch.withLock { watch in
            watch.number += 1
            watch.bodies[watch.number] = { status in
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
            if watch.sources.isEmpty {
                watch.sources = [Self.source(of: SIGINT, .interrupted), Self.source(of: SIGTERM, .terminated)]
            }
            return watch.number
        }
    }

    /// Returns at the first SIGINT or SIGTERM.
    static func first(on console: Console) async {
        let (come, resolver) = Guarantee<Void>.pending()
        let interruption = Interruption(on: console) { resolver(()) }
        await come.value
        interruption.end()
    }

    /// The exit status after a signal; nil if none came.
    var status: ExitStatus? { received.withLock { $0 } }

    /// Stops watching; a signal then ends the program, unless something else still watches.
    func end() { Self.watch.withLock { $0.bodies[number] = nil } }

    private static func source(of number: Int32, _ status: ExitStatus) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { @Sendable in
            let bodies = watch.withLock { $0.bodies }
            guard !bodies.isEmpty else { exit(status.rawValue) }
            for body in bodies.values { body(status) }
        }
        source.activate()
        return source
    }
}
