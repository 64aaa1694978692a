import Foundation
import Testing
import WorkflowHTTP

@Suite struct RedactionTests {
    private func request(_ text: String) throws -> HTTPRequest {
        HTTPRequest("GET", try #require(URL(string: text)))
    }

    @Test func `a bearer token is not shown`() throws {
        var request = try request("https://graph.microsoft.com/v1.0/me")
        request.headers = ["Accept": "*/*", "authorization": "bearer eyJ0eXAi.secret", "Cookie": "a=secret"]
        #expect(
            request.redacted.headers.fields.map(\.value) == ["*/*", "Bearer ‹token›", "‹redacted›"])
        #expect(request.redacted.headers.fields.map(\.name) == ["Accept", "authorization", "Cookie"])
    }

    @Test func `another authorization is not shown at all`() throws {
        var request = try request("https://example.com/")
        request.headers["Authorization"] = "Basic c2VjcmV0"
        #expect(request.redacted.headers["Authorization"] == "‹redacted›")
    }

    @Test func `secrets in the address are not shown`() throws {
        let request = try request(
            "https://me:secret@example.com/up?tempauth=secret&name=a%20b&ACCESS_TOKEN=secret&flag")
        let text = request.redacted.url.absoluteString
        #expect(!text.contains("secret"))
        #expect(text.contains("name=a%20b") && text.hasSuffix("&flag"))
    }

    @Test func `secrets in a form are not shown`() throws {
        var request = try request("https://login.microsoftonline.com/contoso.com/oauth2/v2.0/token")
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        request.body = Data("grant_type=refresh_token&refresh_token=s3cret&client_secret=s3cret&scope=User.Read".utf8)
        let body = String(decoding: request.redacted.body ?? Data(), as: UTF8.self)
        #expect(!body.contains("s3cret"))
        #expect(body.hasPrefix("grant_type=refresh_token&") && body.hasSuffix("&scope=User.Read"))
    }

    @Test func `what is no secret stays byte for byte`() throws {
        var request = try request("https://graph.microsoft.com/v1.0/me/drive/root:/a%20b.jpg:/content?%24select=id")
        request.headers = ["Content-Type": "image/jpeg"]
        request.body = Data("token=x".utf8)
        #expect(request.redacted == request)
    }

    @Test func `JSON is shown indented and in full`() throws {
        var request = try request("https://example.com/")
        request.headers["Content-Type"] = "application/json"
        request.body = Data(#"{"type":"view","n":[1]}"#.utf8)
        #expect(
            request.bodyDescription == """
                {
                  "type": "view",
                  "n": [
                    1
                  ]
                }
                """)
    }

    @Test func `bytes are shown by type, size and hash`() throws {
        var request = try request("https://example.com/")
        request.headers["Content-Type"] = "image/jpeg"
        request.body = Data([0xff, 0xd8, 0xff, 0x00])
        #expect(
            request.bodyDescription
                == "image/jpeg, 4 bytes, sha256:\(SHA256.hex(of: Data([0xff, 0xd8, 0xff, 0x00])))")
    }

    @Test func `text is shown in full, also where it calls itself JSON and is none`() throws {
        var request = try request("https://example.com/")
        request.headers["Content-Type"] = "application/json"
        request.body = Data("{ not JSON".utf8)
        #expect(request.bodyDescription == "{ not JSON")
    }

    @Test func `no body has no description`() throws {
        #expect(try request("https://example.com/").bodyDescription == nil)
    }
}
