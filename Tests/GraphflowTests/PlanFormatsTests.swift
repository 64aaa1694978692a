import Foundation
import TestSupport
import Testing
import Workflows

/// The plans of the samples as commands of curl and as archives, as they were last looked at.
@Suite struct PlanFormatsTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Snapshots/plan")
    /// What the samples that need an input are given.
    private static let inputs: [String: String] = [
        "call-openapi.yaml": #"{"customer": "C-17"}"#, "choose-and-repeat.yaml": #"{"number": 27}"#,
        "data-flow.yaml": #"{"order": {"items": [{"price": 20, "count": 2}]}}"#, "errors.yaml": #"{"amount": 7}"#,
        "for-each-user.yaml": #"{"prefix": "M"}"#, "functions-and-extensions.yaml": #"{"name": "Megan"}"#,
        "run-script.yaml": #"{"scores": [1, 2, 6]}"#, "run-workflow-greet.yaml": #"{"user": "adelev@contoso.com"}"#,
        "schedule-on.yaml": #"[{"data": {"celsius": 41}}]"#,
        "share-profile-photo.yaml": #"{"to": "adelev@contoso.com"}"#,
    ]

    private func plan(_ name: String, _ format: String) async -> (status: Int32, output: String, error: String) {
        let console = TestConsole()
        let status = await console.run([
            "run", Repository.path("workflows/\(name)"), "--input", Self.inputs[name] ?? "{}", "--dry-run", "--format",
            format,
        ])
        return (status, console.standardOutput, console.standardError)
    }

    @Test(arguments: SampleWorkflow.files, ["curl", "har"])
    func `the plans of the samples look as they did`(_ name: String, _ format: String) async throws {
        let (status, output, error) = await plan(name, format)
        #expect(status == 0, "\(error)")
        let file = Self.folder.appendingPathComponent(name).deletingPathExtension()
            .appendingPathExtension(format == "curl" ? "sh" : format)
        // An archive is indented for whoever compares two of them.
        let shown = format == "har" ? try Value(json: output).json(pretty: true) + "\n" : output
        if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" { try Data(shown.utf8).write(to: file) }
        let expected = try? String(contentsOf: file, encoding: .utf8)
        #expect(shown == expected, "\(file.path) differs: run the tests with UPDATE_SNAPSHOTS=1")
    }

    @Test func `no token and no secret is in any of them`() async throws {
        for name in SampleWorkflow.files {
            for format in ["curl", "har"] {
                let output = await plan(name, format).output
                #expect(!output.contains("Bearer planned"), "\(name) \(format)")
            }
        }
    }

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
        #expect(console.standardOutput.contains("--data-raw '" + text.replacing("'", with: "'\\''") + "' \\\n"))
        #expect(console.standardOutput.contains("/me/drive/root:/a%27b.txt:/content"))
    }
}
