import TestSupport
import Testing

@testable import WorkflowData

/// A search that remembers its failures finds the same as one that does not.
struct RememberedFailuresTests {
    private final class Steps: StepBudget {
        private var left = 20_000

        func step(_ count: Int) throws(Signal) {
            left -= count
            if left < 0 { throw .exhausted(ExpressionError("too many steps")) }
        }
    }

    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// Random patterns without backreferences.
    private struct Generator {
        var random: Numbers

        mutating func pattern(_ depth: Int = 4) -> String {
            (0...Int.random(in: 0...2, using: &random)).map { _ in
                (0..<Int.random(in: 0...3, using: &random)).map { _ in part(depth) }.joined()
            }.joined(separator: "|")
        }

        private mutating func part(_ depth: Int) -> String {
            let atoms = ["a", "a", "b", ".", "[ab]", "\\b", "$", "^"]
            let groups = ["(", "(", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!"]
            let isGroup = depth > 0 && Bool.random(using: &random)
            let atom = isGroup ? pick(groups) + pattern(depth - 1) + ")" : pick(atoms)
            if atom.hasPrefix("(?=") || atom.hasPrefix("(?!") || atom.hasPrefix("(?<") { return atom }
            return ["$", "^", "\\b"].contains(atom)
                ? atom : atom + pick(["", "", "*", "+", "?", "*?", "{1,2}", "{2,}"])
        }

        mutating func text() -> String {
            (0..<Int.random(in: 0...14, using: &random)).map { _ in pick(["a", "a", "b", "c", "\n"]) }.joined()
        }

        private mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
    }

    private func matches(_ expression: RegularExpression, _ text: String, patience: Int) throws(Signal) -> [[Int]] {
        let subject = PatternSubject(text).scalars
        var matcher = RegularExpressionMatcher(expression, subject, Steps(), patience: patience)
        var matches: [[Int]] = []
        var start = 0
        while start <= subject.count, let match = try matcher.firstMatch(from: start) {
            matches.append(match)
            start = max(match[1], match[0] + 1, start + 1)
        }
        return matches
    }

    @Test(arguments: 1...Extent.of(20, or: 2) as ClosedRange<UInt64>) func `all matches and groups are the same`(
        _ seed: UInt64
    ) throws {
        var generator = Generator(random: Numbers(state: seed))
        var compared = 0
        for _ in 0..<200 {
            let pattern = generator.pattern()
            let expressions = [
                try? RegularExpression(pattern, flags: ""), try? RegularExpression(pattern, flags: "l"),
                try? RegularExpression(ecmaScript: pattern),
            ].compactMap(\.self)
            let text = generator.text()
            for expression in expressions {
                guard let plain = try? matches(expression, text, patience: .max / 2) else { continue }
                #expect(try matches(expression, text, patience: 0) == plain, "\(pattern) in \(text)")
                compared += 1
            }
        }
        #expect(compared > 300)
    }
}
