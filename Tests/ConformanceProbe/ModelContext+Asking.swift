import Foundation
import Promises
import Workflows

/// The tools that need something of the client.
extension ModelContext {
    static let askingTools: [MCPTool] = [
        tool("test_missing_capability") { _, exchange in
            try asking(["answer": sampling("Are you there?")], exchange) { _ in .tool("The client answered.") }
        },
        tool("test_streaming_elicitation") { _, exchange in
            exchange.progress(0, of: nil, "asks")
            return try asking(["value": form("A value?", "value", "string")], exchange) { _ in .tool("Completed.") }
        },
        tool("test_elicitation", ["message": ["type": "string"]]) { arguments, exchange in
            let message = arguments["message"]?.string ?? ""
            return try asking(["user": form(message, "username", "string")], exchange) {
                .tool("User response: \($0["user"]?.json() ?? "")")
            }
        },
        tool("test_elicitation_url") { _, exchange in
            var params: Object = ["mode": "url", "message": "Open the page.", "url": "https://contoso.com/approve"]
            if exchange.version == .november2025 { params["elicitationId"] = "elicitation-1" }
            return try asking(
                ["page": ["method": "elicitation/create", "params": .object(params)]], exchange
            ) { _ in
                exchange.completeElicitation("elicitation-1")
                return .tool("Opened.")
            }
        },
        tool("test_input_required_result_elicitation") { _, exchange in
            try asking(["user_name": form("What is your name?", "name", "string")], exchange) {
                .tool("Hello, \($0["user_name"]?["content"]?["name"]?.string ?? "stranger")!")
            }
        },
        tool("test_input_required_result_sampling") { _, exchange in
            try asking(["capital_question": sampling("What is the capital of France?")], exchange) {
                .tool($0["capital_question"]?["content"]?["text"]?.string ?? "")
            }
        },
        tool("test_input_required_result_list_roots") { _, exchange in
            try asking(["client_roots": roots], exchange) { .tool($0["client_roots"]?.json() ?? "") }
        },
        tool("test_input_required_result_request_state") { _, exchange in
            try asking(["confirm": form("Please confirm", "ok", "boolean")], exchange, needsState: true) { _ in
                .tool("state-ok")
            }
        },
        tool("test_input_required_result_tampered_state") { _, exchange in
            try asking(["confirm": form("Please confirm", "ok", "boolean")], exchange, needsState: true) { _ in
                .tool("state-ok")
            }
        },
        tool("test_input_required_result_multiple_inputs") { _, exchange in
            try asking(
                [
                    "user_name": form("What is your name?", "name", "string"),
                    "greeting": sampling("Generate a greeting"), "client_roots": roots,
                ], exchange, needsState: true
            ) { .tool("Answered: \($0.keys.sorted().joined(separator: ", "))") }
        },
        tool("test_input_required_result_multi_round") { _, exchange in
            let round = try exchange.state.map { try states.take($0, exchange) } ?? 0
            let first = ["step1": form("Step 1: What is your name?", "name", "string")] as Object
            let second = ["step2": form("Step 2: What is your favorite color?", "color", "string")] as Object
            switch round {
            case 0: return needs(first, round: 1, exchange)
            case 1:
                guard hasAnswers(to: first, exchange) else { return needs(first, round: 1, exchange) }
                return needs(second, round: 2, exchange)
            default:
                guard hasAnswers(to: second, exchange) else { return needs(second, round: 2, exchange) }
                return .value(.tool("Both rounds are answered."))
            }
        },
        tool("test_input_required_result_capabilities") { _, exchange in
            var requests: Object = [:]
            if exchange.canAsk(.form) { requests["user_name"] = form("What is your name?", "name", "string") }
            if exchange.canAsk(.sampling) { requests["greeting"] = sampling("Generate a greeting") }
            guard !requests.isEmpty else { return .value(.tool("The client can be asked nothing.", isError: true)) }
            return try asking(requests, exchange) { _ in .tool("Answered.") }
        },
    ]

    /// The states that clients hold, each good for one answer: a random name cannot be altered into another one.
    struct States: Sendable {
        private struct Issued {
            var request: String
            var round: Int
        }

        private let issued = Locked<[String: Issued]>([:])

        func issue(_ round: Int, _ exchange: MCPExchange) -> String {
            let name = UUID().uuidString
            issued.withLock { $0[name] = Issued(request: Self.request(exchange), round: round) }
            return name
        }

        /// The round in which a state was issued for the same request.
        func take(_ name: String, _ exchange: MCPExchange) throws -> Int {
            let taken = issued.withLock { $0.removeValue(forKey: name) }
            guard let taken, taken.request == Self.request(exchange) else {
                throw RPCError(.params, "this state was not issued for this request, or is used already")
            }
            return taken.round
        }

        private static func request(_ exchange: MCPExchange) -> String {
            ([.string(exchange.method), exchange.params["name"], exchange.params["arguments"] ?? [:]] as [Value?])
                .map { $0?.json(sortedKeys: true) ?? "" }.joined(separator: " ")
        }
    }

    private static let states = States()

    /// Answers once the client has given what is asked for, and asks again for what is missing or has another shape.
    static func asking(
        _ requests: Object, _ exchange: MCPExchange, needsState: Bool = false, _ answer: (Object) -> MCPAnswer
    ) throws -> Promise<MCPAnswer> {
        let round = try exchange.state.map { try states.take($0, exchange) }
        guard hasAnswers(to: requests, exchange), round != nil || !needsState else {
            return needs(requests, round: 1, exchange)
        }
        return .value(answer(exchange.responses))
    }

    private static func needs(_ requests: Object, round: Int, _ exchange: MCPExchange) -> Promise<MCPAnswer> {
        .value(.needs(requests, state: states.issue(round, exchange)))
    }

    private static func hasAnswers(to requests: Object, _ exchange: MCPExchange) -> Bool {
        requests.allSatisfy { name, request in
            guard let response = exchange.responses[name], response.object != nil else { return false }
            switch request["method"]?.string {
            case "sampling/createMessage": return response["content"]?["text"]?.string != nil
            case "roots/list": return response["roots"]?.array != nil
            default: break
            }
            guard response["action"] == "accept" else { return response["action"]?.string != nil }
            guard let schema = request["params"]?["requestedSchema"] else { return true }
            return (try? JSONSchema(schema).validate(response["content"] ?? nil))?.isEmpty == true
        }
    }

    static func form(_ message: String, _ field: String, _ type: String) -> Value {
        [
            "method": "elicitation/create",
            "params": [
                "mode": "form", "message": .string(message),
                "requestedSchema": [
                    "type": "object", "properties": [field: ["type": .string(type)]],
                    "required": [.string(field)],
                ],
            ],
        ]
    }

    private static func sampling(_ question: String) -> Value {
        [
            "method": "sampling/createMessage",
            "params": [
                "messages": [["role": "user", "content": text(question)]], "maxTokens": 100,
            ],
        ]
    }

    private static let roots: Value = ["method": "roots/list", "params": [:]]
}
