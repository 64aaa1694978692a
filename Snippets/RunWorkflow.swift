// Runs a workflow file from Swift, with the program's own function in the catalog.
// With --sandbox it uses an in-memory Microsoft Graph; otherwise set GRAPHFLOW_ACCESS_TOKEN.

import Foundation
import Promises
import Workflows

let sandbox = CommandLine.arguments.contains("--sandbox") ? Sandbox() : nil
let graph =
    if let sandbox {
        GraphClient(credential: .fixed(AccessToken(sandbox.accessToken)), transport: sandbox.transport)
    } else {
        GraphClient(credential: .environment)
    }

// snippet.run
struct Shout: FunctionParameters {
    @Parameter("What is shouted.") var text: String
}

var catalog = Catalog.default
catalog.register("shout", input: Shout.self, effect: .read) { with, _ in
    .value(.string(with.text.uppercased()))
}

let workflow = try Workflow(contentsOf: URL(fileURLWithPath: "workflows/share-profile-photo.yaml"))
let output = try await Runner(graph: graph, catalog: catalog)
    .run(workflow, input: ["to": "adelev@contoso.com"]).value
print(output.json())
// snippet.end
