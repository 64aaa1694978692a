import Foundation
import Promises
import TestSupport

@testable import WorkflowHTTP

/// The identity platform over a script, with a clock that does not wait.
struct IdentityFixture {
    static let application = "7d1c0b52-3f5e-4a4b-9a39-6c2f0e8d5b11"
    static let start = Date(timeIntervalSince1970: 1_790_000_000)

    let transport: ScriptedTransport
    let clock = SkippingClock()

    init(_ replies: ScriptedTransport.Reply...) { transport = ScriptedTransport(replies) }

    func platform(tenant: String = "common") throws -> IdentityPlatform {
        IdentityPlatform(
            authority: try Authority(host: "login.microsoftonline.com", tenant: tenant), transport: transport,
            clock: clock, now: { [clock] in Self.start.addingTimeInterval(Double(clock.now.components.seconds)) },
            randomBytes: { count in (0..<count).map { UInt8(truncatingIfNeeded: $0) } })
    }

    /// The fields of each sent form.
    var forms: [[String: String]] {
        transport.requests.map { Form.parse(String(decoding: $0.body ?? Data(), as: UTF8.self)) }
    }
}

/// Answers of the token endpoint.
enum TokenAnswers {
    /// Tokens of a person.
    static func tokens(
        access: String = "access-1", refresh: String? = "refresh-1", scope: String = "User.Read",
        expiresIn: Int = 3_600,
        nonce: String? = nil, tenant: String = "tenant-1", user: String = "user-1",
        username: String = "megan@contoso.com",
        headers: HTTPHeaders = [:], more: Object = [:]
    ) -> ScriptedTransport.Reply {
        var claims: Object = [
            "aud": .string(IdentityFixture.application), "oid": .string(user), "tid": .string(tenant),
            "preferred_username": .string(username), "name": "Megan Bowen",
        ]
        claims["nonce"] = nonce.map { .string($0) }
        let idToken = [Value.object(["alg": "none"]), .object(claims)].map { Base64URL.encode($0.jsonData()) + "." }
            .joined()
        let info: Value = ["uid": .string(user), "utid": .string(tenant)]
        var answer: Object = [
            "token_type": "Bearer", "access_token": .string(access), "expires_in": .integer(expiresIn),
            "scope": .string(scope), "id_token": .string(idToken),
            "client_info": .string(Base64URL.encode(info.jsonData())),
        ]
        answer["refresh_token"] = refresh.map { .string($0) }
        for (name, value) in more { answer[name] = value }
        return .answer(
            HTTPResponse(status: 200, headers: headers, body: Value.object(answer).jsonData()))
    }

    /// An error of the protocol.
    static func refusal(
        _ error: String, _ code: Int, _ text: String = "Something is wrong.", status: Int = 400,
        headers: HTTPHeaders = [:], more: Object = [:]
    ) -> ScriptedTransport.Reply {
        var body: Object = [
            "error": .string(error), "error_description": .string("AADSTS\(code): \(text)\r\nTrace ID: t"),
            "error_codes": [.integer(code)], "correlation_id": "correlation-1",
        ]
        for (name, value) in more { body[name] = value }
        return .answer(HTTPResponse(status: status, headers: headers, body: Value.object(body).jsonData()))
    }

    static let deviceCode = ScriptedTransport.Reply.json(
        #"{"device_code":"device-secret","user_code":"ABCDEFGH","verification_uri":"https://microsoft.com/devicelogin","#
            + #""expires_in":900,"interval":5}"#)
}

/// The credential error that a promise is rejected with; nil for any other result.
func credentialError<Value: Sendable>(of promise: Promise<Value>) async -> CredentialError? {
    do {
        _ = try await promise.value
        return nil
    } catch {
        return error as? CredentialError
    }
}

/// The values passed to a test, in order.
final class Told<Element: Sendable>: Sendable {
    private let kept = Locked<[Element]>([])
    var all: [Element] { kept.withLock { $0 } }
    func tell(_ element: Element) { kept.withLock { $0.append(element) } }
}

/// A folder that exists while the test runs.
final class SignInFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("signin-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    func remove() { try? FileManager.default.removeItem(at: url) }

    deinit { remove() }

    var cacheFile: URL { url.appendingPathComponent("identity/token-cache.json") }
}
