/// `graphflow eval`: evaluates an expression, so that authors can try it.
struct EvalCommand: Command {
    static let name = "eval"
    static let onlyReads = true
    static let summary = "Evaluate an expression over a file, or over standard input."
    static let examples = ["eval '.people[] | .mail' people.yaml", "eval -n '[limit(3; repeat(1))]'"]
    static let discussion = """
        The expression is jq, with or without '${ }' around it, and may begin with a hyphen. FILE is YAML if its name
        ends in .yaml or .yml, and JSON otherwise. Without FILE, JSON is read from standard input. Each of several JSON
        values is an input. Each output is printed on its own line as soon as it is known.
        """

    @Operand(
        "EXPRESSION", "an expression", hint: "graphflow eval '.do | length' workflows/share-profile-photo.yaml",
        mayBeEmpty: true)
    private var source: String
    @Operand("[FILE]", "a file") private var file: String?
    @Flag("raw", letter: "r", "Print a string as plain text, not as JSON.") private var isRawOnly
    @Flag("join", letter: "j", "Like --raw, and print nothing between the outputs.") private var isJoined
    @Flag("compact", letter: "c", "Print each output on one line (the default).") private var isCompact
    @Flag("null-input", letter: "n", "Read nothing: the input is null.") private var hasNoInput
    @Flag("slurp", letter: "s", "Read all inputs as the elements of one array.") private var isSlurping
    @Option(
        each: "arg", "NAME", "TEXT", "Set the variable $NAME to a text.", as: Conversion { text, _ in .string(text) })
    private var texts: [(name: String, value: Value)]
    @Option(
        each: "argjson", "NAME", "JSON", "Set the variable $NAME to JSON.",
        as: Conversion { text, name in try Value(json: text, name: name) })
    private var values: [(name: String, value: Value)]
    @Flag(
        "exit-status", letter: "e",
        "Exit with 1 if the last output is false or null,\nand with 4 if there is no output.")
    private var demandsTruth

    /// `-1` and `-.size` are expressions: options consist of letters, or begin with two hyphens.
    static func isOperand(_ argument: String) -> Bool {
        !argument.hasPrefix("--") && !argument.dropFirst().allSatisfy { $0.isASCII && $0.isLetter }
    }

    private var isRaw: Bool { isRawOnly || isJoined }

    private var variables: [String: Value] {
        let named = (texts + values).reduce(into: Object()) { $0[$1.name] = $1.value }
        let all = Object([("positional", .array([])), ("named", .object(named))])
        return named.reduce(into: ["ARGS": .object(all)]) { $0[$1.key] = $1.value }
    }

    func run(on console: Console) async throws -> ExitStatus {
        let variables = variables
        let expression = try compile(with: variables)
        let last = Locked<Value?>(nil)
        for input in try inputs(console) {
            do throws(ExpressionError) {
                try expression.evaluate(input, variables: variables) { output in
                    show(output, on: console)
                    last.withLock { $0 = output }
                }
            } catch {
                throw EvaluationFailure(message: error.message)
            }
        }
        guard demandsTruth else { return .success }
        return switch last.withLock({ $0 }) {
        case nil: .noOutput
        case .some(.null), .some(.bool(false)): .faulted
        default: .success
        }
    }

    private func compile(with variables: [String: Value]) throws -> Workflows.Expression {
        do throws(ExpressionError) {
            let expression = try Workflows.Expression(bare: source)
            for read in expression.variableReads where variables[read.name] == nil {
                throw ExpressionError(
                    "$\(read.name) is not defined: set it with --arg or --argjson", offset: read.offset)
            }
            return expression
        } catch {
            throw InvalidWorkflow(diagnostics: [Diagnostic(error, in: source)])
        }
    }

    private func inputs(_ console: Console) throws -> [Value] {
        // Nobody types JSON into a terminal: there, an expression without a file gets no input.
        if hasNoInput || file == nil && console.inputIsTerminal { return [.null] }
        let values = try file.map { try DataFile.readAll($0) } ?? DataFile.readAllOfStandardInput()
        return isSlurping ? [.array(values)] : values
    }

    private func show(_ output: Value, on console: Console) {
        // A raw string is data for another program.
        guard isRaw, let text = output.string else {
            return console.print(Data((output.json().escapingControls + (isJoined ? "" : "\n")).utf8))
        }
        console.print(raw: isJoined ? text : text + "\n")
    }
}

extension ExitStatus {
    /// No output, with the status of `jq -e`.
    static let noOutput = ExitStatus.unknownOutcome
}

/// An expression that cannot be evaluated.
struct EvaluationFailure: Error {
    let message: String
}

extension Diagnostic {
    /// An invalid expression on the command line, with a caret at the character.
    fileprivate init(_ error: ExpressionError, in source: String) {
        let before = source.unicodeScalars.prefix(error.offset ?? 0)
        let line = before.count { $0 == "\n" } + 1
        let column = before.reversed().prefix { $0 != "\n" }.count + 1
        let start = SourceRange.Position(line: line, column: column)
        let end = SourceRange.Position(line: line, column: column + 1)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        self.init(
            id: "expression", error.message, hint: error.hint, file: "EXPRESSION",
            range: SourceRange(start: start, end: end),
            sourceLine: lines.indices.contains(line - 1) ? String(lines[line - 1]) : nil)
    }
}
