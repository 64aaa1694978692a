struct MCPParameters: FunctionParameters {
    private static let texts: Object = ["type": "object", "additionalProperties": ["type": "string"]]
    private static let transports: Object = [
        "type": "object",
        "properties": [
            "http": [
                "type": "object", "required": ["endpoint"], "additionalProperties": false,
                "properties": ["endpoint": ["type": ["string", "object"]], "headers": .object(texts)],
            ],
            "stdio": [
                "type": "object", "required": ["command"], "additionalProperties": false,
                "properties": [
                    "command": ["type": "string", "minLength": 1],
                    "arguments": ["type": "array", "items": ["type": "string"]], "environment": .object(texts),
                ],
            ],
            "options": .object(texts),
        ],
        "additionalProperties": false,
    ]
    private static let implementation: Object = [
        "type": "object", "required": ["name", "version"],
        "properties": ["name": ["type": "string"], "version": ["type": "string"]],
    ]

    @Parameter("The version of the protocol: 2025-06-18, 2025-11-25 or 2026-07-28.")
    var protocolVersion = MCPVersion.june2025.rawValue
    @Parameter(
        "The method to call: tools/call, resources/read …",
        schema: FunctionSchema.choice(MCPClient.Method.allCases.map(\.rawValue)))
    var method: String
    @Parameter(
        "The parameters of the method: { name, arguments } of a tool, { uri } of a resource.",
        schema: FunctionSchema.anyMembers)
    var parameters: Value?
    @Parameter("How long the call may take: PT30S, or { seconds: 30 }.", schema: FunctionSchema.anyMembers)
    var timeout: Value?
    @Parameter("The server: http with its endpoint, or stdio with the command that starts it.", schema: transports)
    var transport: Value
    @Parameter("The name and the version of the client, which the server is told.", schema: implementation)
    var client: Value?
}

extension Function {
    /// The function of `call: mcp` (specification: dsl-reference.md, "MCP Call").
    static let mcp = Function(
        protocol: "mcp", summary: "Calls a server of the Model Context Protocol, and returns the result.",
        input: MCPParameters.self,
        evaluated: [
            "parameters": ["type": "object"], "transport": ["type": "object"], "client": ["type": "object"],
        ],
        effectOfArguments: { with, _ in
            with["method"]?.literal.flatMap(MCPClient.Method.init(rawValue:)).map(\.usualEffect)
        },
        check: { with, _ in MCPCallSchema.findings(in: with) },
        preparation: { input, context in
            let call = try MCPCall(try MCPParameters(input), context)
            return call.effect().map(on: nil) { effect in
                PreparedCall(effect: effect, call.effects(effect)) { call.perform(effect) }
            }
        })
}

extension MCPClient.Method {
    /// What a call does if neither its task nor the server says more: only a tool can change something.
    var usualEffect: Idempotency { self == .callTool ? .once : .read }
}

/// Errors in a `with` of `call: mcp` that its schema cannot express.
enum MCPCallSchema {
    private typealias Finding = Function.Finding

    static func findings(in with: Value) -> [Function.Finding] {
        var findings: [Finding] = []
        for place in [["method"], ["protocolVersion"], ["transport"], ["transport", "http"], ["transport", "stdio"]]
        where with[JSONPointer(place)]?.isComputed == true {
            findings.append(
                Finding(
                    "computed-argument", at: place, "'\(place[place.count - 1])' cannot be computed",
                    hint: "write its value"))
        }
        if let version = with["protocolVersion"]?.literal, MCPVersion(rawValue: version) == nil {
            findings.append(
                Finding(
                    "mcp", at: ["protocolVersion"], unknown(version), hint: "write one of \(versions.quoted)"))
        }
        if let timeout = with["timeout"], !timeout.isComputed, Duration(timeout) == nil {
            findings.append(
                Finding(
                    "duration", at: ["timeout"], "this is not a duration",
                    hint: "write 'PT30S' or an object such as { seconds: 30 }"))
        }
        return findings + transport(in: with) + subject(in: with)
    }

    static let versions = MCPVersion.allCases.map(\.rawValue)

    static func unknown(_ version: String) -> String {
        "'\(PlainText.exact(version, limit: 50))' is not a version of the protocol that graphflow speaks"
    }

    private static func transport(in with: Value) -> [Finding] {
        guard let transport = with["transport"], transport.object != nil else { return [] }
        guard (transport["http"] == nil) != (transport["stdio"] == nil) else {
            return [
                Finding(
                    "mcp", at: ["transport"], "a transport must be either 'http' or 'stdio'",
                    hint: "write 'http: { endpoint: … }' for a service, or 'stdio: { command: … }' for a program")
            ]
        }
        return transport["http"].map { HTTPCallSchema.destination(in: $0, at: JSONPointer(["transport", "http"])) }
            ?? []
    }

    private static func subject(in with: Value) -> [Finding] {
        guard let method = with["method"]?.literal.flatMap(MCPClient.Method.init(rawValue:)),
            with["parameters"]?.isComputed != true, let problem = problem(of: method, with["parameters"] ?? [:])
        else { return [] }
        return [
            Finding("mcp", at: with["parameters"] == nil ? [] : ["parameters"], problem.message, hint: problem.hint)
        ]
    }

    /// What a method's parameters lack; nil for nothing.
    static func problem(of method: MCPClient.Method, _ parameters: Value) -> (message: String, hint: String)? {
        guard let name = method.subject, parameters[name]?.string?.isEmpty ?? true else { return nil }
        let example = method == .callTool ? "{ \(name): …, arguments: { … } }" : "{ \(name): … }"
        return ("'\(method.rawValue)' needs the text '\(name)' in its parameters", "write 'parameters: \(example)'")
    }
}
