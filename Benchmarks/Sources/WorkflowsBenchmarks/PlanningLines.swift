import Promises
import Workflows

/// How long a dry run takes.
enum PlanningLines {
    static func show() throws {
        let count = 1_000
        let tasks = (0..<count).map {
            "  - t\($0): { call: upload, with: { path: 'f\($0).txt', content: 'text \($0)' } }"
        }
        let workflow = try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: benchmarks, name: planning, version: 1.0.0 }
                do:
                \(tasks.joined(separator: "\n"))
                """)
        let runner = Runner(graph: GraphClient(credential: .fixed(AccessToken("none"))))
        let seconds = try median(runs: 5) { keep(try runner.plan(workflow).wait()) }
        Line(name: "the plan of \(count.formatted()) uploads", reach: "200 ms", figure: Line.time(seconds)).show()
    }
}
