// Results with properties, an asynchronous Swift function in a workflow, and an output that is decoded.

import Promises
import Workflows

let sandbox = Sandbox()
let graph = GraphClient(credential: .fixed(AccessToken(sandbox.accessToken)), transport: sandbox.transport)

// snippet.typed
struct Names: Codable, Sendable { var names: [String] }
struct Greeting: Codable, Sendable { var text: String }

var catalog = Catalog.default
catalog.register("greet", effect: .read) { (with: Names, _) async throws -> Greeting in
    Greeting(text: "Hello, \(with.names.joined(separator: " and "))!")
}

let workflow = try Workflow(
    text: """
        document: { dsl: 1.0.3, namespace: samples, name: greet, version: 1.0.0 }
        do:
          - people: { call: users, with: { top: 2 } }
          - greet: { call: greet, with: { names: "${ map(.displayName) }" } }
        """)
let runner = Runner(graph: graph, catalog: catalog)
print(try await runner.run(workflow, as: Greeting.self).value.text)

let me = try await graph.me().value
print(me.displayName, me.email ?? "")
// snippet.end
