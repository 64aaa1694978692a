/// One of the program's commands.
protocol Command: Sendable {
    /// The word after `graphflow`.
    static var name: String { get }
    /// What the command does, in a line.
    static var summary: String { get }
    /// The operands as the usage line shows them: `FILE…`.
    static var operands: String { get }
    /// Command lines as one may type them, without `graphflow`.
    static var examples: [String] { get }
    /// What the help says beyond the summary and the options: paragraphs, and lines that begin with spaces, which
    /// stay as they are.
    static var discussion: String { get }
    /// The options that the command takes.
    static var options: [Option] { get }
    /// Whether an argument that begins with a hyphen is an operand, such as an expression.
    static func isOperand(_ argument: String) -> Bool

    /// Creates the command from its arguments.
    /// - Throws: ``UsageError`` if they are wrong.
    init(_ arguments: ParsedArguments, _ console: Console) throws

    /// Does the work.
    /// - Returns: The exit status; ``Failure`` turns errors into one.
    func run(on console: Console) async throws -> ExitStatus
}

extension Command {
    static func isOperand(_ argument: String) -> Bool { false }
}

/// An option of a command.
struct Option: Sendable {
    /// Whether an option has a value.
    enum Argument: Sendable {
        /// It has no value.
        case none
        /// It has a value, shown as that word: `--input JSON`.
        case required(String)
        /// It has two values, shown as those words: `--arg NAME VALUE`.
        case pair(String, String)
        /// It may have a value, after an equals sign: `--sandbox=PROFILE`.
        case optional(String)
    }

    /// The name without its hyphens.
    let name: String
    /// The one-letter form; nil for none.
    var letter: Character?
    /// Whether it has a value.
    var argument: Argument = .none
    /// The values to choose from; empty for those that its argument names, or for any.
    var values: [String] = []
    /// Whether it may be given more than once.
    var isRepeatable = false
    /// What it does, for the help.
    let help: String
    /// Why the command does not take it, although others do; nil for an option that it takes.
    var refusal: String?
}
