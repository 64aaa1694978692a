/// JSON-RPC with a program, one message a line over its standard input and output.
///
/// Lines that are not messages are skipped: some programs greet first.
final class ProgramConversation: Sendable {
    private struct State {
        var connection: RPCConnection?
        var standardError: ProcessOutput
        var skipped: String?
        var isOverwhelmed = false
    }

    private let largest: Int
    private let answer: RPCConnection.Answering
    private let state: Locked<State>

    /// - Parameters:
    ///   - largest: The largest message of the program in bytes.
    ///   - errorTail: How many bytes of its standard error are kept.
    ///   - answer: Answers the program's requests.
    init(upTo largest: Int, errorTail: Int, answer: @escaping RPCConnection.Answering) {
        (self.largest, self.answer) = (largest, answer)
        state = Locked(State(standardError: ProcessOutput(.last(errorTail))))
    }

    /// The program with its streams connected to this conversation.
    func connected(to program: ChildProgram) -> ChildProgram {
        var program = program
        program.opened = { self.open($0) }
        program.kept = ChildProgram.Kept(
            output: .handed { bytes in _ = self.connection?.receive(bytes) },
            error: .handed { bytes in self.state.withLock { $0.standardError.append(bytes) } })
        return program
    }

    private var connection: RPCConnection? { state.withLock { $0.connection } }

    private func open(_ input: Descriptor) {
        var limits = RPCConnection.Limits()
        limits.message = largest
        // A request can be large.
        limits.unwritten = largest
        let connection = RPCConnection(
            output: input.number, .lines, limits: limits, answer: answer,
            unreadable: { [weak self] _, message in self?.skip(message) })
        state.withLock { $0.connection = connection }
        connection.start { input.close() }
    }

    /// Notes the first line that is no message; a message without bytes is too large.
    private func skip(_ message: Data) {
        guard !message.isEmpty else {
            state.withLock { $0.isOverwhelmed = true }
            return close()
        }
        let line = PlainText.line(PlainText.beginning(of: message, upTo: 400), limit: 100)
        state.withLock { if $0.skipped == nil { $0.skipped = line } }
    }

    /// Sends a request.
    /// - Returns: The result; rejected with the program's ``RPCError``, or with ``RPCConnection/ended``.
    func request(_ method: String, _ params: Value) -> Promise<Value> {
        connection?.request(method, params) ?? Promise(error: RPCConnection.ended)
    }

    func notify(_ method: String, _ params: Value) { connection?.notify(method, params) }

    /// Closes the program's standard input, after what is written; every request without an answer is rejected.
    func close() { connection?.close() }

    /// The last bytes of the program's standard error.
    var standardError: Data { state.withLock { $0.standardError.end } }

    /// Whether the program sent a message that is too large, after which nothing is read.
    var isOverwhelmed: Bool { state.withLock { $0.isOverwhelmed } }

    /// What the program wrote that is no message, as a part of a sentence; nil for nothing.
    var complaint: String? {
        state.withLock { $0.skipped }.map { line in
            "it wrote '\(line)' to its standard output, which is only for messages: let it write that to standard error"
        }
    }
}
