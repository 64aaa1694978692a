/// The programs whose configuration `graphflow mcp --print-config` prints.
enum ClientConfiguration: String, CaseIterable, Sendable {
    case claude, codex, vscode, cursor

    /// Where the program reads it.
    /// - Parameter isRemote: Whether it connects to a server that is already started.
    func place(isRemote: Bool) -> String {
        switch self {
        case .claude: ".mcp.json in the project" + (isRemote ? "" : ", or claude_desktop_config.json")
        case .codex: "~/.codex/config.toml"
        case .vscode: ".vscode/mcp.json"
        case .cursor: ".cursor/mcp.json in the project, or ~/.cursor/mcp.json"
        }
    }

    /// The text of the file.
    /// - Parameters:
    ///   - program: The path of this program.
    ///   - arguments: Its arguments.
    ///   - url: The address of a server that is already started; nil for one that the program starts.
    ///   - hasToken: Whether that server needs a bearer token.
    func text(program: String, arguments: [String], url: String?, hasToken: Bool) -> String {
        switch self {
        case .codex:
            let lines: [String]
            if let url {
                lines =
                    ["url = \(Value.string(url).json())"]
                    + (hasToken ? ["bearer_token_env_var = \"GRAPHFLOW_MCP_TOKEN\""] : [])
            } else {
                lines = [
                    "command = \(Value.string(program).json())",
                    "args = [\(arguments.map { Value.string($0).json() }.joined(separator: ", "))]",
                ]
            }
            return (["[mcp_servers.graphflow]"] + lines).joined(separator: "\n")
        case .claude, .vscode, .cursor:
            let server: Value
            if let url {
                let token =
                    self == .vscode
                    ? "${input:token}" : self == .cursor ? "${env:GRAPHFLOW_MCP_TOKEN}" : "${GRAPHFLOW_MCP_TOKEN}"
                server = .members([
                    ("type", self == .cursor ? nil : "http"), ("url", .string(url)),
                    ("headers", hasToken ? ["Authorization": .string("Bearer \(token)")] : nil),
                ])
            } else {
                server = .members([
                    ("type", self == .cursor ? nil : "stdio"), ("command", .string(program)),
                    ("args", .array(arguments.map(Value.string))),
                ])
            }
            let inputs: Value? =
                self == .vscode && url != nil && hasToken
                ? [["type": "promptString", "id": "token", "description": "The token of graphflow", "password": true]]
                : nil
            return Value.members([
                (self == .vscode ? "servers" : "mcpServers", ["graphflow": server]), ("inputs", inputs),
            ]).json(pretty: true)
        }
    }
}
