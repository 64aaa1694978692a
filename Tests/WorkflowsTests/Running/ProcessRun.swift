import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// A run of tasks that start programs.
enum ProcessRun {
    /// The output of the tasks; the environment has secrets that no program may get.
    static func output(
        _ tasks: String, input: Value = [:], folder: URL? = nil, clock: any PromiseClock = .patient
    ) async throws -> Value {
        var runner = Runner.testing(clock: clock)
        runner.environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/home/adele", "LC_TIME": "C",
            "GRAPHFLOW_ACCESS_TOKEN": "secret", "AZURE_CLIENT_SECRET": "secret", "AWS_SECRET_ACCESS_KEY": "secret",
        ]
        return try await runner.run(try Workflow(tasks: tasks, folder: folder), input: input).value
    }
}
