import Foundation
import Promises
import TestSupport
import Testing

@testable import GraphSandbox

/// A sandbox's identity platform, with a clock that moves only when a test moves it.
struct PlatformFixture: Sendable {
    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    static let redirectURI = "http://localhost:8400"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// The challenge of the verifier, both from RFC 7636, appendix B.
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    let sandbox: Sandbox
    let transport: any HTTPTransport
    let origin: String
    private let elapsed: Locked<TimeInterval>

    static let start = Date(timeIntervalSince1970: 1_790_000_000)

    /// Calls the body with a sandbox in process and with one over its socket.
    static func everyWay(
        _ rules: Sandbox.SignInRules = Sandbox.SignInRules(), faults: [String] = [],
        _ body: (PlatformFixture) async throws -> Void
    ) async throws {
        for isServed in [false, true] {
            let elapsed = Locked<TimeInterval>(0)
            let sandbox = Sandbox(
                faults: try faults.map(Sandbox.Fault.init(parsing:)), signIn: rules,
                now: { start.addingTimeInterval(elapsed.withLock { $0 }) }, random: CountingRandom())
            guard isServed else {
                try await body(
                    PlatformFixture(
                        sandbox: sandbox, transport: sandbox.transport, origin: "https://login.microsoftonline.com",
                        elapsed: elapsed))
                continue
            }
            let server = SandboxServer(sandbox)
            let port = try server.start()
            defer { server.stop() }
            try await body(
                PlatformFixture(
                    sandbox: sandbox, transport: NetworkTransport(clock: .patient),
                    origin: "http://localhost:\(port)",
                    elapsed: elapsed))
        }
    }

    func advance(by seconds: TimeInterval) { elapsed.withLock { $0 += seconds } }

    func send(
        _ method: String, _ path: String, _ headers: HTTPHeaders = [:], body: Data? = nil
    ) async throws -> HTTPResponse {
        let url = try #require(URL(string: path.contains("://") ? path : origin + path))
        let operation = HTTPOperation(name: "test", effect: .once, example: HTTPResponse(status: 200))
        let request = HTTPRequest(method, url, headers: headers, body: body)
        return try await transport.send(request, for: operation).value
    }

    func get(_ path: String, _ query: [String: String] = [:], _ headers: HTTPHeaders = [:]) async throws -> HTTPResponse
    {
        try await send("GET", query.isEmpty ? path : path + "?" + Self.form(query), headers)
    }

    func post(_ path: String, _ form: [String: String], _ headers: HTTPHeaders = [:]) async throws -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return try await send("POST", path, headers, body: Data(Self.form(form).utf8))
    }

    func control(_ method: String, _ path: String, _ json: Value? = nil) async throws -> HTTPResponse {
        try await send(method, path, ["Content-Type": "application/json"], body: json?.jsonData())
    }

    /// An answer of the token address.
    func token(
        _ grant: String, _ form: [String: String] = [:], tenant: String = "common", _ headers: HTTPHeaders = [:]
    ) async throws -> HTTPResponse {
        var form = form
        form["grant_type"] = grant
        form["client_id"] = form["client_id"] ?? Sandbox.applicationID
        return try await post("/\(tenant)/oauth2/v2.0/token", form, headers)
    }

    /// The tokens of a user who signed in by device code.
    func signedIn(
        as account: String = "megan@contoso.com", scope: String = "User.Read openid profile offline_access",
        _ more: [String: String] = [:]
    ) async throws -> Value {
        var form = ["client_id": Sandbox.applicationID, "scope": scope]
        form.merge(more) { $1 }
        let device = try await post("/common/oauth2/v2.0/devicecode", form).json
        try sandbox.approve(userCode: try #require(device["user_code"]?.string), as: account)
        let answer = try await token(
            Self.deviceGrant, ["device_code": try #require(device["device_code"]?.string), "client_info": "1"])
        #expect(answer.status == 200)
        return try answer.json
    }

    func refresh(_ tokens: Value, _ form: [String: String] = [:]) async throws -> HTTPResponse {
        var form = form
        form["refresh_token"] = try #require(tokens["refresh_token"]?.string)
        return try await token("refresh_token", form)
    }

    /// Graph's answer to a request with a token.
    func graph(_ path: String, _ tokens: Value) async throws -> HTTPResponse { try await graph("GET", path, tokens) }

    func graph(_ method: String, _ path: String, _ tokens: Value) async throws -> HTTPResponse {
        let token = try #require(tokens["access_token"]?.string)
        return try await send(method, "/v1.0" + path, ["Authorization": "Bearer \(token)"])
    }

    /// A client's request in a browser.
    func authorize(
        _ changes: [String: String?] = [:], tenant: String = "common", _ headers: HTTPHeaders = [:]
    ) async throws -> HTTPResponse {
        var query: [String: String] = [
            "client_id": Sandbox.applicationID, "redirect_uri": Self.redirectURI, "response_type": "code",
            "scope": "User.Read openid profile offline_access", "state": "st&te=<1>", "nonce": "n0nce",
            "code_challenge": Self.challenge, "code_challenge_method": "S256",
        ]
        for (name, value) in changes { query[name] = value }
        return try await get("/\(tenant)/oauth2/v2.0/authorize", query, headers)
    }

    /// A person's decision at a page.
    func decide(
        _ page: HTTPResponse, _ decision: String = "accept", as account: String = "megan@contoso.com"
    ) async throws -> HTTPResponse {
        let text = String(decoding: page.body, as: UTF8.self)
        let secret = try #require(text.firstMatch(of: /name="page" value="([^"]+)"/)?.output.1)
        return try await post(
            "/common/login", ["page": String(secret), "decision": decision, "account": account])
    }

    static func form(_ fields: [String: String]) -> String {
        let safe = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: Unicode.Scalar(0)..."\u{7f}"))
            .union(CharacterSet(charactersIn: "-._~"))
        return fields.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: safe) ?? "")"
        }.joined(separator: "&")
    }
}

extension HTTPResponse {
    /// The fields of a redirect's query or fragment.
    var redirected: [String: String] {
        let location = headers["Location"] ?? ""
        guard let mark = location.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return [:] }
        var fields: [String: String] = [:]
        for pair in location[location.index(after: mark)...].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            fields[String(parts[0])] = parts.count > 1 ? parts[1].removingPercentEncoding : ""
        }
        return fields
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// `invalid_grant 70000`: the error of the identity platform, and its number.
    var platformError: String? {
        guard let json = try? json, let error = json["error"]?.string else { return nil }
        return "\(error) \(json["error_codes"]?[0]?.integer.map(String.init) ?? "-")"
    }
}
