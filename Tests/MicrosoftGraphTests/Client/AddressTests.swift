import Foundation
import TestSupport
import Testing
import MicrosoftGraph

/// The addresses to which the client sends a token.
struct AddressTests {
    @Test(arguments: [
        "/me/../../x", "https://evil.example/v1.0/me", "me/%2e%2e/x", "me\r\nX: 1",
        "https://graph.microsoft.com@evil.example/v1.0/me",
        "https://graph.microsoft.com.evil.example/v1.0/me", "https://graph.microsoft.com/beta/me",
        "https://megan:secret@graph.microsoft.com/v1.0/me", "https://:secret@graph.microsoft.com/v1.0/me",
    ])
    func `a path that leads elsewhere is refused`(path: String) {
        let client = GraphClient(credential: .fixed(AccessToken("t")), transport: ScriptedTransport(), environment: [:])
        #expect(throws: GraphError.self) { try client.address(of: path) }
    }

    @Test(arguments: [
        (
            "/me/messages?$top=5&$filter=startswith(subject,'a b')",
            "me/messages?$top=5&$filter=startswith(subject,'a%20b')"
        ),
        ("me", "me"), ("/v1.0/me", "me"),
        ("https://graph.microsoft.com/v1.0/users?$skiptoken=x%3D", "users?$skiptoken=x%3D"),
        ("users/adele#EXT#@contoso.com", "users/adele%23EXT%23@contoso.com"), ("//evil.example/x", "evil.example/x"),
    ])
    func `a path stands behind the service's address`(path: String, expected: String) throws {
        let client = GraphClient(credential: .fixed(AccessToken("t")), transport: ScriptedTransport(), environment: [:])
        #expect(try client.address(of: path).absoluteString == "https://graph.microsoft.com/v1.0/\(expected)")
    }
}
