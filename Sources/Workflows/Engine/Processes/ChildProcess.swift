/// A running program with all processes that it starts.
///
/// One thread waits for its end, another reads its output. If a task waits for the program, its background processes
/// are ended with it: by SIGTERM, and after two seconds by SIGKILL.
final class ChildProcess: Sendable {
    /// How long processes have to end after SIGTERM.
    static let patience = Duration.seconds(2)

    /// A message to the reading thread, one byte long.
    private enum Word: UInt8 {
        case exited = 1, end, kill
    }

    private struct State {
        var words: Descriptor?
        var isReaped = false
    }

    /// The id of the process and of its process group.
    let identifier: pid_t
    /// The name of the container that it runs; nil for any other program.
    let container: String?
    private let clock: any PromiseClock
    private let output: Descriptor?
    private let error: Descriptor?
    private let incoming: Descriptor
    private let state: Locked<State>

    /// Starts a program; `ended` is called when all its processes have ended.
    init(
        _ program: ChildProgram, clock: any PromiseClock,
        _ ended: @escaping @Sendable (ChildProcess, ProcessEnd) -> Void
    ) throws(SystemError) {
        var open: [Descriptor] = []
        func keep(_ ends: (reading: Descriptor, writing: Descriptor)) -> (reading: Descriptor, writing: Descriptor) {
            open += [ends.reading, ends.writing]
            return ends
        }
        do {
            let words = keep(try Descriptor.pipe())
            let output = program.kept == nil ? nil : keep(try Descriptor.pipe())
            let error = program.kept == nil ? nil : keep(try Descriptor.pipe())
            let talk = program.opened == nil ? nil : keep(try Descriptor.pipe())
            var input = talk?.reading
            if input == nil, let data = program.standardInput {
                let held = try Descriptor.holding(data)
                open.append(held)
                input = held
            }
            identifier = try program.spawn(input: input, output: output?.writing, error: error?.writing)
            for descriptor in [input, output?.writing, error?.writing] { descriptor?.close() }
            container = program.container?.name
            self.clock = clock
            self.output = output?.reading
            self.error = error?.reading
            incoming = words.reading
            state = Locked(State(words: words.writing))
            for descriptor in [words.writing, output?.reading, error?.reading] { descriptor?.setNonblocking() }
            if let talk { program.opened?(talk.writing) }
        } catch {
            for descriptor in open { descriptor.close() }
            throw error
        }
        SystemThread.start { self.awaitExit() }
        SystemThread.start { ended(self, self.read(program.kept)) }
    }

    /// Asks the program to end, and kills it after two seconds.
    func end() { tell(.end) }

    func kill() { send(SIGKILL) }

    private func tell(_ word: Word) { state.withLock { $0.words?.write(word.rawValue) } }

    /// Sends a signal to the whole group, whose id cannot be reused before the process is reaped.
    private func send(_ signal: Int32) {
        state.withLock { state in
            guard !state.isReaped else { return }
            SystemCall.kill(-identifier, signal)
        }
    }

    private func awaitExit() {
        var information = unsafe siginfo_t()
        // Not reaped yet: its id cannot be reused.
        while unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        tell(.exited)
    }

    /// Reads both streams to their end, or until no process is left that should write to them.
    private func read(_ kept: ChildProgram.Kept?) -> ProcessEnd {
        var streams: [(stream: ProcessEnd.Stream, descriptor: Descriptor, content: ProcessOutput)] = []
        if let kept, let output, let error {
            streams = [(.output, output, ProcessOutput(kept.output)), (.error, error, ProcessOutput(kept.error))]
        }
        let isAwaited = kept != nil
        var open = Set(streams.indices)
        var (hasExited, isEnding, isKilled, wasAsked) = (false, false, false, false)
        var flooded: ProcessEnd.Stream?
        var alarm: ScheduledWork?

        func take(_ index: Int) {
            while open.contains(index) {
                switch streams[index].descriptor.read() {
                case .bytes(let bytes):
                    streams[index].content.append(bytes)
                    if streams[index].content.isFlooded, flooded == nil {
                        flooded = streams[index].stream
                        isKilled = true
                        send(SIGKILL)
                        open = []
                    }
                case .nothingYet: return
                case .end: open.remove(index)
                }
            }
        }

        while true {
            for word in wait(for: open.map { streams[$0].descriptor }) {
                switch word {
                case .exited: hasExited = true
                case .end where !isEnding:
                    isEnding = true
                    wasAsked = true
                    send(SIGTERM)
                    alarm = clock.schedule(after: Self.patience) { self.tell(.kill) }
                case .end: break
                case .kill:
                    isKilled = true
                    send(SIGKILL)
                }
            }
            for index in open { take(index) }
            guard hasExited else { continue }
            if isKilled || (open.isEmpty && (isAwaited || !isEnding)) { break }
            if !isEnding {
                isEnding = true
                send(SIGTERM)
                alarm = clock.schedule(after: Self.patience) { self.tell(.kill) }
            }
        }
        alarm?.cancel()
        // Processes that closed their streams may still be running.
        if isAwaited || isEnding { send(SIGKILL) }
        for index in open { take(index) }
        let status = reap()
        for stream in streams { stream.descriptor.close() }
        let signal = status & 0x7F
        return ProcessEnd(
            code: Int(signal == 0 ? (status >> 8) & 0xFF : 128 + signal), signal: signal == 0 ? nil : signal,
            output: streams.first?.content.end ?? Data(), error: streams.last?.content.end ?? Data(), flooded: flooded,
            wasEnded: wasAsked)
    }

    /// Waits for data to read, and returns the messages in it.
    private func wait(for streams: [Descriptor]) -> [Word] {
        var watched = ([incoming] + streams).map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
        while unsafe poll(&watched, nfds_t(watched.count), -1) < 0 && errno == EINTR {}
        guard watched[0].revents != 0, case .bytes(let bytes) = incoming.read() else { return [] }
        return bytes.compactMap(Word.init)
    }

    private func reap() -> Int32 {
        let words = state.withLock { state in
            defer { state = State(words: nil, isReaped: true) }
            return state.words
        }
        words?.close()
        incoming.close()
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        return status
    }
}
