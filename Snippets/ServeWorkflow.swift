// Serves a workflow from Swift: events start its runs, and each run begins when this program has approved its plan.

import Foundation
import Promises
import WorkflowRuns

let sandbox = Sandbox()
let home = FileManager.default.temporaryDirectory.appending(path: "service-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: home) }

// snippet.serve
let workflow = try Workflow(
    text: """
        document: { dsl: 1.0.3, namespace: samples, name: welcome, version: 1.0.0 }
        schedule: { on: { one: { with: { type: com.contoso.hired } } } }
        do:
          - mail:
              call: sendMail
              with: { to: ["${ .[0].data.mail }"], subject: Welcome, body: { content: "Good to have you here." } }
        """)
let graph = GraphClient(credential: .fixed(AccessToken(sandbox.accessToken)), transport: sandbox.transport)
var runner = Runner(graph: graph)
runner.journals = RunsFolder(home.appending(path: "runs"))

let (ended, end) = Promise<Value>.pending()
var options = WorkflowService.Options()
options.approve = { proposal in
    for effect in proposal.plan.effects { print("it \(effect.summary)") }
    return .approved(by: "this program")
}
options.onEnd = { result, _ in end.resolve(result) }
let service = try WorkflowService([workflow], by: runner, options, in: home)
try service.start()
try service.publish(
    CloudEvent([
        "specversion": "1.0", "id": "1", "source": "/people", "type": "com.contoso.hired",
        "data": ["mail": "adelev@contoso.com"],
    ]))
_ = try await ended.value
await service.stop()
// snippet.end
print(sandbox.outbox.map(\.subject))
