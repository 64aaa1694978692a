import Promises
import Testing
import MicrosoftGraph
import WorkflowHTTP

struct EnvironmentCredentialTests {
    private func error(of promise: Promise<AccessToken>) async -> CredentialError? {
        do {
            _ = try await promise.value
            return nil
        } catch {
            return error as? CredentialError
        }
    }

    @Test func `the variable's token is used as it is`() async throws {
        let credential = EnvironmentCredential(["GRAPHFLOW_ACCESS_TOKEN": "abc"])
        var headers = HTTPHeaders()
        try await credential.token(for: ["User.Read"]).value.authorize(&headers)
        #expect(headers["Authorization"] == "Bearer abc")
    }

    @Test(arguments: [[:], ["GRAPHFLOW_ACCESS_TOKEN": ""]])
    func `without a token the error says what to do`(environment: [String: String]) async {
        let error = await error(of: EnvironmentCredential(environment).token(for: ["Mail.Send"]))
        #expect(error?.code == .signInRequired)
        #expect(error?.message.contains("GRAPHFLOW_ACCESS_TOKEN") == true)
        #expect(error?.message.contains("Mail.Send") == true)
    }

    @Test func `a refused token has no successor`() async {
        let credential = EnvironmentCredential(["GRAPHFLOW_ACCESS_TOKEN": "abc"])
        let refusal = TokenRefusal(of: AccessToken("abc"), challenges: [])
        let error = await error(of: credential.token(for: [], after: refusal))
        #expect(error?.code == .signInRequired)
    }
}
