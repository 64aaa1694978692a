// Fetches the profile photo, uploads it to OneDrive, creates a link and mails it.
// With --sandbox it uses an in-memory Microsoft Graph; otherwise set GRAPHFLOW_ACCESS_TOKEN.

import Foundation
import GraphSandbox
import MicrosoftGraph
import Promises

let sandbox = CommandLine.arguments.contains("--sandbox") ? Sandbox() : nil
let graph =
    if let sandbox {
        GraphClient(credential: .fixed(AccessToken(sandbox.accessToken)), transport: sandbox.transport)
    } else {
        GraphClient(credential: .environment)
    }

// snippet.chain
let chain = firstly {
    graph.photo()
}.recover { error -> Promise<Blob> in  // the default picture
    guard case .notFound = GraphError(error)?.code else { throw error }
    return .value(.defaultPhoto)
}.then { photo in
    graph.upload(photo, to: "me.jpg").then { item in
        graph.createLink(to: item, type: .view)
    }.map { link in (photo, link) }
}.then { photo, link in
    graph.sendMail(
        to: "megan@contoso.com", subject: "My photo", html: "<a href=\"\(html: link.webURL)\">photo</a>",
        attachments: [Mail.Attachment(name: "me.jpg", content: photo)])
}.done { receipt in
    print("sent: \(receipt.status)")
}
// snippet.end

do {
    try await chain.value
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
