import Foundation
import GraphSandbox
import MicrosoftGraph
import Promises

let sandbox = Sandbox()
let graph = GraphClient(credential: .fixed(AccessToken(sandbox.accessToken)), transport: sandbox.transport)

let chain = firstly {
    graph.photo()
}.then { photo in
    graph.upload(photo, to: "me.jpg")
}.then { item in
    graph.createLink(to: item, type: .view)
}
print(try await chain.value.webURL)
