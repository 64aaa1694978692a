import TestSupport
import Foundation
import Testing
@testable import GraphSandbox

@Suite struct PlatformDiscoveryTests {
    @Test(arguments: ["common", "organizations", "contoso.com", Sandbox.tenantID, "consumers"])
    func `describes itself under the name by which it is asked`(tenant: String) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await platform.get("/\(tenant)/v2.0/.well-known/openid-configuration")
            #expect(answer.status == 200)
            let base = "\(platform.origin)/\(tenant)/oauth2/v2.0"
            let description = try answer.json
            #expect(description["token_endpoint"]?.string == "\(base)/token")
            #expect(description["authorization_endpoint"]?.string == "\(base)/authorize")
            #expect(description["device_authorization_endpoint"]?.string == "\(base)/devicecode")
            #expect(description["issuer"]?.string?.hasPrefix(platform.origin) == true)
            let keys = try await platform.get(try #require(description["jwks_uri"]?.string))
            #expect(try keys.json["keys"]?.array == [SandboxSigningKey.publicKey])
        }
    }

    @Test func `a tenant that is not there is AADSTS90002`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await platform.get("/fabrikam.com/v2.0/.well-known/openid-configuration")
            #expect(answer.status == 400)
            #expect(answer.platformError == "invalid_request 90002")
        }
    }

    @Test func `knows its own host, and no other`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let own = "\(platform.origin)/common/oauth2/v2.0/authorize"
            let answer = try await platform.get(
                "/common/discovery/instance", ["authorization_endpoint": own, "api-version": "1.1"])
            let discovery = try answer.json["tenant_discovery_endpoint"]?.string
            #expect(discovery == "\(platform.origin)/common/v2.0/.well-known/openid-configuration")
            for other in ["https://login.example.com/common/oauth2/v2.0/authorize", "x", "\(platform.origin)/nobody/"] {
                let answer = try await platform.get("/common/discovery/instance", ["authorization_endpoint": other])
                #expect(answer.platformError == "invalid_instance 50049")
            }
        }
    }

    @Test func `addresses are those of a program that ends TLS before it`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await platform.get(
                "/common/v2.0/.well-known/openid-configuration", [:], ["X-Forwarded-Proto": "https"])
            #expect(try answer.json["token_endpoint"]?.string?.hasPrefix("https://") == true)
        }
    }

    @Test func `answers are kept by nobody and name who traces them`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await platform.post(
                "/common/oauth2/v2.0/token", ["grant_type": "x"], ["client-request-id": "my-id"])
            #expect(answer.headers["Cache-Control"] == "no-store")
            #expect(answer.headers["client-request-id"] == "my-id")
            let json = try answer.json
            #expect(json["correlation_id"]?.string == "my-id")
            #expect(json["trace_id"]?.string == answer.headers["x-ms-request-id"])
            #expect(json["timestamp"]?.string == "2026-09-21 14:13:20Z")
            let description = try #require(json["error_description"]?.string)
            #expect(description.hasPrefix("AADSTS900144: "))
            #expect(description.contains("\r\nCorrelation ID: my-id\r\nTimestamp: 2026-09-21 14:13:20Z"))
        }
    }

    @Test func `an address takes the methods that it has`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await platform.get("/common/oauth2/v2.0/token")
            #expect(answer.status == 405)
            #expect(answer.headers["Allow"] == "POST")
            #expect(answer.platformError == "invalid_request 900561")
            #expect(try await platform.post("/common/discovery/v2.0/keys", [:]).status == 405)
        }
    }
}
