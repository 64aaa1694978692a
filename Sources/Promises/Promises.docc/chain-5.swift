import Foundation
import GraphSandbox
import MicrosoftGraph
import Promises

let sandbox = Sandbox()
let graph = GraphClient(credential: .fixed(AccessToken(sandbox.accessToken)), transport: sandbox.transport)

let chain = firstly {
    attempt(maximumRetryCount: 3, delay: .exponential(from: .seconds(1)).jittered()) { graph.photo() }
}.recover { error -> Promise<Blob> in
    guard case .notFound = GraphError(error)?.code else { throw error }
    return .value(.defaultPhoto)
}.then { photo in
    graph.upload(photo, to: "me.jpg")
}.then { item in
    graph.createLink(to: item, type: .view)
}.then { link in
    graph.sendMail(
        to: "megan@contoso.com", subject: "My photo", html: "<a href=\"\(html: link.webURL)\">photo</a>")
}.ensure {
    print("finished")
}
print(try await chain.value.status)
