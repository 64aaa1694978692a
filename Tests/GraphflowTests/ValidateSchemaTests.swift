import Testing
import Workflows

@Suite struct ValidateSchemaTests {
    @Test func `prints the schema of workflow files, indented, and nothing else`() async {
        let console = TestConsole()
        #expect(await console.run(["validate", "--schema"]) == 0)
        #expect(console.standardOutput == Workflow.fileSchema().json(pretty: true) + "\n")
        #expect(console.standardError.isEmpty)
    }

    @Test func `takes no file together with the schema`() async {
        let console = TestConsole()
        #expect(await console.run(["validate", "--schema", "a.yaml"]) == 64)
        #expect(console.standardOutput.isEmpty)
        #expect(console.standardError.contains("'--schema' takes no file"))
    }
}
