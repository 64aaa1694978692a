import TestSupport
import Testing

@testable import WorkflowData

/// What expressions are said to return, and what they do return.
struct TypeInferenceTests {
    private static let person = DataType.object([
        DataType.Member(name: "id", type: .text, isCertain: true),
        DataType.Member(name: "age", type: .number, isCertain: false),
    ]).from(DataType.Source("users"))

    @Test(arguments: [
        (".", "{ id: text, age?: number }"), (".id", "text"), (".age", "number or null"), (".name", "null"),
        (".name?", "null"), (".name // \"x\"", "text"), (".age // 0", "number"),
        ("{ id, n: 1 }", "{ id: text, n: number }"),
        (". + { age: \"x\" }", "{ id: text, age: text }"), ("[., 1]", "[ { id: text, age?: number } or number ]"),
        ("[.][0].id", "text or null"), ("[.] | map(.id)", "[ text ]"),
        ("[.] | first", "{ id: text, age?: number } or null"),
        ("if .age then .id else 1 end", "text or number"), (".[]", "text or number or null"),
        ("\"n \\(.id)\"", "text"), ("keys", "[ text or number ]"), ("to_entries[0].value", "text or number or null"),
        (". as { id: $x } | $x", "text"), ("reduce .id as $x (0; . + 1)", "number or null"), ("empty", "null"),
        ("select(.id)", "{ id: text, age?: number } or null"), (".age |= . + 1", "{ id: text, age?: number } or null"),
        ("def f: 1; f", "anything"), ("[]", "[ ]"), ("{}", "{ }"), ("length > 1", "boolean"), ("$v.x", "anything"),
        ("(.id | split(\",\"))[0]", "text or null"), ("{(.id): 1}", "object"), ("[.id] + [1]", "[ text or number ]"),
        ("null + .id", "text"), ("try error(\"x\") catch .", "anything"),
        ("[.] | sort_by(.age) | last.id", "text or null"), ("if .[] then 1 else 2 end", "number or null"),
        (".id[.[]:]", "text or null"),
    ])
    func `the type of an expression`(source: String, words: String) throws {
        let type = try WorkflowData.Expression(source).type(of: Self.person, variables: [:]).type
        #expect(type.words == words, "\(source)")
    }

    @Test(arguments: [
        (".nam", [".nam"]), (".id.x", []), (".nam?", []), (".nam // 1", []), ("try .nam", []),
        ("[.] | map(.nam)", [".nam"]),
        ("[.][] | select(.nam)", [".nam, tested"]), ("if .nam then 1 else 2 end", [".nam, tested"]),
        (".nam == null", [".nam, tested"]), (".nam | not", [".nam, tested"]), ("{ nam }", [".nam"]),
        ("[.] | any(.nam)", [".nam, tested"]), ("def f: .nam; f", []), (".nam = 1", []), ("\"\\(.nam)\"", [".nam"]),
        ("gsub(\"(?<x>.)\"; .x)", []), ("has(\"nam\")", []), ("[.] | group_by(.nam)", [".nam"]),
    ])
    func `what is read that is not there`(source: String, found: [String]) throws {
        let findings = try WorkflowData.Expression(source).type(of: Self.person, variables: [:]).findings
        let shown = findings.map { finding in
            guard case .missing(let name, _) = finding.kind else { return "\(finding.kind)" }
            return ".\(name)" + (finding.isTested ? ", tested" : "")
        }
        #expect(shown == found, "\(source)")
        #expect(findings.allSatisfy { $0.isCertain && $0.source?.name == "users" })
    }

    @Test func `the result of a loop's last round is no list`() throws {
        let last = Self.person.from(DataType.Source("'each'", loop: "each"))
        for source in ["map(.id)", ".[]", ".[0]", "first", "sort_by(.id)", "[.[] | .id]"] {
            let findings = try WorkflowData.Expression(source).type(of: last, variables: [:]).findings
            #expect(findings.map(\.kind) == [.lastRound("each")], "\(source)")
        }
        for source in [".id", "length", "keys", "to_entries", ".[]?", "[.]"] {
            #expect(try WorkflowData.Expression(source).type(of: last, variables: [:]).findings.isEmpty, "\(source)")
        }
    }

    @Test func `what is nested very deeply can be anything in the end`() throws {
        let source = (0..<30).map { _ in "{ a: . }" }.joined(separator: " | ")
        let type = try WorkflowData.Expression(source).type(of: .text, variables: [:]).type
        #expect(type.kinds == .object)
        let inside = try WorkflowData.Expression(String(repeating: ".a", count: 40)).type(of: type, variables: [:]).type
        #expect(inside == .anything)
        let members = (0..<300).map { "m\($0): 1" }.joined(separator: ", ")
        #expect(try WorkflowData.Expression("{ \(members) }").type(of: .null, variables: [:]).type.isOpen)
    }

    /// Whatever random programs return is of the type that was inferred before.
    @Test(arguments: 0..<Extent.of(80, or: 16))
    func `nothing is excluded that can happen`(part: Int) throws {
        let budget = WorkflowData.Expression.Budget(steps: 20_000, depth: 300, memory: 1 << 20)
        for seed in part * 100..<(part + 1) * 100 {
            var programs = RandomPrograms(seed)
            let source = programs.program()
            guard let expression = try? WorkflowData.Expression(source) else { continue }
            var data = RandomData(draws: Draws(seed &+ 7))
            let inputs = (0..<3).map { _ in data.object(2) } + [data.value()]
            let variable = data.value()
            let input = inputs.reduce(DataType.nothing) { $0.or(DataType(of: $1)) }
            let type = expression.type(of: input, variables: ["v": DataType(of: variable)]).type
            for value in inputs {
                let first = try? expression.first(value, variables: ["v": variable], budget: budget)
                if let first, !first.holdsMark {
                    #expect(
                        type.accepts(first),
                        "\(seed): \(source) of \(value.json()): \(first.json()) is not \(type.words)")
                }
                let all = (try? expression.evaluate(value, variables: ["v": variable], budget: budget)) ?? []
                for output in all {
                    #expect(
                        type.accepts(output),
                        "\(seed): \(source) of \(value.json()): \(output.json()) is not \(type.words)")
                }
            }
        }
    }
}
