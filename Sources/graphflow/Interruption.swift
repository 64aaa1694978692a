/// Ends work on a signal: the first signal ends it in order, the second one ends the program at once.
final class Interruption: Sendable {
    private struct Watch {
        var number = 0
        var bodies: [Int: @Sendable (ExitStatus) -> Void] = [:]
        /// The bodies for SIGHUP, by watch.
        var hangUps: [Int: @Sendable () -> Void] = [:]
        // Sources are never cancelled: on Linux, a later source for the same signal would receive nothing.
        var sources: [any DispatchSourceSignal] = []
    }

    private static let watch = Locked(Watch())
    /// Each source leaves it when it is installed.
    private static let installation = DispatchGroup()

    private let received = Locked<ExitStatus?>(nil)
    private let number: Int

    /// Watches for SIGINT, SIGTERM and SIGHUP, and calls the body at the first signal.
    /// - Parameters:
    ///   - console: The command's console; signals are only watched if it owns the process.
    ///   - hangUp: The body for SIGHUP; nil if it ends the work too, because the terminal has gone away.
    ///   - body: Ends the work.
    ///   - atOnce: Is called before the second signal ends the program.
    init(
        on console: Console, hangUp: (@Sendable () -> Void)? = nil, atOnce: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable () -> Void
    ) {
        guard console.ownsProcess else {
            number = 0
            return
        }
        let received = received
        number = Self.watch.withLock { watch in
            watch.number += 1
            watch.hangUps[watch.number] = hangUp
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
                // 'nohup' lets the program run without its terminal.
                if hangUp != nil || !Self.ignoresHangUp { watch.sources.append(Self.source(of: SIGHUP, .terminated)) }
            }
            return watch.number
        }
        // Another thread installs the sources; until then, a signal ends the program at once.
        Self.installation.wait()
    }

    /// Returns at the first SIGINT or SIGTERM.
    static func first(on console: Console) async {
        let (come, resolver) = Guarantee<Void>.pending()
        let interruption = Interruption(on: console) { resolver(()) }
        await come.value
        interruption.end()
    }

    private static var ignoresHangUp: Bool {
        var action = sigaction()
        guard unsafe sigaction(SIGHUP, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            return unsafe unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
        #else
            return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
        #endif
    }

    /// The exit status for the signal; nil if there was none.
    var status: ExitStatus? { received.withLock { $0 } }

    /// Stops watching; a signal then ends the program, unless something else watches.
    func end() {
        Self.watch.withLock { watch in
            watch.bodies[number] = nil
            watch.hangUps[number] = nil
        }
    }

    private static func source(of number: Int32, _ status: ExitStatus) -> any DispatchSourceSignal {
        #if canImport(Darwin)
            signal(number, SIG_IGN)
        #endif
        // On Linux, the source installs a handler: ignoring the signal before that would lose a signal in between.
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { @Sendable in
            let (bodies, hangUps) = watch.withLock { ($0.bodies, number == SIGHUP ? $0.hangUps : [:]) }
            guard !bodies.isEmpty else { exit(status.rawValue) }
            for (number, body) in bodies {
                if let hangUp = hangUps[number] { hangUp() } else { body(status) }
            }
        }
        installation.enter()
        source.setRegistrationHandler { @Sendable in installation.leave() }
        source.activate()
        return source
    }
}
