// Shows what a chain would send, without a network and without a token.

import Promises
import Workflows

// snippet.plan
let plan = PlanningTransport()
let graph = GraphClient(credential: .fixed(AccessToken("none")), transport: plan)

let chain = firstly {
    graph.photo()
}.then { photo in
    graph.upload(photo, to: "me.jpg")
}.then { item in
    graph.createLink(to: item, type: .view)
}.then { link in
    graph.sendMail(to: "megan@contoso.com", subject: "My photo", text: link.webURL)
}
_ = try await chain.value

for request in plan.requests {
    print(request.request.method, request.address)
    if let body = request.bodyDescription { print(body) }
}
// snippet.end
