/// Where a command reads and writes: the result to standard output, everything else to standard error.
struct Console: Sendable {
    private(set) var environment: [String: String]
    let inputIsTerminal: Bool
    let outputIsTerminal: Bool
    private(set) var errorIsTerminal: Bool
    /// Whether output to standard error is discarded.
    let errorIsDiscarded: Bool
    /// Whether the process runs only this command, so that signals are for the command.
    let ownsProcess: Bool
    /// Measures limits that only end what hangs.
    var limits: any PromiseClock = .continuous
    /// Carries requests within these limits.
    var network: NetworkTransport { NetworkTransport(clock: limits) }
    /// Whether the process ends when its output is closed.
    var endsWithReader = false
    /// The tokens and secrets of the command, which are concealed in everything it writes.
    let secrets = KnownSecrets()
    /// What the command reads and writes.
    let files = CommandFiles()
    private let writeOutput: @Sendable (Data) throws -> Void
    private var error: ErrorStream
    /// Whether writing some of the result has failed.
    private let outputFailure = OutputFailure()

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
        conceal(environment)
    }

    /// Conceals the secrets of variables in everything that is written, such as quoted lines of a file.
    private func conceal(_ variables: [String: String]) {
        for (name, text) in variables
        where ["GRAPHFLOW_ACCESS_TOKEN", "AZURE_CLIENT_SECRET"].contains(name) || name.hasPrefix("GRAPHFLOW_SECRET_") {
            secrets.add(token: text)
        }
    }

    /// The console with additional variables; those of its environment win.
    func adding(_ variables: [String: String]) -> Console {
        var console = self
        console.environment.merge(variables) { set, _ in set }
        conceal(variables)
        return console
    }

    /// The console without variables of these names, and with others that win.
    func replacing(_ names: [String], by variables: [String: String]) -> Console {
        var console = self
        for name in names { console.environment[name] = nil }
        console.environment.merge(variables) { $1 }
        conceal(variables)
        return console
    }

    func replacingError(_ write: @escaping @Sendable (Data) -> Void) -> Console {
        var console = self
        console.error = ErrorStream { [secrets] in write(ConcealedBytes.conceal($0, secrets)) }
        console.errorIsTerminal = false
        return console
    }

    var outputHasColour: Bool { outputIsTerminal && allowsColour }

    var errorHasColour: Bool { errorIsTerminal && allowsColour }

    /// Whether standard error is a terminal on which lines can be redrawn.
    var errorIsScreen: Bool { errorIsTerminal && environment["TERM"] != "dumb" }

    /// The current columns and rows of the terminal at standard error.
    var errorSize: (columns: Int, rows: Int) {
        var size = winsize()
        let isKnown = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
        func given(_ name: String) -> Int? { environment[name].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
        return (
            isKnown && size.ws_col > 0 ? Int(size.ws_col) : given("COLUMNS") ?? 80,
            isKnown && size.ws_row > 0 ? Int(size.ws_row) : given("LINES") ?? 24
        )
    }

    /// The columns of help: those of the terminal, within a readable range.
    var helpWidth: Int { min(max(outputWidth ?? 80, 60), 110) }

    /// The columns of the terminal at standard output; nil if it is not a terminal or does not report them.
    var outputWidth: Int? {
        guard outputIsTerminal else { return nil }
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes lines of the result; control characters are escaped.
    func print(_ text: String) { print(painted: text.escapingControls) }

    /// Writes lines that may have colours; all other control characters are escaped.
    func print(painted text: String) { print(Data((Self.shown(text, outputHasColour) + "\n").utf8)) }

    /// Writes text that is data for another program; on a terminal, control characters are escaped.
    func print(raw text: String) { print(Data((outputIsTerminal ? text.escapingControls : text).utf8)) }

    /// Writes a result as JSON: indented on a terminal, otherwise on one line.
    func print(_ value: Value) { print(value.json(pretty: outputIsTerminal)) }

    /// Writes lines that are not part of the result; control characters are escaped.
    func complain(_ text: String) { complain(painted: text.escapingControls) }

    /// Writes lines that may have colours; all other control characters are escaped.
    func complain(painted text: String) { error.write(Self.shown(text, errorHasColour) + "\n") }

    private static func shown(_ text: String, _ hasColour: Bool) -> String {
        hasColour ? PlainText.painted(text) : text.escapingControls
    }

    /// Writes a question; the answer follows on the same line.
    func ask(_ question: String) { error.write(question.escapingControls) }

    /// Asks the person at the terminal; every answer but yes is no.
    func confirms(_ question: String) -> Bool {
        ask(question)
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    /// Writes lines to standard error, each cut to one row on a terminal.
    func complain(_ lines: [TerminalLine]) {
        let width = errorIsTerminal ? errorSize.columns - 1 : nil
        let text = lines.map { Self.shown($0.text(width: width, colour: errorHasColour), errorHasColour) + "\n" }
            .joined()
        if !text.isEmpty { error.write(text) }
    }

    /// Writes permanent lines to standard error, and below them a block that the next call replaces.
    func draw(_ block: [String], under lines: [TerminalLine]) {
        let width = errorSize.columns - 1
        let lines = lines.map { Self.shown($0.text(width: width, colour: errorHasColour), errorHasColour) }
        error.draw(block.map { Self.shown($0, errorHasColour) }, under: lines)
    }

    /// Writes bytes of the result above the block that is drawn on the same terminal.
    func print(_ data: Data) { write(ConcealedBytes.conceal(data, secrets)) }

    /// Returns a function that writes pieces of the result; an empty piece ends it.
    func printPieces() -> (Data) -> Void {
        var concealed = ConcealedBytes(secrets)
        return { write(concealed.add($0, isLast: $0.isEmpty)) }
    }

    /// Reports the first failure at once, because a service may run for a long time.
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

    /// The status of a successful command: a failure if some of the result could not be written.
    var outputStatus: ExitStatus { outputFailure.status }

    // https://no-color.org: any value except an empty one turns colour off.
    private var allowsColour: Bool { (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb" }
}

private final class OutputFailure: Sendable {
    private let state = Locked(ExitStatus.success)

    var status: ExitStatus { state.withLock { $0 } }

    /// Remembers a failure; returns true for the first one.
    func note(_ failure: ExitStatus) -> Bool {
        state.withLock { status in
            guard status == .success else { return false }
            status = failure
            return true
        }
    }
}

/// Standard error, with a block of lines at its end that is redrawn.
private final class ErrorStream: Sendable {
    private let writeData: @Sendable (Data) -> Void
    /// The lines of the block; only the queue reads and changes them.
    private let drawn = Locked<[String]>([])
    private let queue = DispatchQueue(label: "graphflow.standard-error")

    init(_ write: @escaping @Sendable (Data) -> Void) { writeData = write }

    /// Writes text above the block, which the next call draws again.
    func write(_ text: String) {
        queue.sync { writeData(Data((forget() + text).utf8)) }
    }

    /// Lets other output be written above the block.
    func above(_ write: () throws -> Void) rethrows {
        try queue.sync {
            let clear = forget()
            if !clear.isEmpty { writeData(Data(clear.utf8)) }
            try write()
        }
    }

    /// Forgets the block.
    /// - Returns: The control sequence that removes the block from the terminal.
    private func forget() -> String {
        let isDrawn = drawn.withLock { drawn in
            defer { drawn = [] }
            return !drawn.isEmpty
        }
        return isDrawn ? Self.clear : ""
    }

    /// Draws a block below permanent lines.
    ///
    /// The cursor stays at the beginning of the block's first line. So it is there even if the terminal's size changes,
    /// and replacing the block needs no counting of lines.
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
                // A wrapped line would take two rows.
                text += "\u{1B}[?7l" + block.joined(separator: "\u{1B}[K\n") + "\u{1B}[K\u{1B}[J\r"
                text += (block.count > 1 ? "\u{1B}[\(block.count - 1)A" : "") + "\u{1B}[?7h"
            }
            writeData(Data(text.utf8))
        }
    }

    private static let clear = "\r\u{1B}[J"
}
