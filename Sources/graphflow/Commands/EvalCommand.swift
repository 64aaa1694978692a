import Workflows

/// `graphflow eval`: evaluates an expression, so that authors can try it.
struct EvalCommand: Command {
    static let name = "eval"
    static let summary = "Evaluate an expression over a file, or over standard input."
    static let operands = "EXPRESSION [FILE]"
    static let discussion = """
        The expression is jq, with or without '${ }' around it. FILE is YAML if its name ends in .yaml or .yml, and JSON
        otherwise. Without FILE, JSON is read from standard input. Each output is printed on its own line.
        """
    static let options = [
        Option(name: "raw", letter: "r", help: "Print a string as plain text, not as JSON.")
    ]

    private let source: String
    private let file: String?
    private let isRaw: Bool

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        guard (1...2).contains(arguments.operands.count) else {
            throw UsageError(
                arguments.operands.isEmpty
                    ? "'graphflow eval' needs an expression" : "'graphflow eval' takes one expression and one file",
                hint: "graphflow eval '.do | length' workflows/share-profile-photo.yaml")
        }
        source = arguments.operands[0]
        file = arguments.operands.dropFirst().first
        isRaw = arguments.has("raw")
    }

    func run(on console: Console) async throws -> ExitStatus {
        let expression = try compile()
        for output in try evaluate(expression, over: input(console)) {
            // A raw text is data, for another program.
            if isRaw, let text = output.string {
                console.print(painted: text)
            } else {
                console.print(output.json())
            }
        }
        return .success
    }

    private func compile() throws -> Expression {
        do throws(ExpressionError) {
            return try Expression(bare: source)
        } catch {
            throw InvalidWorkflow(diagnostics: [Diagnostic(error, in: source)])
        }
    }

    private func input(_ console: Console) throws -> Value {
        if let file { return try DataFile.read(file) }
        // JSON is not typed into a terminal: there, an expression without a file needs no input.
        return console.inputIsTerminal ? .null : try DataFile.readStandardInput()
    }

    private func evaluate(_ expression: Expression, over input: Value) throws -> [Value] {
        do throws(ExpressionError) {
            return try expression.evaluate(input)
        } catch {
            throw EvaluationFailure(message: error.message)
        }
    }
}

/// An error in the evaluation of an expression.
struct EvaluationFailure: Error {
    let message: String
}

extension Diagnostic {
    /// An expression on the command line that cannot be read, with a caret at the character.
    fileprivate init(_ error: ExpressionError, in source: String) {
        let before = source.unicodeScalars.prefix(error.offset ?? 0)
        let line = before.count { $0 == "\n" } + 1
        let column = before.reversed().prefix { $0 != "\n" }.count + 1
        let start = SourceRange.Position(line: line, column: column)
        let end = SourceRange.Position(line: line, column: column + 1)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        self.init(
            id: "expression", error.message, file: "EXPRESSION", range: SourceRange(start: start, end: end),
            sourceLine: lines.indices.contains(line - 1) ? String(lines[line - 1]) : nil)
    }
}
