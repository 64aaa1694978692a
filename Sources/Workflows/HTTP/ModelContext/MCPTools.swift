/// A tool of a server.
package struct MCPTool: Sendable {
    /// What a tool does, which a client need not believe.
    package struct Hints: Sendable {
        package var isReadOnly = false
        package var isDestructive = true
        package var isIdempotent = false
        package var isOpenWorld = true

        package init() {}

        package static let read: Hints = {
            var hints = Hints()
            (hints.isReadOnly, hints.isDestructive, hints.isIdempotent) = (true, false, true)
            return hints
        }()

        fileprivate var value: Value {
            [
                "readOnlyHint": .bool(isReadOnly), "destructiveHint": .bool(isDestructive),
                "idempotentHint": .bool(isIdempotent), "openWorldHint": .bool(isOpenWorld),
            ]
        }
    }

    /// A call with arguments that the tool's schema allows.
    package typealias Body = @Sendable (_ arguments: Object, _ exchange: MCPExchange) throws -> Promise<MCPAnswer>

    package let name: String
    let members: Object
    let inputSchema: Value
    let body: Body

    /// - Parameters:
    ///   - name: Letters, digits, `_`, `.` and `-`, at most 128.
    ///   - inputSchema: The JSON Schema of the arguments, an object's.
    ///   - outputSchema: The JSON Schema of the structured result; nil for none.
    package init(
        _ name: String, title: String?, _ description: String, inputSchema: Value, outputSchema: Value? = nil,
        hints: Hints? = nil, _ body: @escaping Body
    ) {
        (self.name, self.inputSchema, self.body) = (name, inputSchema, body)
        members =
            Value.members([
                ("name", .string(name)), ("title", title.map(Value.string)), ("description", .string(description)),
                ("inputSchema", inputSchema), ("outputSchema", outputSchema), ("annotations", hints?.value),
            ]).object ?? [:]
    }
}

extension MCPServer {
    /// The methods of a server's tools.
    /// - Parameter tools: The tools now, in their order.
    package static func methods(of tools: @escaping @Sendable () throws -> [MCPTool]) -> [String: Handler] {
        [
            "tools/list": { exchange in
                guard exchange.params["cursor"]?.string == nil else {
                    throw RPCError(.params, "there is no such cursor: the list has one page")
                }
                return .value(.result(["tools": .array(try tools().map { .object($0.members) })]))
            },
            "tools/call": { exchange in
                guard let name = exchange.params["name"]?.string else { throw RPCError(.params, "'name' is missing") }
                guard let arguments = (exchange.params["arguments"] ?? [:]).object else {
                    throw RPCError(.params, "'arguments' must be an object")
                }
                guard let tool = try tools().first(where: { $0.name == name }) else {
                    throw RPCError(.params, "there is no tool '\(PlainText.exact(name, limit: 200))'")
                }
                let problems = try JSONSchema(tool.inputSchema).validate(.object(arguments))
                guard problems.isEmpty else {
                    let words = problems.prefix(20).map { problem in
                        [problem.instance == .root ? "" : "\(problem.instance): ", problem.message].joined()
                    }
                    return .value(
                        .tool("The arguments are not valid.\n" + words.joined(separator: "\n"), isError: true))
                }
                return try tool.body(arguments, exchange)
            },
        ]
    }
}
