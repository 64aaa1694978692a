import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

struct DefaultCredentialTests {
    @Test func `when all fail, it says for each why, in the order of Azure's libraries`() async throws {
        let fixture = IdentityFixture()
        let credential = try DefaultCredential(
            environment: ["PATH": "/nowhere"], sources: [.environment, .workloadIdentity, .signedInAccount, .azureCLI],
            cache: .inMemory(), on: try fixture.platform())
        let error = await credentialError(of: credential.grant(for: TokenNeed([])))
        #expect(error?.code == .signInRequired)
        #expect(
            error?.reasons.map { $0.prefix { $0 != ":" } } == [
                "environment", "workload identity", "Azure CLI",
            ])
        // What the signed-in account says is the message, and not said twice.
        #expect(error?.message.hasPrefix("No account is signed in.") == true)
        #expect(error?.message.contains("graphflow login") == true)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `all sources are asked in Azure's order`() {
        #expect(
            DefaultCredential.Source.allCases
                == [.environment, .workloadIdentity, .managedIdentity, .signedInAccount, .azureCLI])
    }

    @Test func `a token that is given needs nobody who issues one`() async throws {
        let environment = ["GRAPHFLOW_ACCESS_TOKEN": "given", "GRAPHFLOW_GRAPH_URL": "http://127.0.0.1:1/v1.0"]
        let credential = try DefaultCredential(environment: environment)
        #expect(try await credential.grant(for: TokenNeed([])).value.token.secret.revealed == "given")
    }

    @Test func `an application of the environment is taken before who is signed in, and its failure is final`()
        async throws
    {
        let fixture = IdentityFixture(TokenAnswers.refusal("invalid_client", 7_000_215))
        let environment = [
            "AZURE_TENANT_ID": "contoso.com", "AZURE_CLIENT_ID": IdentityFixture.application,
            "AZURE_CLIENT_SECRET": "s",
        ]
        let credential = try DefaultCredential(
            environment: environment, cache: .inMemory(), on: try fixture.platform(tenant: "contoso.com"))
        #expect(await credentialError(of: credential.grant(for: TokenNeed([])))?.code == .misconfigured)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `the environment may choose one`() async throws {
        let platform = try IdentityFixture().platform()
        let chosen = try DefaultCredential(
            environment: ["AZURE_TOKEN_CREDENTIALS": "AzureCliCredential", "PATH": "/nowhere"], cache: .inMemory(),
            on: platform)
        #expect(await credentialError(of: chosen.grant(for: TokenNeed([])))?.message.contains("az") == true)
        #expect(throws: CredentialError.self) {
            try DefaultCredential(environment: ["AZURE_TOKEN_CREDENTIALS": "x"], cache: .inMemory(), on: platform)
        }
    }

    @Test(arguments: [
        // A real cloud's token never goes to this machine, an unknown host or another cloud.
        (["GRAPHFLOW_GRAPH_URL": "http://127.0.0.1:8080/v1.0"], false),
        (["GRAPHFLOW_GRAPH_URL": "https://graph.example/v1.0"], false),
        (
            [
                "GRAPHFLOW_GRAPH_URL": "https://graph.microsoft.us/v1.0",
                "AZURE_AUTHORITY_HOST": "login.microsoftonline.com",
            ], false
        ),
        (
            ["GRAPHFLOW_GRAPH_URL": "https://graph.microsoft.com/v1.0", "AZURE_AUTHORITY_HOST": "http://127.0.0.1:1"],
            false
        ),
        (["AZURE_AUTHORITY_HOST": "http://login.example"], false), (["AZURE_AUTHORITY_HOST": "a b"], false),
        (["AZURE_TENANT_ID": "../x"], false), (["AZURE_TENANT_ID": "a/b"], false),
        (["GRAPHFLOW_GRAPH_URL": "http://[::1]:8080/v1.0", "AZURE_AUTHORITY_HOST": "http://127.0.0.1:8080"], true),
        (["GRAPHFLOW_GRAPH_URL": "https://graph.microsoft.us/v1.0"], true),
        (["AZURE_AUTHORITY_HOST": "https://login.microsoftonline.us/"], true), ([:], true),
    ])
    func `a token goes only to the service that it was issued for`(environment: [String: String], isAllowed: Bool) {
        guard !isAllowed else {
            #expect(throws: Never.self) { try IdentityPlatform(environment: environment) }
            return
        }
        #expect(throws: CredentialError.self) { try IdentityPlatform(environment: environment) }
    }

    @Test func `each cloud has its own Graph`() throws {
        let china = try IdentityPlatform(environment: ["AZURE_AUTHORITY_HOST": "login.partner.microsoftonline.cn"])
        #expect(china.resource == "https://microsoftgraph.chinacloudapi.cn")
        let government = try IdentityPlatform(environment: [
            "GRAPHFLOW_GRAPH_URL": "https://dod-graph.microsoft.us/v1.0"
        ])
        #expect(government.resource == "https://dod-graph.microsoft.us")
        #expect(government.authority.environment == "login.microsoftonline.us")
        #expect(Cloud(named: "AzureChinaCloud") == .china)
    }
}
