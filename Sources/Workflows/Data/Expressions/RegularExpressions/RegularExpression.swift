/// A compiled regular expression in the Oniguruma syntax that jq uses (Perl with named groups).
///
/// The matcher backtracks, as the syntax requires, but on a stack of its own, and every step counts toward the
/// evaluation's budget.
final class RegularExpression: Sendable {
    /// An instruction of the compiled form.
    indirect enum Instruction: Sendable {
        case scalar(UInt32)
        case folded(UInt32)
        case set(ScalarSet)
        case any(includingNewline: Bool)
        /// Continues at the first position, and at the second one if that fails.
        case split(Int, Int)
        case jump(Int)
        case save(Int)
        case position(Position)
        case backreference([Int], ignoresCase: Bool)
        /// Runs the instructions up to the given position, without advancing in the text.
        case look(ahead: Bool, isNegative: Bool, end: Int)
        /// Runs the instructions up to the given position, and discards their alternatives.
        case atomic(end: Int)
        /// Remembers where an iteration of a loop starts, and ends the loop after an empty iteration.
        case roundStart(Int)
        case roundEnd(Int)
        case match
    }

    enum Position: Sendable {
        case textStart, textEnd, textEndBeforeNewline, lineStart, lineEnd, wordBoundary, noWordBoundary, searchStart
    }

    let instructions: [Instruction]
    /// The names of the groups, in order.
    let groupNames: [String?]
    let registerCount: Int
    let isGlobal: Bool
    let ignoresEmpty: Bool
    let findsLongest: Bool
    /// The code point that every match starts with, if there is one.
    let firstScalar: UInt32?

    init(_ source: String, flags: String) throws(Signal) {
        var options = RegularExpressionParser.Options()
        var isGlobal = false
        var ignoresEmpty = false
        var findsLongest = false
        for flag in flags.unicodeScalars {
            switch flag {
            case "g": isGlobal = true
            case "i": options.ignoresCase = true
            case "x": options.isExtended = true
            case "s": options.isMultiline = false
            case "m": options.dotMatchesNewline = true
            case "p": options.dotMatchesNewline = true
            case "n": ignoresEmpty = true
            case "l": findsLongest = true
            default: throw .failure("\(flags) is not a valid modifier string")
            }
        }
        var parser = RegularExpressionParser(source, options)
        let tree = try parser.parse()
        var compiler = RegularExpressionCompiler(groupNames: parser.groupNames)
        try compiler.compile(tree)
        compiler.add(.match)
        instructions = compiler.instructions
        groupNames = parser.groupNames
        registerCount = compiler.registerCount
        firstScalar = compiler.firstScalar
        self.isGlobal = isGlobal
        self.ignoresEmpty = ignoresEmpty
        self.findsLongest = findsLongest
    }

    /// The start and end of the match and of each group; -1 for a group that did not participate.
    typealias Match = [Int]

    /// All matches, or the first one.
    func matches(in text: [UInt32], _ evaluation: Evaluation) throws(Signal) -> [Match] {
        var matcher = RegularExpressionMatcher(self, text)
        var matches: [Match] = []
        var start = 0
        repeat {
            guard let match = try matcher.firstMatch(from: start, evaluation) else { break }
            let isEmpty = match[0] == match[1]
            if !(isEmpty && ignoresEmpty) {
                try evaluation.allocate(match.count * 8 + 32)
                matches.append(match)
            } else if !isGlobal {
                break
            }
            start = isEmpty ? match[1] + 1 : match[1]
        } while isGlobal && start < text.count
        return matches
    }
}
