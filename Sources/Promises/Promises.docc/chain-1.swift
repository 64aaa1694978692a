import Foundation
import GraphSandbox
import MicrosoftGraph
import Promises

let sandbox = Sandbox()
let graph = GraphClient(credential: .fixed(AccessToken(sandbox.accessToken)), transport: sandbox.transport)

let photo = try await graph.photo().value
print(photo)
