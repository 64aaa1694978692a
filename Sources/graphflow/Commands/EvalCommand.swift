import Essentials
import Promises
import Workflows

/// `graphflow eval`: evaluates an expression, so that authors can try it.
struct EvalCommand: Command {
    static let name = "eval"
    static let summary = "Evaluate an expression over a file, or over standard input."
    static let operands = "EXPRESSION [FILE]"
    static let examples = ["eval '.people[] | .mail' people.yaml", "eval -n '[limit(3; repeat(1))]'"]
    static let discussion = """
        The expression is jq, with or without '${ }' around it, and may begin with a hyphen. FILE is YAML if its name ends in
        .yaml or .yml, and JSON otherwise. Without FILE, JSON is read from standard input. Of several JSON values, each is
        an input. Each output is printed on its own line, as soon as it is known.
        """
    static let options = [
        Option(name: "raw", letter: "r", help: "Print a string as plain text, not as JSON."),
        Option(name: "join", letter: "j", help: "Like --raw, and print nothing between the outputs."),
        Option(name: "compact", letter: "c", help: "Print each output on one line, as without this option."),
        Option(name: "null-input", letter: "n", help: "Read nothing: the input is null."),
        Option(name: "slurp", letter: "s", help: "Read all inputs as the elements of one array."),
        Option(
            name: "arg", argument: .pair("NAME", "TEXT"), isRepeatable: true, help: "Set the variable $NAME to a text."),
        Option(
            name: "argjson", argument: .pair("NAME", "JSON"), isRepeatable: true,
            help: "Set the variable $NAME to JSON."
        ),
        Option(
            name: "exit-status", letter: "e",
            help: "End with 1 if the last output is false or null,\nand with 4 if there is none."),
    ]

    /// `-1` and `-.size` are expressions: options consist of letters, or begin with two hyphens.
    static func isOperand(_ argument: String) -> Bool {
        !argument.hasPrefix("--") && !argument.dropFirst().allSatisfy { $0.isASCII && $0.isLetter }
    }

    private enum Input {
        case null
        case slurped
        case each
    }

    private let source: String
    private let file: String?
    private let input: Input
    private let isRaw: Bool
    private let isJoined: Bool
    private let demandsTruth: Bool
    private let variables: [String: Value]

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        guard (1...2).contains(arguments.operands.count) else {
            throw UsageError(
                arguments.operands.isEmpty
                    ? "'graphflow eval' needs an expression" : "'graphflow eval' takes one expression and one file",
                hint: "graphflow eval '.do | length' workflows/share-profile-photo.yaml")
        }
        source = arguments.operands[0]
        file = arguments.operands.dropFirst().first
        input = arguments.has("null-input") ? .null : arguments.has("slurp") ? .slurped : .each
        isJoined = arguments.has("join")
        isRaw = arguments.has("raw") || isJoined
        demandsTruth = arguments.has("exit-status")
        variables = try Self.variables(arguments)
    }

    private static func variables(_ arguments: ParsedArguments) throws -> [String: Value] {
        var named = Object()
        let texts = arguments.all("arg")
        for place in stride(from: 0, to: texts.count, by: 2) { named[texts[place]] = .string(texts[place + 1]) }
        let values = arguments.all("argjson")
        for place in stride(from: 0, to: values.count, by: 2) {
            named[values[place]] = try Value(json: values[place + 1], name: "--argjson \(values[place])")
        }
        let all = Object([("positional", .array([])), ("named", .object(named))])
        return named.reduce(into: ["ARGS": .object(all)]) { $0[$1.key] = $1.value }
    }

    func run(on console: Console) async throws -> ExitStatus {
        let expression = try compile()
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

    private func compile() throws -> Workflows.Expression {
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
        // JSON is not typed into a terminal: there, an expression without a file needs no input.
        if input == .null || file == nil && console.inputIsTerminal { return [.null] }
        let values = try file.map { try DataFile.readAll($0) } ?? DataFile.readAllOfStandardInput()
        return input == .slurped ? [.array(values)] : values
    }

    private func show(_ output: Value, on console: Console) {
        // A raw text is data, for another program.
        guard isRaw, let text = output.string else {
            return isJoined ? console.print(Data(output.json().utf8)) : console.print(output.json())
        }
        if isJoined { console.print(Data(text.utf8)) } else { console.print(painted: text) }
    }
}

extension ExitStatus {
    /// As with `jq -e`: there was no output.
    static let noOutput = ExitStatus.unknownOutcome
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
            id: "expression", error.message, hint: error.hint, file: "EXPRESSION",
            range: SourceRange(start: start, end: end),
            sourceLine: lines.indices.contains(line - 1) ? String(lines[line - 1]) : nil)
    }
}
