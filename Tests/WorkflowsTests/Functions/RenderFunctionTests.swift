import Foundation
import TestSupport
import Testing
import Workflows

struct RenderFunctionTests {
    private func render(_ input: Value, files: WorkflowFiles = WorkflowFiles(folder: nil)) async throws -> Value {
        try await FunctionFixture(transport: ScriptedTransport(), files: files).call("render", input)
    }

    @Test func `values take the place of their names`() async throws {
        let input: Value = ["text": "{{a}} {{ a }} {{ b-1 }}, {{c}}{ }", "values": ["a": "x", "b-1": 2, "c": true]]
        #expect(try await render(input) == "x x 2, true{ }")
    }

    @Test func `values are text inside HTML unless asked otherwise`() async throws {
        let values: Value = ["url": "https://x/?a=1&b=\"><script>"]
        #expect(
            try await render(["text": "<a href=\"{{ url }}\">", "values": values])
                == "<a href=\"https://x/?a=1&amp;b=&quot;&gt;&lt;script&gt;\">")
        #expect(
            try await render(["text": "{{ url }}", "values": values, "escape": "none"])
                == "https://x/?a=1&b=\"><script>")
    }

    @Test func `a value that looks like a placeholder is left alone`() async throws {
        let input: Value = ["text": "{{ a }}{{ b }}", "values": ["a": "{{ b }}", "b": "{{ a }}"]]
        #expect(try await render(input) == "{{ b }}{{ a }}")
    }

    @Test(
        arguments: [
            (["text": "x\n{{ nam }}", "values": ["name": "x"]], "Line 2", "did you mean 'name'?"),
            (["text": "{{ a }}"], "'a'", nil), (["text": "{{ a", "values": ["a": "x"]], "without a '}}'", nil),
            (["text": "{{ }}"], "is not a name", "double braces"), (["text": "{{ a b }}"], "is not a name", nil),
            (["text": "{{ a }}", "values": ["a": ["x"]]], "a", nil),
            (["text": "{{ a }}", "values": ["a": nil]], "a", nil),
            ([:], "missing", nil), (["text": "a", "template": "b"], "exclude", nil), (["text": 1], "string", nil),
            (["text": "a", "escape": "HTML"], "html", nil), (["text": "a", "vals": [:]], "vals", "values"),
        ] as [(Value, String, String?)])
    func `what cannot be filled is an error that says where`(input: Value, message: String, hint: String?) async {
        let error = await #expect(throws: FunctionError.self) { try await render(input) }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
        if let hint { #expect(error?.description.contains(hint) == true, "\(String(describing: error))") }
    }

    @Test func `a template is a file beside the workflow`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("body.html", "\u{FEFF}<p>{{ name }}</p>")
        let files = WorkflowFiles(folder: folder.url)
        #expect(try await render(["template": "body.html", "values": ["name": "Ä"]], files: files) == "<p>Ä</p>")
    }

    @Test func `a template that is no text is an error`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("body.html", Data([0xFF, 0xFE, 0x00]))
        let files = WorkflowFiles(folder: folder.url)
        await #expect(throws: FunctionError.self) { try await render(["template": "body.html"], files: files) }
    }

    @Test func `a template's faults are known before anything runs`() throws {
        let folder = try TemporaryFolder()
        try folder.write("body.html", "{{ name }}")
        let files = WorkflowFiles(folder: folder.url)
        let function = try #require(Catalog.default["render"])
        func findings(_ with: Value) -> [Function.Finding] { function.check(with, files: files) }
        #expect(findings(["template": "body.html", "values": ["name": "${ .name }"]]).isEmpty)
        #expect(findings(["template": "body.html", "values": "${ . }"]).isEmpty)
        #expect(findings(["template": "${ .file }"]).isEmpty)
        #expect(findings(["template": "missing.html"]).map(\.pointer) == [JSONPointer(["template"])])
        #expect(findings(["template": "../body.html"]).first?.message.contains("outside") == true)
        #expect(findings(["template": "body.html", "values": ["nme": "x"]]).first?.hint == "did you mean 'nme'?")
        #expect(findings(["template": "body.html"]).count == 1)
        #expect(findings(["text": "{{ x }}", "values": [:]]).map(\.pointer) == [JSONPointer(["text"])])
    }
}
