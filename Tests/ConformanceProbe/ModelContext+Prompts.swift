import Promises
import Workflows

extension ModelContext {
    private static let prompt = "test_input_required_result_prompt"

    static let prompts: [String: MCPServer.Handler] = [
        "prompts/list": { _ in
            .value(
                .result([
                    "prompts": [
                        listed("test_simple_prompt"), listed("test_prompt_with_arguments", ["arg1", "arg2"]),
                        listed("test_prompt_with_embedded_resource", ["resourceUri"]),
                        listed("test_prompt_with_image"), listed(prompt),
                    ]
                ]))
        },
        "prompts/get": { exchange in
            let name = exchange.params["name"]?.string ?? ""
            guard name != prompt else {
                return try asking(
                    ["user_context": form("What context should the prompt use?", "context", "string")], exchange
                ) { .result(messages(text("In this context: \($0["user_context"]?["content"]?.json() ?? "")"))) }
            }
            return .value(.result(try messages(of: name, exchange.params["arguments"]?.object ?? [:])))
        },
    ]

    private static func messages(of name: String, _ arguments: Object) throws -> Object {
        func argument(_ name: String) throws -> String {
            guard let value = arguments[name]?.string else { throw RPCError(.params, "'\(name)' is missing") }
            return value
        }
        switch name {
        case "test_simple_prompt": return messages(text("This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            let (first, second) = (try argument("arg1"), try argument("arg2"))
            return messages(text("Prompt with arguments: arg1='\(first)', arg2='\(second)'"))
        case "test_prompt_with_embedded_resource":
            let uri = try argument("resourceUri")
            return messages(
                embedded(uri, "text/plain", "Embedded resource content for testing."),
                text("Please process the embedded resource above."))
        case "test_prompt_with_image": return messages(image, text("Please analyze the image above."))
        default: throw RPCError(.params, "there is no such prompt")
        }
    }

    private static func listed(_ name: String, _ arguments: [String] = []) -> Value {
        [
            "name": .string(name), "description": "Only for tests",
            "arguments": .array(
                arguments.map { ["name": .string($0), "description": "Only for tests", "required": true] }),
        ]
    }

    private static func messages(_ contents: Value...) -> Object {
        ["messages": .array(contents.map { ["role": "user", "content": $0] })]
    }
}
