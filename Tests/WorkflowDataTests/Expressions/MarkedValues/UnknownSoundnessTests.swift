import Foundation
import TestSupport
import Testing
import WorkflowData

struct `What a plan knows of expressions` {
    private static let budget = WorkflowData.Expression.Budget(steps: 20_000, depth: 300, memory: 4 << 20)
    /// The run of a plan has its moment.
    private static let environment = WorkflowData.Expression.Environment(now: { Date(timeIntervalSince1970: 1e9) })

    @Test(arguments: 0..<Extent.of(8, or: 2))
    func `is true in every run, whatever the unknowns are`(_ part: Int) throws {
        var compared = 0
        for seed in 0..<1_000 {
            let seed = part * 1_000 + seed
            var programs = RandomPrograms(seed)
            let source = programs.program()
            guard let expression = try? WorkflowData.Expression(source) else { continue }
            var model = UnknownsModel(seed)
            let input = model.data()
            let variables = ["v": model.value(1), "w": 1]
            let planned = Result { () throws(ExpressionError) in
                try expression.evaluatePlanned(
                    input, variables: variables, budget: Self.budget, environment: Self.environment
                ) { path, shape, derivation in
                    Unknown("d", shape, from: .computed(derivation))
                }
            }
            for _ in 0..<4 {
                model.forget()
                let real = model.real(input)
                let realVariables = variables.mapValues { model.real($0) }
                guard
                    let result = try? expression.first(
                        real, variables: realVariables, budget: Self.budget, environment: Self.environment)
                else { continue }
                compared += 1
                let problem: String? =
                    switch planned {
                    case .success(let planned): model.contradiction(planned, result)
                    case .failure(let error): error.message.contains("the expression ") ? nil : "error \(error)"
                    }
                if let problem {
                    Issue.record(
                        "\(seed): \(source)\ninput \(input.drawn().json()) \(Value.object(Object(variables.map { ($0.key, $0.value) })).drawn().json())\nreal \(real.json()) \(realVariables.mapValues { $0.json() })\nresult \(result.json())\n\(problem)"
                    )
                    break
                }
            }
        }
        #expect(compared > 200)
    }
}
