import TestSupport
import Testing
import Workflows

/// What is found in the authentication of a call when the file is read.
@Suite struct AuthenticationTests {
    @Test(arguments: [
        ("grant: client_credentials, client: my-app", ["type"]),
        ("grant: client_credentials, client: { id: 7, authentication: client_secret_basic }", ["type"]),
        ("grant: client_credentials, client: { id: a, authentication: client_secret_basic }", ["missing-property"]),
        ("grant: client_credentials, client: { id: a, secret: b }", []),
        ("grant: password, client: { id: a, secret: b }, scopes: [a, 1]", ["type"]),
    ])
    func `a client or a scope of the wrong type is one finding, and what is missing is looked for after that`(
        properties: String, ids: [String]
    ) {
        var found: [String] = []
        do {
            _ = try Workflow(
                tasks: """
                    - ask:
                        call: http
                        with:
                          method: get
                          endpoint:
                            uri: https://api.contoso.com
                            authentication: { oauth2: { authority: 'https://login.contoso.com', \(properties) } }
                    """)
        } catch let error as InvalidWorkflow {
            found = error.diagnostics.map(\.id)
        } catch {
            Issue.record(error)
        }
        #expect(found == ids)
    }
}
