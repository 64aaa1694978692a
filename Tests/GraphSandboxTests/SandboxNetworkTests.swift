import Foundation
import Promises
import TestSupport
import Testing

@testable import GraphSandbox

/// A network in which Microsoft is a sandbox.
struct SandboxNetworkTests {
    private func status(_ address: String, _ network: SandboxNetwork) async throws -> Int {
        let url = try #require(URL(string: address))
        let request = HTTPRequest("GET", url, headers: ["Authorization": "Bearer x"])
        let operation = HTTPOperation(name: "test", effect: .read, example: HTTPResponse(status: 200))
        return try await network.send(request, for: operation).value.status
    }

    @Test(arguments: [
        "https://graph.microsoft.com/v1.0/me", "https://graph.microsoft.us/v1.0/me", "https://sandbox.example/s/x",
        "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
    ])
    func `Graph, the sign-in service and links are played`(address: String) async throws {
        let others = RecordingTransport(ScriptedTransport(.status(299)))
        #expect(try await status(address, SandboxNetwork(Sandbox(), others: others)) != 299)
        #expect(others.records.isEmpty)
    }

    @Test(arguments: [
        "https://api.contoso.com/v1.0/me", "http://127.0.0.1:9/v1.0/me", "https://graph.microsoft.com.example/me",
        "https://sandbox.example.com/s/x",
    ])
    func `everything else goes where it says`(address: String) async throws {
        let sandbox = Sandbox()
        let others = RecordingTransport(ScriptedTransport(.status(299)))
        #expect(try await status(address, SandboxNetwork(sandbox, others: others)) == 299)
        #expect(sandbox.requests.isEmpty)
    }

    @Test func `alone, it refuses everything else`() async throws {
        let error = await #expect(throws: HTTPFailure.self) {
            try await status("https://api.contoso.com/", SandboxNetwork(Sandbox(), others: nil))
        }
        #expect(error?.phase == .notSent)
    }
}
