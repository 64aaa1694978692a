import Foundation
import TestSupport
import Testing
import WorkflowData

struct `Secrets in expressions` {
    private static let budget = WorkflowData.Expression.Budget(steps: 20_000, depth: 300, memory: 4 << 20)
    private static let environment = WorkflowData.Expression.Environment(now: { Date(timeIntervalSince1970: 1e9) })
    /// The characters of secrets are those of no program and of no other data.
    private static let alphabet = Array("αβγδεζηθικλμνξοπρστυφχψω")

    /// Data with some texts and numbers secret.
    private func concealed(_ data: Value, _ draws: inout Draws) -> Value {
        switch data {
        case .null, .bool, .marked: return data
        case .integer:
            return draws.chance(15) ? .secret(.integer(7_000_000 + draws.below(900_000)), of: ["number"]) : data
        case .double: return data
        case .string:
            guard draws.chance(45) else { return data }
            let text = String((0..<12).map { _ in draws.pick(Self.alphabet) })
            let secret = Value.secret(.string(text), of: ["key"])
            return draws.chance(70) ? secret : .text([.plain("a,")] + (secret.textParts ?? []))
        case .array(let elements): return .array(elements.map { concealed($0, &draws) })
        case .object(let members): return .object(Object(members.map { ($0.key, concealed($0.value, &draws)) }))
        }
    }

    /// Whether a plain text or name in it has a secret's character.
    private func shows(_ value: Value) -> Bool {
        switch value {
        case .null, .bool, .integer, .double: return false
        case .string(let text): return text.contains { Self.alphabet.contains($0) }
        case .array(let elements): return elements.contains(where: shows)
        case .object(let members):
            return members.contains { member in
                member.key.contains { Self.alphabet.contains($0) } || shows(member.value)
            }
        case .marked:
            for case .plain(let text) in value.textParts ?? [] where shows(.string(text)) { return true }
            return false
        }
    }

    @Test(arguments: 0..<Extent.of(8, or: 2))
    func `give the result of the plain text, and stay secret`(_ part: Int) throws {
        var compared = 0
        var secret = 0
        for seed in 0..<1_000 {
            let seed = part * 1_000 + seed
            var programs = RandomPrograms(seed)
            let source = programs.program()
            guard let expression = try? WorkflowData.Expression(source) else { continue }
            var data = RandomData(draws: Draws(seed))
            var members = Object()
            for name in ["a", "b", "c", "d", "e", "f"] { members[name] = data.value() }
            let plain = Value.object(members)
            var draws = Draws(seed + 1)
            let input = concealed(plain, &draws)
            let variables = ["v": concealed(data.value(1), &draws), "w": 1]
            let real = Result { () throws(ExpressionError) in
                try expression.evaluate(
                    input.revealed, variables: variables.mapValues(\.revealed), budget: Self.budget,
                    environment: Self.environment)
            }
            let marked = Result { () throws(ExpressionError) in
                try expression.evaluate(
                    input, variables: variables, budget: Self.budget, environment: Self.environment, marks: true)
            }
            var problem: String?
            switch (real, marked) {
            case (.success(let real), .success(let marked)):
                compared += 1
                if marked.contains(where: \.holdsSecret) { secret += 1 }
                if Value.array(real).json() != Value.array(marked.map(\.revealed)).json() {
                    // The message of an error that is caught does not show secrets.
                    if !source.contains("catch") {
                        problem = "\(Value.array(marked.map(\.revealed)).json()) is \(Value.array(real).json())"
                    }
                }
                if marked.contains(where: shows) { problem = "\(Value.array(marked).json()) shows a secret" }
            case (.failure, .failure(let error)):
                if shows(.string(error.message)) { problem = "\(error.message) shows a secret" }
                if let value = error.value, shows(value) { problem = "\(value.json()) shows a secret" }
            case (.success, .failure(let error)):
                if shows(.string(error.message)) { problem = "\(error.message) shows a secret" }
                let isAllowed =
                    source.contains("catch") || error.message.contains("name of a member")
                    || error.message.contains("the expression ")
                if !isAllowed { problem = "error \(error)" }
            case (.failure(let error), .success):
                let isAllowed =
                    source.contains("catch") || source.contains("?") || error.message.contains("the expression ")
                if !isAllowed { problem = "\(Value.array((try? marked.get()) ?? []).json()) is error \(error)" }
            }
            if let problem {
                Issue.record(
                    "\(seed): \(source)\ninput \(input.json()) \(variables.mapValues { $0.json() })\nreal \(input.revealed.json())\n\(problem)"
                )
            }
        }
        #expect(compared > 200)
        #expect(secret > 30)
    }
}
