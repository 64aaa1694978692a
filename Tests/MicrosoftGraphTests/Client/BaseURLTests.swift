import Foundation
import Promises
import TestSupport
import Testing
import MicrosoftGraph

struct BaseURLTests {
    private func client(_ variable: String?, baseURL: String? = nil) -> GraphClient {
        GraphClient(
            credential: .fixed(AccessToken("x")), baseURL: baseURL.flatMap { URL(string: $0) },
            transport: ScriptedTransport(), environment: variable.map { ["GRAPHFLOW_GRAPH_URL": $0] } ?? [:])
    }

    @Test(
        arguments: [
            (nil, "https://graph.microsoft.com/v1.0"), ("", "https://graph.microsoft.com/v1.0"),
            ("https://graph.microsoft.us/v1.0/", "https://graph.microsoft.us/v1.0"),
            ("http://127.0.0.1:8080/v1.0", "http://127.0.0.1:8080/v1.0"),
            ("http://localhost:8080/v1.0//", "http://localhost:8080/v1.0"),
            ("http://[::1]:80/v1.0", "http://[::1]:80/v1.0"),
        ] as [(String?, String)])
    func `the environment names the service`(variable: String?, url: String) throws {
        #expect(try client(variable).baseURL.absoluteString == url)
    }

    @Test(arguments: [
        "http://graph.microsoft.com/v1.0", "http://127.0.0.1.evil.example/", "http://127.evil.example/",
        "http://localhost.evil.example/", "graph.microsoft.com", "/v1.0", "ftp://graph.microsoft.com", "https://",
        "https://user:password@graph.microsoft.com/v1.0", "https://graph.microsoft.com/v1.0?a=b",
        "https://graph.microsoft.com/v1.0#a", "not a url", "http://10.0.0.1/v1.0", "javascript:alert(1)",
    ])
    func `an address to which no token must go is refused and named`(variable: String) async {
        let client = client(variable)
        let error = await graphError(of: client.me())
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("GRAPHFLOW_GRAPH_URL") == true)
    }

    @Test func `what is given counts more than the environment`() throws {
        let client = client("https://graph.microsoft.us/v1.0", baseURL: "https://graph.example/beta")
        #expect(try client.baseURL.absoluteString == "https://graph.example/beta")
    }
}
