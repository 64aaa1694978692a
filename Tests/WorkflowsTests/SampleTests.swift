import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// The files of the folder `workflows`, each of which is a lesson.
@Suite struct SampleTests {
    @Test(arguments: SampleWorkflow.all)
    func `a sample gives what its lesson says`(sample: SampleWorkflow) async throws {
        // A real clock for the waits; in a race the wait is longer than any request.
        let output = try await Runner.testing(clock: PatientClock(slowedBy: 60)).run(
            sample.workflow, input: sample.input
        ).value
        if let expected = sample.output { #expect(output == expected) }
    }

    @Test func `an error that a sample does not handle ends it`() async throws {
        let sample = try #require(SampleWorkflow.all.first { $0.name == "errors.yaml" })
        let error = await #expect(throws: WorkflowError.self) {
            try await Runner.testing(clock: PatientClock(slowedBy: 60)).run(try sample.workflow, input: ["amount": -1])
                .value
        }
        #expect(error?.type == "https://contoso.com/errors/negative")
        #expect(error?.instance == "/do/0/order/try/1/refuse")
    }

    @Test(arguments: SampleWorkflow.files)
    func `a sample is a file without anything to find fault with, and its lesson is in the documentation`(
        name: String
    ) throws {
        let (workflow, findings) = Workflow.check(contentsOf: SampleWorkflow.folder.appending(path: name))
        #expect(findings.map { $0.text() } == [])
        #expect(workflow?.metadata.namespace == "samples")
        let page = SampleWorkflow.folder.appending(path: "../Sources/Workflows/Engine/Documentation.docc/Samples.md")
        #expect(try String(contentsOf: page, encoding: .utf8).contains("`\(name)`"))
    }

    @Test func `the samples are found`() {
        #expect(SampleWorkflow.files.contains("share-profile-photo.yaml"))
    }
}
