import Testing

@testable import MicrosoftGraph

struct GraphServiceTests {
    /// The resource units of Microsoft's documentation: "Microsoft Graph service-specific throttling limits".
    @Test(arguments: [
        (GraphService.files, "GET", "item", 1), (.files, "PUT", "upload", 2), (.files, "POST", "createFolder", 2),
        (.files, "POST", "createLink", 5), (.directory, "GET", "users", 2), (.mailbox("me"), "GET", "messages", 1),
        (.mailbox("me"), "POST", "sendMail", 1),
    ])
    func `a request costs what its service counts for it`(
        service: GraphService, method: String, operation: String, cost: Int
    ) {
        #expect(service.cost(of: method, operation) == cost)
    }
}
