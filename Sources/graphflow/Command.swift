/// One of the program's commands.
protocol Command: Sendable {
    /// The word that stands behind `graphflow`.
    static var name: String { get }
    /// What the command does, in a line.
    static var summary: String { get }
    /// The operands as the usage line shows them: `FILE…`.
    static var operands: String { get }
    /// What the help says beyond the summary and the options.
    static var discussion: String { get }
    /// The options that the command takes.
    static var options: [Option] { get }

    /// Creates the command from what the command line gives it.
    /// - Throws: ``UsageError`` where that is wrong.
    init(_ arguments: ParsedArguments, _ console: Console) throws

    /// Does the work.
    /// - Returns: The status that the program ends with; errors become one through ``Failure``.
    func run(on console: Console) async throws -> ExitStatus
}

/// An option of a command.
struct Option: Sendable {
    /// Whether an option has a value.
    enum Argument: Sendable {
        /// It stands alone.
        case none
        /// It has a value, shown by that word: `--input JSON`.
        case required(String)
        /// It may have a value, behind an equals sign: `--sandbox=PROFILE`.
        case optional(String)
    }

    /// The name without its hyphens.
    let name: String
    /// The one-letter form; nil where there is none.
    var letter: Character?
    /// Whether it has a value.
    var argument: Argument = .none
    /// Whether it may be given more than once.
    var isRepeatable = false
    /// What it does, for the help.
    let help: String
}
