/// Says when something changes in folders, instead of looking again and again.
package final class FolderWatch: Sendable {
    /// The system tells only of what this machine's programs write; another one's is found after this time.
    private static let interval = Duration.seconds(60)
    /// The time between looks where the system tells of nothing, and to a second look at what was still being written.
    private static let shortInterval = Duration.seconds(1)

    private struct State {
        var watched: Set<FolderChanges.Number> = []
        var hasChanged = false
        /// Whether nothing has changed since the last look but one.
        var isQuiet = false
        /// The wait that a change ends.
        var waiting: (number: Int, resolver: Resolver<Void>, timer: ScheduledWork)?
        var count = 0
    }

    private let paths: [String]
    private let state = Locked(State())

    /// Watches folders, each of which may come into being later.
    package init(_ folders: [PrivateFolder]) {
        paths = folders.map(\.path)
        _ = register()
    }

    deinit {
        for number in state.withLock(\.watched) { FolderChanges.shared?.remove(number, of: ObjectIdentifier(self)) }
    }

    /// Waits for a change since the last call, or since the watch began; one wait at a time.
    /// - Parameter limit: How long it waits at most; nil for no limit.
    package func change(within limit: Duration? = nil, _ clock: any PromiseClock) -> Promise<Void> {
        // A folder that is new, or replaced, may have been written before it was watched.
        let isNew = register()
        return Promise { resolver in
            let (number, interval) = state.withLock { state in
                state.count += 1
                return (state.count, state.isQuiet && !state.watched.isEmpty ? Self.interval : Self.shortInterval)
            }
            let timer = clock.schedule(after: min(limit ?? interval, interval)) { [self] in
                end(number)
                resolver.fulfill(())
            }
            let mustWait = state.withLock { state in
                defer { state.hasChanged = false }
                state.isQuiet = !state.hasChanged && !isNew
                guard state.isQuiet else { return false }
                state.waiting = (number, resolver, timer)
                return true
            }
            guard mustWait else {
                timer.cancel()
                return resolver.fulfill(())
            }
            resolver.onCancel { [self] in
                timer.cancel()
                end(number)
            }
        }
    }

    /// From now on, a change is kept for the next wait.
    private func end(_ number: Int) {
        state.withLock { if $0.waiting?.number == number { $0.waiting = nil } }
    }

    /// Watches the folders that exist.
    /// - Returns: Whether one of them was not watched before.
    private func register() -> Bool {
        guard let changes = FolderChanges.shared else { return false }
        let numbers = Set(
            paths.compactMap { path in
                changes.add(path, of: ObjectIdentifier(self)) { [weak self] in self?.note() }
            })
        return state.withLock { state in
            defer { state.watched.formUnion(numbers) }
            return !numbers.isSubset(of: state.watched)
        }
    }

    private func note() {
        let waiting = state.withLock { state in
            (state.hasChanged, state.isQuiet) = (state.waiting == nil, false)
            return state.waiting.take()
        }
        waiting?.timer.cancel()
        waiting?.resolver.fulfill(())
    }
}

/// What the system says of changes in folders, to this process's watches.
private final class FolderChanges: Sendable {
    typealias Number = Int32

    /// Nil where the system tells of nothing, or to no more programs of this user.
    static let shared = FolderChanges()

    private typealias Handlers = [ObjectIdentifier: @Sendable () -> Void]
    private let handlers = Locked<[Number: Handlers]>([:])
    #if canImport(Darwin)
        private let sources = Locked<[Number: any DispatchSourceFileSystemObject]>([:])
        private init?() {}
    #else
        private let descriptor: Int32

        private init?() {
            descriptor = inotify_init1(Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            SystemThread.start { [self] in read() }
        }
    #endif

    /// - Returns: What the folder has in common with others of the same path; nil if it cannot be watched.
    func add(_ path: String, of owner: ObjectIdentifier, _ body: @escaping @Sendable () -> Void) -> Number? {
        handlers.withLock { handlers in
            guard let number = number(of: path) else { return nil }
            handlers[number, default: [:]][owner] = body
            return number
        }
    }

    func remove(_ number: Number, of owner: ObjectIdentifier) {
        handlers.withLock { handlers in
            handlers[number]?[owner] = nil
            guard handlers[number]?.isEmpty == true else { return }
            handlers[number] = nil
            forget(number)
        }
    }

    #if canImport(Darwin)
        private func number(of path: String) -> Number? {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            let number = Number(truncatingIfNeeded: status.st_ino)
            return sources.withLock { sources in
                if sources[number] != nil { return number }
                let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
                guard descriptor >= 0 else { return nil }
                let source = DispatchSource.makeFileSystemObjectSource(
                    fileDescriptor: descriptor, eventMask: [.write, .delete, .rename], queue: .global())
                source.setEventHandler { [weak self] in self?.tell([number]) }
                source.setCancelHandler { SystemCall.close(descriptor) }
                source.resume()
                sources[number] = source
                return number
            }
        }

        private func forget(_ number: Number) { sources.withLock { $0.removeValue(forKey: number) }?.cancel() }
    #else
        private func number(of path: String) -> Number? {
            let events = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE
            let number = unsafe inotify_add_watch(descriptor, path, UInt32(events | IN_DELETE_SELF | IN_ONLYDIR))
            return number >= 0 ? number : nil
        }

        private func forget(_ number: Number) { _ = inotify_rm_watch(descriptor, number) }

        private func read() {
            // Other threads handle signals.
            var signals = sigset_t()
            _ = unsafe sigfillset(&signals)
            _ = unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 8)
            while true {
                let count = unsafe SystemCall.read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { continue }
                var (numbers, place) = (Set<Number>(), 0)
                while place < count {
                    let event = unsafe buffer.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                    numbers.insert(event.wd)
                    place += MemoryLayout<inotify_event>.size + Int(event.len)
                }
                tell(numbers)
            }
        }
    #endif

    private func tell(_ numbers: Set<Number>) {
        // Events were lost if there is the number of no folder.
        let called = handlers.withLock { handlers in
            (numbers.contains(-1) ? Set(handlers.keys) : numbers).flatMap {
                handlers[$0].map { Array($0.values) } ?? []
            }
        }
        for body in called { body() }
    }
}
