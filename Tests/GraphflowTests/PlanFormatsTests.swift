import Foundation
import Testing
import Workflows

/// Plans in other programs' formats keep their meaning there.
@Suite struct PlanFormatsTests {
    @Test func `a text is one word of the shell, whatever is in it`() async throws {
        let text = "it's \"$(id)\" `id` \\ $HOME !\n‹"
        let workflow: Value = [
            "document": ["dsl": "1.0.3", "namespace": "samples", "name": "quotes", "version": "1.0.0"],
            "do": [["up": ["call": "upload", "with": ["path": "a'b.txt", "content": .string(text)]]]],
        ]
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("quotes-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(workflow.json().utf8).write(to: file)
        let console = TestConsole()
        #expect(await console.run("run", file.path, "--dry-run", "--format", "curl") == 0)
        let written = "printf %s '" + text.replacing("'", with: "'\\''") + "' > \"$folder/body\"\n"
        #expect(console.standardOutput.contains(written))
        #expect(console.standardOutput.contains("/me/drive/root:/a%27b.txt:/content"))
    }
}
