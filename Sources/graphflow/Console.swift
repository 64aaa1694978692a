import Essentials
import Promises
import Workflows

/// Where a command reads and writes: the result to standard output, everything else to standard error.
struct Console: Sendable {
    /// The environment variables.
    private(set) var environment: [String: String]
    let inputIsTerminal: Bool
    let outputIsTerminal: Bool
    private(set) var errorIsTerminal: Bool
    /// Whether nobody can read what goes to standard error.
    let errorIsDiscarded: Bool
    /// Whether the process runs only this command, so that its signals concern the command.
    let ownsProcess: Bool
    /// Whether the process ends once its result is no longer read.
    var endsWithReader = false
    /// The tokens and secrets of the command, which are concealed in all that it writes.
    let secrets = KnownSecrets()
    private let writeOutput: @Sendable (Data) throws -> Void
    private var error: ErrorStream
    /// Whether some of the result could not be written.
    private let outputFailure = OutputFailure()

    /// The console that the process was started with.
    init(environment: [String: String]) {
        let (output, error) = (OutputFile(STDOUT_FILENO), OutputFile(STDERR_FILENO))
        self.init(
            environment: environment, inputIsTerminal: isatty(STDIN_FILENO) == 1,
            outputIsTerminal: isatty(STDOUT_FILENO) == 1,
            errorIsTerminal: isatty(STDERR_FILENO) == 1, ownsProcess: true,
            errorIsDiscarded: error.isNull, output: { try output.write($0) }, error: { try? error.write($0) })
    }

    /// A console that writes elsewhere, for tests.
    init(
        environment: [String: String], inputIsTerminal: Bool = true, outputIsTerminal: Bool, errorIsTerminal: Bool,
        ownsProcess: Bool, errorIsDiscarded: Bool = false,
        output: @escaping @Sendable (Data) throws -> Void, error: @escaping @Sendable (Data) -> Void
    ) {
        self.environment = environment
        self.inputIsTerminal = inputIsTerminal
        self.outputIsTerminal = outputIsTerminal
        self.errorIsTerminal = errorIsTerminal
        self.ownsProcess = ownsProcess
        self.errorIsDiscarded = errorIsDiscarded
        writeOutput = output
        self.error = ErrorStream { [secrets] in error(ConcealedBytes.conceal($0, secrets)) }
    }

    /// The console with variables that its environment does not set.
    func adding(_ variables: [String: String]) -> Console {
        var console = self
        console.environment.merge(variables) { set, _ in set }
        return console
    }

    /// The console with something else in place of standard error.
    func replacingError(_ write: @escaping @Sendable (Data) -> Void) -> Console {
        var console = self
        console.error = ErrorStream { [secrets] in write(ConcealedBytes.conceal($0, secrets)) }
        console.errorIsTerminal = false
        return console
    }

    /// Whether what goes to standard output may be coloured.
    var outputHasColour: Bool { outputIsTerminal && allowsColour }

    /// Whether what goes to standard error may be coloured.
    var errorHasColour: Bool { errorIsTerminal && allowsColour }

    /// Whether standard error is a terminal on which lines can be drawn again.
    var errorIsScreen: Bool { errorIsTerminal && environment["TERM"] != "dumb" }

    /// The columns and rows of the terminal at standard error, as they are now.
    var errorSize: (columns: Int, rows: Int) {
        var size = winsize()
        let isKnown = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
        func given(_ name: String) -> Int? { environment[name].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
        return (
            isKnown && size.ws_col > 0 ? Int(size.ws_col) : given("COLUMNS") ?? 80,
            isKnown && size.ws_row > 0 ? Int(size.ws_row) : given("LINES") ?? 24
        )
    }

    /// The columns of help: those of the terminal, within what can be read easily.
    var helpWidth: Int { min(max(outputWidth ?? 80, 60), 110) }

    /// The columns of the terminal at standard output; nil if it is no terminal or does not report them.
    var outputWidth: Int? {
        guard outputIsTerminal else { return nil }
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes lines of the result; what would control a terminal is escaped.
    func print(_ text: String) { print(painted: text.escapingControls) }

    /// Writes lines that have colours, and in which everything else that would control a terminal is escaped.
    func print(painted text: String) { print(Data((text + "\n").utf8)) }

    /// Writes a result as JSON: indented on a terminal, otherwise in one line.
    func print(_ value: Value) { print(value.json(pretty: outputIsTerminal)) }

    /// Writes lines that are not part of the result; what would control a terminal is escaped.
    func complain(_ text: String) { complain(painted: text.escapingControls) }

    /// Writes lines that have colours, and in which everything else that would control a terminal is escaped.
    func complain(painted text: String) { error.write(text + "\n") }

    /// Writes a question, after which the answer stands in the same line.
    func ask(_ question: String) { error.write(question.escapingControls) }

    /// Writes lines to standard error, each in one row if that is a terminal.
    func complain(_ lines: [TerminalLine]) {
        let width = errorIsTerminal ? errorSize.columns - 1 : nil
        let text = lines.map { $0.text(width: width, colour: errorHasColour) + "\n" }.joined()
        if !text.isEmpty { error.write(text) }
    }

    /// Writes lines to standard error that stay, and draws others below them that are replaced the next time.
    func draw(_ block: [String], under lines: [TerminalLine]) {
        let width = errorSize.columns - 1
        error.draw(block, under: lines.map { $0.text(width: width, colour: errorHasColour) })
    }

    /// Writes bytes of the result, above what is drawn on the same terminal.
    func print(_ data: Data) { write(ConcealedBytes.conceal(data, secrets)) }

    /// Writes the pieces of a result, whose end is an empty piece.
    func printPieces() -> (Data) -> Void {
        var concealed = ConcealedBytes(secrets)
        return { write(concealed.add($0, isLast: $0.isEmpty)) }
    }

    /// The first failure is reported at once, because a service may go on for a long time.
    private func write(_ data: Data) {
        do {
            guard outputIsTerminal, errorIsScreen else { return try writeOutput(data) }
            try error.above { try writeOutput(data) }
        } catch {
            let isUnread = (error as? SystemError)?.code == EPIPE
            if isUnread, endsWithReader, ownsProcess { exit(ExitStatus.brokenPipe.rawValue) }
            let isFirst = outputFailure.note(isUnread ? .brokenPipe : .faulted)
            if isFirst, !isUnread { complain("error: standard output cannot be written: \(error)") }
        }
    }

    /// How a command ends that has succeeded: whether all of the result was written.
    var outputStatus: ExitStatus { outputFailure.status }

    // https://no-color.org: any value but an empty one turns colour off.
    private var allowsColour: Bool { (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb" }
}

/// Whether standard output could not be written.
private final class OutputFailure: Sendable {
    private let state = Locked(ExitStatus.success)

    var status: ExitStatus { state.withLock { $0 } }

    /// Remembers a failure; true for the first one.
    func note(_ failure: ExitStatus) -> Bool {
        state.withLock { status in
            guard status == .success else { return false }
            status = failure
            return true
        }
    }
}

/// Standard error, at whose end lines can stand that are drawn again and again.
private final class ErrorStream: Sendable {
    private let writeData: @Sendable (Data) -> Void
    /// The lines that are drawn now, which only the queue reads and changes.
    private let drawn = Locked<[String]>([])
    private let queue = DispatchQueue(label: "graphflow.standard-error")

    init(_ write: @escaping @Sendable (Data) -> Void) { writeData = write }

    /// Writes text above what is drawn, which is drawn again the next time.
    func write(_ text: String) {
        queue.sync { writeData(Data((forget() + text).utf8)) }
    }

    /// Lets something else write to the terminal above what is drawn.
    func above(_ write: () throws -> Void) rethrows {
        try queue.sync {
            let clear = forget()
            if !clear.isEmpty { writeData(Data(clear.utf8)) }
            try write()
        }
    }

    /// Forgets what is drawn.
    /// - Returns: What removes it from the terminal.
    private func forget() -> String {
        let isDrawn = drawn.withLock { drawn in
            defer { drawn = [] }
            return !drawn.isEmpty
        }
        return isDrawn ? Self.clear : ""
    }

    /// Draws lines below lines that stay.
    ///
    /// The cursor stays at the beginning of the first one. So it is there whatever a terminal does with the others when
    /// its size changes, and no line needs to be counted to replace them.
    func draw(_ block: [String], under lines: [String]) {
        queue.sync {
            let old = drawn.withLock { drawn in
                defer { drawn = block }
                return drawn
            }
            guard !lines.isEmpty || old != block else { return }
            var text = old.isEmpty ? "" : lines.isEmpty && !block.isEmpty ? "\r" : Self.clear
            text += lines.map { $0 + "\n" }.joined()
            if !block.isEmpty {
                // A line that wrapped would take two rows.
                text += "\u{1B}[?7l" + block.joined(separator: "\u{1B}[K\n") + "\u{1B}[K\u{1B}[J\r"
                text += (block.count > 1 ? "\u{1B}[\(block.count - 1)A" : "") + "\u{1B}[?7h"
            }
            writeData(Data(text.utf8))
        }
    }

    private static let clear = "\r\u{1B}[J"
}

extension String {
    /// The text with its lines; what would control a terminal or change the direction of text is escaped as in JSON.
    var escapingControls: String {
        utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A }
            ? self : PlainText.escaped(self, keepingLines: true)
    }
}
