import Foundation
import Promises
import Testing
import WorkflowHTTP

@Suite struct PlanningTransportTests {
    @Test func `records the requests in order and answers with their examples`() async throws {
        let transport = PlanningTransport()
        let url = try #require(URL(string: "https://graph.microsoft.com/v1.0/me"))
        for name in ["first", "second"] {
            let example = HTTPResponse(status: 201, body: Data(name.utf8))
            let answer = try await transport.send(
                HTTPRequest("PUT", url, body: Data("x".utf8)),
                for: HTTPOperation(name: name, effect: .idempotent, example: example)
            ).value
            #expect(answer == example)
        }
        #expect(transport.requests.map(\.operation.name) == ["first", "second"])
        #expect(transport.requests.map(\.request.body) == [Data("x".utf8), Data("x".utf8)])
    }
}
