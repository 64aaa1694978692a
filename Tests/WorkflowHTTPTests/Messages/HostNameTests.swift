import Foundation
import Testing

@testable import WorkflowHTTP

struct HostNameTests {
    @Test(arguments: [
        ("localhost", true), ("LocalHost", true), ("127.0.0.1", true), ("127.255.0.9", true), ("[::1]", true),
        ("::1", true), ("", false), ("localhost.", false), ("localhost.contoso.com", false), ("127.0.0.1.", false),
        ("127.0.0", false), ("127.0.0.256", false), ("+127.0.0.1", false), ("127.0.0.+1", false), ("127..0.1", false),
        ("128.0.0.1", false), ("[::2]", false), ("::ffff:127.0.0.1", false), ("0.0.0.0", false), ("2130706433", false),
        ("0127.0.0.1", false), ("127.0.0.01", false), ("0x7f.0.0.1", false),
    ])
    func `this machine is known by its name alone`(host: String, isLoopback: Bool) {
        #expect(HostName(host).isLoopback == isLoopback)
    }

    @Test(arguments: [("169.254.169.254", true), ("127.0.0.1", true), ("169.255.0.1", false), ("10.0.0.1", false)])
    func `a link-local address is one of the machine`(host: String, isOfTheMachine: Bool) {
        #expect(HostName(host).isOfTheMachine == isOfTheMachine)
    }

    @Test(arguments: [
        ("localhost", true), ("localhost:8080", true), ("LOCALHOST:", true), ("127.0.0.1:1", true), ("[::1]", true),
        ("[::1]:443", true), ("127.0.0.2", false), ("::1", false), ("[localhost]", false), ("localhost:80a", false),
        ("contoso.com", false), ("localhost.contoso.com:80", false), ("[::1]x", false), ("", false),
    ])
    func `a field names what listens here, or it is refused`(field: String, isServed: Bool) {
        #expect(HostName.isServed(field: field) == isServed)
        #expect(HostName.isServed(field: field, port: 443) == (field == "[::1]:443"))
    }

    @Test(arguments: ["https://b%C3%BCcher.example/", "https://a%20b/"])
    func `a host with other than visible ASCII characters has no origin`(address: String) {
        #expect(URL(string: address).flatMap { Origin($0) } == nil)
    }

    @Test func `an address of IPv6 is written with brackets`() throws {
        let url = try #require(URL(string: "http://[::1]:8080/"))
        #expect(HostName(of: url).description == "[::1]")
        #expect(HostName(of: url).name == "::1")
    }
}
