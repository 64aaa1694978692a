/// A compiled regular expression.
///
/// The matcher backtracks on its own stack. It remembers failures, so its time is linear in the text. Every step counts
/// toward a budget, because backreferences and nested atomic groups can still take longer.
final class RegularExpression: Sendable {
    enum Dialect: Sendable {
        /// Oniguruma as jq uses it: Perl with named groups.
        case oniguruma
        /// ECMA-262 by code points, as in JSON Schema.
        case ecmaScript
    }

    enum Instruction: Sendable {
        case scalar(UInt32)
        case folded(UInt32)
        case set(ScalarSet)
        case any(includingNewline: Bool)
        /// Continues at the first position, and at the second one if that fails.
        case split(Int, Int, Failures)
        case jump(Int)
        case save(Int)
        case clear(Int)
        case position(Position)
        case backreference([Int], ignoresCase: Bool)
        /// Runs the instructions up to the position, without advancing in the text.
        case look(ahead: Bool, isNegative: Bool, end: Int)
        /// Runs the instructions up to the position, and discards their alternatives.
        case atomic(end: Int)
        /// Remembers where a loop's iteration starts, and ends the loop after an empty iteration.
        case roundStart(Int)
        case roundEnd(Int)
        case match
    }

    /// Where a split remembers its failures.
    ///
    /// The rest of the match depends on the position and on which iterations around the split are still empty. If an
    /// outer iteration is empty, so is each inner one, so their number suffices.
    struct Failures: Sendable {
        /// The split's row, before the rows for one and more empty iterations.
        var row: Int
        /// The registers of the iterations around it.
        var rounds: Range<Int>
    }

    enum Position: Sendable {
        case textStart, textEnd, textEndBeforeNewline, lineStart, lineEnd, wordBoundary, noWordBoundary, searchStart
    }

    let dialect: Dialect
    let instructions: [Instruction]
    let groupNames: [String?]
    let registerCount: Int
    /// The rows of failures per position in the text; 0 if failures depend on more than that.
    let failureRows: Int
    /// Whether failures are valid for one search only.
    let forgetsFailures: Bool
    let isGlobal: Bool
    let ignoresEmpty: Bool
    let findsLongest: Bool
    /// The first code point of every match, if there is only one.
    let firstScalar: UInt32?

    convenience init(_ source: String, flags: String) throws(Signal) {
        var options = RegularExpressionParser.Options()
        for flag in flags.unicodeScalars {
            switch flag {
            case "i": options.ignoresCase = true
            case "x": options.isExtended = true
            case "s": options.isMultiline = false
            case "m", "p": options.dotMatchesNewline = true
            case "g", "n", "l": break
            default: throw .failure("\(flags) is not a valid modifier string")
            }
        }
        try self.init(source, .oniguruma, options, flags: flags)
    }

    convenience init(ecmaScript source: String) throws(Signal) {
        try self.init(source, .ecmaScript, RegularExpressionParser.Options(), flags: "")
    }

    private init(
        _ source: String, _ dialect: Dialect, _ options: RegularExpressionParser.Options, flags: String
    ) throws(Signal) {
        var parser = RegularExpressionParser(source, dialect, options)
        let tree = try parser.parse()
        var compiler = RegularExpressionCompiler(parser)
        try compiler.compile(tree)
        compiler.add(.match)
        self.dialect = dialect
        instructions = compiler.instructions
        groupNames = parser.groupNames
        registerCount = compiler.registerCount
        failureRows = parser.hasBackreferences ? 0 : compiler.failureRows
        firstScalar = compiler.firstScalar
        isGlobal = flags.contains("g")
        ignoresEmpty = flags.contains("n")
        findsLongest = flags.contains("l")
        // The longest match is found by counting each shorter one as a failure.
        forgetsFailures = findsLongest || parser.hasSearchStart
    }

    /// The start and end of the match and of each group; -1 for a group that did not participate.
    typealias Match = [Int]

    func matches(in text: [UInt32], _ evaluation: Evaluation) throws(Signal) -> [Match] {
        var matcher = RegularExpressionMatcher(self, text, evaluation)
        var matches: [Match] = []
        var start = 0
        repeat {
            guard let match = try matcher.firstMatch(from: start) else { break }
            let isEmpty = match[0] == match[1]
            if !(isEmpty && ignoresEmpty) {
                try evaluation.allocate(match.count * 8 + 32)
                matches.append(match)
            } else if !isGlobal {
                break
            }
            start = isEmpty ? match[1] + 1 : match[1]
        } while isGlobal && start <= text.count
        return matches
    }
}

protocol StepBudget: AnyObject {
    func step(_ count: Int) throws(Signal)
}

extension Evaluation: StepBudget {}
