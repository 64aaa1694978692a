import Promises
import Workflows

extension ModelContext {
    private struct Waiting {
        var calls: [Resolver<MCPAnswer>] = []
        var cancelled = 0
    }

    private static let waiting = Locked(Waiting())

    static let tools: [MCPTool] =
        [
            tool("test_simple_text") { _, _ in
                .value(.tool("This is a simple text response for testing."))
            },
            tool("test_image_content") { _, _ in .value(content(image)) },
            tool("test_audio_content") { _, _ in
                .value(content(["type": "audio", "data": .string(wav), "mimeType": "audio/wav"]))
            },
            tool("test_embedded_resource") { _, _ in
                .value(
                    content(
                        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")))
            },
            tool("test_multiple_content_types") { _, _ in
                let data: Value = ["test": "data", "value": 123]
                return .value(
                    content(
                        text("Multiple content types test:"), image,
                        embedded("test://mixed-content-resource", "application/json", data.json())))
            },
            tool("test_error_handling") { _, _ in
                .value(.tool("This tool intentionally returns an error for testing", isError: true))
            },
            tool("test_tool_with_progress") { _, exchange in
                for step in [0, 50, 100] { exchange.progress(step, of: 100, "step \(step) of 100") }
                return .value(.tool("Completed."))
            },
            tool("test_logging_tool") { _, _ in .value(.tool("Nothing was logged.")) },
            // These two are not the suite's.
            tool("test_waiting") { _, _ in
                let (promise, resolver) = Promise<MCPAnswer>.pending()
                resolver.onCancel { waiting.withLock { $0.cancelled += 1 } }
                waiting.withLock { $0.calls.append(resolver) }
                return promise
            },
            tool("test_cancelled") { _, _ in .value(.tool("\(waiting.withLock { $0.cancelled })")) },
        ] + askingTools

    static func tool(
        _ name: String, _ properties: Object = [:], _ body: @escaping MCPTool.Body
    ) -> MCPTool {
        MCPTool(
            name, title: nil, "Only for tests",
            inputSchema: [
                "type": "object", "properties": .object(properties),
                "required": .array(properties.keys.map(Value.string)), "additionalProperties": false,
            ], body)
    }

    static func content(_ blocks: Value...) -> MCPAnswer { .result(["content": .array(blocks)]) }

    static func text(_ text: String) -> Value { ["type": "text", "text": .string(text)] }

    static let image: Value = ["type": "image", "data": .string(png), "mimeType": "image/png"]

    static func embedded(_ uri: String, _ type: String, _ text: String) -> Value {
        [
            "type": "resource",
            "resource": ["uri": .string(uri), "mimeType": .string(type), "text": .string(text)],
        ]
    }
}
