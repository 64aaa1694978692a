import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// A suite whose workflows name local and remote resources.
protocol ResourceSuite {
    /// The folder of the workflows.
    var folder: TemporaryFolder { get }
}

extension ResourceSuite {
    /// Declares a secret, and an authentication with it.
    static var use: String {
        "use: { secrets: [token], authentications: { library: { bearer: { token: '${ $secrets.token }' } } } }"
    }

    func workflow(_ tasks: String, rest: String = "") throws -> Workflow {
        try Workflow(tasks: tasks, rest: rest, folder: folder.url)
    }

    func findings(_ tasks: String, rest: String = "") throws -> [String] {
        do {
            return try workflow(tasks, rest: rest).validate().map { "\($0.id): \($0.message)" }
        } catch let error as InvalidWorkflow {
            return error.diagnostics.map { "\($0.id): \($0.message)" }
        }
    }

    func signed(_ tasks: String, rest: String, _ transport: ScriptedTransport) async throws -> Value {
        var runner = CallFixture(transport).runner
        runner.secrets = SecretStore { ["token": "t0p-secret", "other": "0ther"][$0].map { SecretValue(.string($0)) } }
        let workflow = try workflow(tasks, rest: rest)
        #expect(workflow.validate().map { $0.text() } == [])
        #expect(workflow.usedSecrets == workflow.components.secrets)
        return try await runner.run(workflow).value
    }
}
