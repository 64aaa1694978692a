import Foundation
import Promises
import TestSupport
import Workflows

/// Runs workflows of one call over a transport, and returns the results.
struct CallFixture {
    var runner: Runner

    init(_ transport: any HTTPTransport, clock: any PromiseClock = SkippingClock(), recorders: [Recorder] = []) {
        let graph = GraphClient(
            credential: .fixed(AccessToken("token-of-graph")), transport: transport, clock: clock, environment: [:])
        runner = Runner(graph: graph, clock: clock, recorders: recorders)
    }

    /// The output of a task `ask` with this definition.
    func output(_ task: String, input: Value = [:]) async throws -> Value {
        try await runner.run(try Workflow(tasks: "- ask: \(task)"), input: input).value
    }

    /// The error that a task `ask` ends with.
    func error(_ task: String, input: Value = [:]) async -> WorkflowError? {
        do {
            _ = try await output(task, input: input)
            return nil
        } catch {
            return error as? WorkflowError
        }
    }
}
