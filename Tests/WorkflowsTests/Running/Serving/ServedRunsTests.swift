import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// The runs that a service begins.
@Suite struct ServedRunsTests {
    private let runs = TemporaryRuns()

    @Test(arguments: [true, false])
    func `an event that is not what the input must be is an error of a run, which others are told of`(isKept: Bool)
        async throws
    {
        let workflow = try Workflow(
            tasks: "- a: { set: { done: true } }",
            rest: """
                schedule: { on: { one: { with: { type: com.contoso.order } } } }
                input: { schema: { document: { type: array, items: { required: [number] } } } }
                """)
        let types = Locked<[String]>([])
        var runner = Runner.testing(recorders: [Recorder { event in types.withLock { $0.append(event.type) } }])
        if isKept { runner.journals = runs.folder }
        let served = try ServedRuns(runner)
        let settled = Locked(0)
        let begin = { (input: Value) -> Promise<Value> in
            try #require(
                try served.begin(workflow, input: input, suffix: ServedRuns.randomSuffix()) { _ in
                    settled.withLock { $0 += 1 }
                })
        }
        let error = await #expect(throws: WorkflowError.self) { try await begin([["name": "x"]]).value }
        #expect(error?.is(.validation) == true)
        #expect(error?.status == 400)
        #expect(types.withLock { $0 } == ["io.serverlessworkflow.workflow.faulted.v1"])
        #expect(try await begin([["number": 1]]).value == ["done": true])
        #expect(settled.withLock { $0 } == 2)
        guard isKept else { return }
        #expect(Set(try runs.folder.summaries().map(\.state)) == [.faulted, .completed])
    }
}
