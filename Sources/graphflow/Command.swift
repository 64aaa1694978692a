/// One of the program's commands: its properties are the options and the operands that it takes.
protocol Command: OptionGroup {
    /// The word after `graphflow`.
    static var name: String { get }
    /// What the command does, in a line.
    static var summary: String { get }
    /// Command lines as one may type them, without `graphflow`.
    static var examples: [String] { get }
    /// What the help says beyond the summary and the options: paragraphs, and lines that begin with spaces, which
    /// stay as they are.
    static var discussion: String { get }
    /// Whether it only reads and prints, so that it ends once its output is no longer read.
    static var onlyReads: Bool { get }
    /// Whether an argument that begins with a hyphen is an operand, such as an expression.
    static func isOperand(_ argument: String) -> Bool
    /// What to type instead of an operand that the command does not take; nil if there is no such thing.
    static func hint(insteadOf operand: String) -> String?

    /// Creates the command with none of its options.
    init()

    /// Does the work.
    /// - Returns: The exit status; ``Failure`` turns errors into one.
    func run(on console: Console) async throws -> ExitStatus
}

extension Command {
    static var onlyReads: Bool { false }
    static func isOperand(_ argument: String) -> Bool { false }
    static func hint(insteadOf operand: String) -> String? { nil }

    /// The operands as the usage line shows them: `FILE…`.
    static var operands: String { Declarations(of: Self()).operands.map(\.syntax.placeholder).joined(separator: " ") }

    /// The options that the command takes, but for `--help`.
    static var options: [OptionSyntax] {
        Declarations(of: Self()).options.map(\.syntax).filter { $0.refusal == nil }
    }

    /// Creates the command from the arguments after its name.
    /// - Throws: ``UsageError`` if they are wrong, or what is wrong with the content that one of them has.
    static func parse(_ arguments: [String]) throws -> Self {
        let command = Self()
        let declarations = Declarations(of: command)
        let parsed = try ParsedArguments(
            arguments, options: declarations.options.map(\.syntax), of: name, isOperand: isOperand)
        // A value that an option does not take is often the reason for an operand too many.
        for option in declarations.options {
            if let words = parsed.values[option.syntax.name] { try option.take(words) }
        }
        try declarations.take(operands: parsed.operands, of: self)
        for group in declarations.groups { try group.validate() }
        return command
    }
}
