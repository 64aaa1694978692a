import Foundation
import Promises
import TestSupport
import Testing
import Workflows

@Suite struct SandboxCommandTests {
    @Test func `its options say what the organisation is like`() async throws {
        let sandbox = try GraphflowProcess([
            "sandbox", "--users", "30", "--limit", "mailbox=1/3600", "--no-anonymous-links", "--uneven-pages",
            "--sent-items-delay=5", "--latency", "1", "--fault", "GET /me/drive 503 html after=1",
        ])
        let address = try await sandbox.firstLine()
        func get(_ path: String) async throws -> (status: Int, body: Value) {
            let client = SandboxClient(
                transport: NetworkTransport(clock: .patient), base: try #require(URL(string: address)))
            let response = try await client.send("GET", path)
            return (response.status, (try? response.json) ?? .null)
        }
        #expect(try await get("/users").body["value"]?.array?.count == 30)
        #expect(try await get("/me/photo").status == 200)
        #expect(try await get("/me/photo").status == 429)
        #expect(try await get("/me/drive").status == 200)
        #expect(try await get("/me/drive").status == 503)
        sandbox.send(SIGTERM)
        #expect(try await sandbox.result().status == 0)
    }

    @Test(arguments: [
        ["--limit", "mailbox"], ["--limit", "mail=1/60"], ["--limit", "files=0/60"], ["--limit", "files=1"],
        ["--users", "0"], ["--users", "many"], ["--latency", "-1"], ["--sent-items-delay", "1.5"],
    ])
    func `an option that it does not understand is a wrong command line`(options: [String]) async throws {
        let result = try await GraphflowProcess(["sandbox"] + options).result()
        #expect(result.status == 64)
        #expect(result.error.contains(options[0] == "--limit" ? "limit" : "'\(options[1])'"))
    }
}
