import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox
import MicrosoftGraph

struct LoopbackTests {
    @Test func `the chain runs over a socket as it runs in process`() async throws {
        let sandbox = Sandbox()
        let server = SandboxServer(sandbox)
        defer { server.stop() }
        let port = try server.start()
        let graph = GraphClient(
            credential: .environment(["GRAPHFLOW_ACCESS_TOKEN": "x"]),
            environment: ["GRAPHFLOW_GRAPH_URL": "http://127.0.0.1:\(port)/v1.0"])
        let photo = try await graph.photo().value
        let item = try await graph.upload(photo, to: "Pictures/Ünïcode & more.jpg").value
        let link = try await graph.createLink(to: item).value
        let me = try await graph.me().value
        let receipt = try await graph.sendMail(
            to: try #require(me.email), subject: "s", html: "<a href=\"\(html: link.webURL)\">photo</a>",
            attachments: [Mail.Attachment(name: "me.jpg", content: photo)]
        ).value
        #expect(receipt.status == "accepted")
        #expect(sandbox.outbox.count == 1)
        #expect(try sandbox.outbox.first?.attachments.first?.content == photo.bytes)
        #expect(
            try sandbox.drive.contains {
                try $0.path.hasSuffix("Pictures/Ünïcode & more.jpg") && $0.content == photo.bytes
            })
    }

    @Test func `nobody there is a clear error`() async throws {
        // Not a port that was free a moment ago: another test's server may use it by now.
        let graph = GraphClient(
            credential: .fixed(AccessToken("x")), baseURL: URL(string: "http://127.0.0.1:1/v1.0"),
            clock: ImpatientClock())
        #expect(await graphError(of: graph.me())?.code == .network)
        #expect(await graphError(of: graph.sendMail(Sample.mail))?.code == .network)
    }
}
