import Essentials
import Workflows

/// Where a command reads and writes: the result to standard output, everything else to standard error.
struct Console: Sendable {
    /// The environment variables.
    let environment: [String: String]
    let inputIsTerminal: Bool
    let outputIsTerminal: Bool
    let errorIsTerminal: Bool
    /// Whether nobody can read what goes to standard error.
    let errorIsDiscarded: Bool
    /// Whether the process runs only this command, so that its signals concern the command.
    let ownsProcess: Bool
    private let writeOutput: @Sendable (Data) -> Void
    private let writeError: @Sendable (Data) -> Void

    /// The console that the process was started with.
    init(environment: [String: String]) {
        let (output, error) = (OutputFile(STDOUT_FILENO), OutputFile(STDERR_FILENO))
        self.init(
            environment: environment, inputIsTerminal: isatty(STDIN_FILENO) == 1,
            outputIsTerminal: isatty(STDOUT_FILENO) == 1,
            errorIsTerminal: isatty(STDERR_FILENO) == 1, ownsProcess: true,
            errorIsDiscarded: error.isNull, output: { try? output.write($0) }, error: { try? error.write($0) })
    }

    /// A console that writes elsewhere, for tests.
    init(
        environment: [String: String], inputIsTerminal: Bool = true, outputIsTerminal: Bool, errorIsTerminal: Bool,
        ownsProcess: Bool, errorIsDiscarded: Bool = false,
        output: @escaping @Sendable (Data) -> Void, error: @escaping @Sendable (Data) -> Void
    ) {
        self.environment = environment
        self.inputIsTerminal = inputIsTerminal
        self.outputIsTerminal = outputIsTerminal
        self.errorIsTerminal = errorIsTerminal
        self.ownsProcess = ownsProcess
        self.errorIsDiscarded = errorIsDiscarded
        writeOutput = output
        writeError = error
    }

    /// Whether what goes to standard output may be coloured.
    var outputHasColour: Bool { outputIsTerminal && allowsColour }

    /// Whether what goes to standard error may be coloured.
    var errorHasColour: Bool { errorIsTerminal && allowsColour }

    /// The columns of the terminal at standard output; nil if it is no terminal or does not report them.
    var outputWidth: Int? {
        guard outputIsTerminal else { return nil }
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes lines of the result.
    func print(_ text: String) { writeOutput(Data((text + "\n").utf8)) }

    /// Writes a result as JSON: indented on a terminal, otherwise in one line.
    func print(_ value: Value) {
        let json = value.json(pretty: outputIsTerminal)
        print(outputIsTerminal ? json.escapingControls : json)
    }

    /// Writes lines that are not part of the result.
    func complain(_ text: String) { writeError(Data((text + "\n").utf8)) }

    /// Writes to standard error without ending the line.
    func show(_ text: String) { writeError(Data(text.utf8)) }

    /// Writes bytes of the result.
    func print(_ data: Data) { writeOutput(data) }

    // https://no-color.org: any value but an empty one turns colour off.
    private var allowsColour: Bool { (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb" }
}

extension String {
    /// JSON with escapes for characters that control a terminal or change the direction of text.
    fileprivate var escapingControls: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar.value {
            case 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                text += "\\u" + String(scalar.value + 0x10000, radix: 16).dropFirst()
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
