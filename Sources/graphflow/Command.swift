/// A command: its properties are the options and operands that it takes.
protocol Command: OptionGroup {
    /// The word after `graphflow`.
    static var name: String { get }
    /// What the command does, in a line.
    static var summary: String { get }
    /// Example command lines, without `graphflow`.
    static var examples: [String] { get }
    /// What the help says in addition to the summary and the options: paragraphs, and lines that begin with spaces,
    /// which stay unchanged.
    static var discussion: String { get }
    /// Whether it only reads and prints, so that it can end when its output is closed.
    static var onlyReads: Bool { get }
    /// Whether an argument that begins with a hyphen is an operand, such as an expression.
    static func isOperand(_ argument: String) -> Bool
    /// What to type instead of an unexpected operand; nil if there is no suggestion.
    static func hint(insteadOf operand: String) -> String?

    init()

    /// - Returns: The exit status; ``Failure`` turns errors into one.
    func run(on console: Console) async throws -> ExitStatus
}

extension Command {
    static var onlyReads: Bool { false }
    static func isOperand(_ argument: String) -> Bool { false }
    static func hint(insteadOf operand: String) -> String? { nil }

    /// The operands as the usage line shows them: `FILE…`.
    static var operands: String { Declarations(of: Self()).operands.map(\.syntax.placeholder).joined(separator: " ") }

    static var options: [OptionSyntax] {
        Declarations(of: Self()).options.map(\.syntax).filter { $0.refusal == nil }
    }

    /// Creates the command from the arguments after its name.
    /// - Throws: ``UsageError`` if they are wrong, or the error of a file that one of them names.
    static func parse(_ arguments: [String]) throws -> Self {
        let command = Self()
        let declarations = Declarations(of: command)
        let parsed = try ParsedArguments(
            arguments, options: declarations.options.map(\.syntax), of: name, isOperand: isOperand)
        // An invalid value of an option is often the reason for an unexpected operand, so options come first.
        for option in declarations.options {
            if let words = parsed.values[option.syntax.name] { try option.take(words) }
        }
        try declarations.take(operands: parsed.operands, of: self)
        for group in declarations.groups { try group.validate() }
        return command
    }
}
