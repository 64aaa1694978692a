import Foundation
import GraphSandbox
import MicrosoftGraph
import Promises
import Testing
import WorkflowHTTP

/// That clients verify the certificate and get their answers is tested with other libraries:
/// `Tests/Conformance/sandbox_tls.py`.
@Suite struct SandboxTLSTests {
    @Test func `the certificate is in the clear, and the key is not`() throws {
        let certificate = try TLSIdentity().certificate
        #expect(certificate.hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(certificate.hasSuffix("-----END CERTIFICATE-----\n"))
        #expect(!certificate.contains("KEY"))
        #expect(try TLSIdentity().certificate != certificate)
    }

    @Test func `a server of https answers nobody in the clear, and nobody who does not know it`() async throws {
        let server = SandboxServer(Sandbox(), identity: try TLSIdentity())
        defer { server.stop() }
        let port = try server.start()
        let operation = HTTPOperation(name: "test", effect: .read, example: HTTPResponse(status: 200))
        for scheme in ["http", "https"] {
            let url = try #require(URL(string: "\(scheme)://localhost:\(port)/sandbox/outbox"))
            let answer = NetworkTransport().send(HTTPRequest("GET", url), for: operation)
            await #expect(throws: HTTPFailure.self) { try await answer.value }
        }
    }
}
