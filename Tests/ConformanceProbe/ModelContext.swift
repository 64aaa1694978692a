import Foundation
import Promises
import Workflows

/// The modes that are servers until standard input ends.
let servers: [String: @Sendable () throws -> Void] = [
    "mcp-http": {
        let listener = MCPListener(ModelContext.server, tokens: nil)
        let port = try listener.start(at: .loopback(port: 0))
        FileHandle.standardOutput.write(Data("http://127.0.0.1:\(port)/mcp\n".utf8))
        while readLine() != nil {}
        listener.stop()
    },
    "mcp-stdio": {
        let connection = ModelContext.server.serve(input: 0, output: 1)
        connection.run()
        connection.drain(for: .seconds(10))
    },
]

/// A server with the tools, prompts and resources that the conformance suite of the Model Context Protocol names.
enum ModelContext {
    /// A red pixel.
    static let png = """
        iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC
        """
    /// A sample of silence.
    static let wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="

    static let server = MCPServer(
        name: "conformance-probe", version: "1.0.0", instructions: "Only for tests.",
        capabilities: ["tools": [:], "prompts": [:], "resources": [:], "completions": [:]],
        handlers: MCPServer.methods(of: { tools })
            .merging(prompts) { first, _ in first }
            .merging(resources) { first, _ in first }
            .merging(["completion/complete": complete]) { first, _ in first })

    private static let resources: [String: MCPServer.Handler] = [
        "resources/list": { _ in
            .value(
                .result([
                    "resources": [
                        [
                            "uri": "test://static-text", "name": "static-text", "description": "A text",
                            "mimeType": "text/plain",
                        ],
                        [
                            "uri": "test://static-binary", "name": "static-binary", "description": "A picture",
                            "mimeType": "image/png",
                        ],
                    ]
                ]))
        },
        "resources/templates/list": { _ in
            .value(
                .result([
                    "resourceTemplates": [
                        [
                            "uriTemplate": "test://template/{id}/data", "name": "template",
                            "description": "Data for an id", "mimeType": "application/json",
                        ]
                    ]
                ]))
        },
        "resources/read": { exchange in
            guard let uri = exchange.params["uri"]?.string else { throw RPCError(.params, "'uri' is missing") }
            guard let contents = contents(of: uri) else {
                throw RPCError(.params, "there is no such resource", data: ["uri": .string(uri)])
            }
            return .value(.result(["contents": [contents]]))
        },
    ]

    private static func contents(of uri: String) -> Value? {
        switch uri {
        case "test://static-text":
            return [
                "uri": .string(uri), "mimeType": "text/plain",
                "text": "This is the content of the static text resource.",
            ]
        case "test://static-binary":
            return ["uri": .string(uri), "mimeType": "image/png", "blob": .string(png)]
        default:
            guard let id = uri.wholeMatch(of: /test:\/\/template\/([^\/]+)\/data/)?.output.1 else { return nil }
            let data: Value = [
                "id": .string(String(id)), "templateTest": true, "data": .string("Data for ID: \(id)"),
            ]
            return ["uri": .string(uri), "mimeType": "application/json", "text": .string(data.json())]
        }
    }

    @Sendable private static func complete(_ exchange: MCPExchange) throws -> Promise<MCPAnswer> {
        guard exchange.params["ref"]?["type"]?.string != nil, let argument = exchange.params["argument"],
            argument["name"]?.string != nil, let begun = argument["value"]?.string
        else { throw RPCError(.params, "'ref' and 'argument' are needed") }
        let values = ["paris", "park", "party", "test", "testing"].filter { $0.hasPrefix(begun) }
        return .value(
            .result([
                "completion": [
                    "values": .array(values.map(Value.string)), "total": .integer(values.count), "hasMore": false,
                ]
            ]))
    }
}
