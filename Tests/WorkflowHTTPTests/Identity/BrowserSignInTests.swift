import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

/// The browser flow; the test plays the browser and opens the listener's real address.
struct BrowserSignInTests {
    private let clock = ManualClock()
    private let told = Told<SignInPrompt>()

    /// The returning browser's request, besides the code.
    private func visit(_ port: Int, _ target: String, host: String = "127.0.0.1") async throws -> HTTPResponse {
        let url = try #require(URL(string: "http://\(host):\(port)\(target)"))
        return try await NetworkTransport(clock: .patient).send(
            HTTPRequest("GET", url),
            for: HTTPOperation(name: "visit", effect: .once, example: HTTPResponse(status: 200))
        ).value
    }

    private func begin(
        _ transport: ScriptedTransport, cache: TokenCache = .inMemory(), port: UInt16 = 0
    ) -> (grant: Promise<TokenGrant>, parameters: [String: String], port: Int) {
        let opened = Told<URL>()
        let platform = IdentityPlatform(transport: transport, clock: clock, now: { IdentityFixture.start })
        let credential = BrowserCredential(
            clientID: IdentityFixture.application, port: port, cache: cache, on: platform,
            browser: Browser {
                opened.tell($0); return true
            }, prompt: { [told] in told.tell($0) })
        let grant = credential.signIn(for: ["User.Read"])
        let parameters = Form.parse(opened.all.first?.query(percentEncoded: true) ?? "")
        let back = parameters["redirect_uri"].flatMap { URL(string: $0) }
        return (grant, parameters, back?.port ?? 0)
    }

    @Test func `a browser is there if its program is, whatever its arguments`() {
        let path = "/usr/bin:/bin"
        for command in ["sh", "sh -c %s", "no-such-browser:sh %s", "/bin/sh"] {
            #expect(Browser.system(environment: ["BROWSER": command, "PATH": path]).isAvailable)
        }
        #if !os(macOS)
            for command in ["", ":", "no-such-browser", "no-such-browser sh"] {
                #expect(!Browser.system(environment: ["BROWSER": command, "PATH": path]).isAvailable)
            }
        #endif
    }

    @Test func `asks with PKCE, state and nonce, takes the right answer, and redeems it with the verifier`()
        async throws
    {
        let nonce = NonceTransport()
        let platform = IdentityPlatform(transport: nonce, clock: clock, now: { IdentityFixture.start })
        let opened = Told<URL>()
        let credential = BrowserCredential(
            clientID: IdentityFixture.application, cache: .inMemory(), on: platform,
            browser: Browser {
                opened.tell($0); return true
            }, prompt: { [told] in told.tell($0) })
        let grant = credential.signIn(for: ["User.Read"])
        let url = try #require(opened.all.first)
        let asked = Form.parse(url.query(percentEncoded: true) ?? "")
        #expect(url.absoluteString.hasPrefix("https://login.microsoftonline.com/common/oauth2/v2.0/authorize?"))
        #expect(asked["response_type"] == "code")
        #expect(asked["code_challenge_method"] == "S256")
        #expect(asked["scope"] == "https://graph.microsoft.com/User.Read openid profile offline_access")
        let port = try #require(asked["redirect_uri"].flatMap { URL(string: $0) }?.port)
        nonce.set(try #require(asked["nonce"]))

        let state = try #require(asked["state"])
        #expect(state.count >= 32)
        #expect(try await visit(port, "/?code=stolen&state=wrong").status == 400)
        #expect(try await visit(port, "/favicon.ico").status == 404)
        #expect(try await visit(port, "/").status == 200)
        let page = try await visit(port, "/?code=the-code&state=\(state)", host: "[::1]")
        #expect(page.status == 200)
        #expect(!String(decoding: page.body, as: UTF8.self).contains("the-code"))
        #expect(try await grant.value.token.secret.revealed == "access-1")

        let form = nonce.form
        #expect(form["code"] == "the-code")
        #expect(form["redirect_uri"] == asked["redirect_uri"])
        let verifier = try #require(form["code_verifier"])
        #expect((43...128).contains(verifier.count))
        #expect(Base64URL.encode(SHA256.hash(of: Data(verifier.utf8))) == asked["code_challenge"])
        #expect(told.all.first?.text.contains(url.absoluteString) == true)
        #expect(!url.absoluteString.contains(verifier))
    }

    @Test func `an answer with another nonce is not taken, and nothing is kept`() async throws {
        let cache = TokenCache.inMemory()
        let (grant, asked, port) = begin(ScriptedTransport(TokenAnswers.tokens(nonce: "another")), cache: cache)
        _ = try await visit(port, "/?code=c&state=\(asked["state"] ?? "")")
        let error = await credentialError(of: grant)
        #expect(error?.message.contains("nonce") == true)
        #expect(try cache.accounts.isEmpty)
    }

    @Test func `a second tab is told that the sign-in is over`() async throws {
        let listener = try RedirectListener(port: 0, state: "s")
        defer { listener.place.stop() }
        let port = Int(listener.port)
        _ = listener.place.conclude(.done)
        _ = try await visit(port, "/?code=1&state=s")
        let second = try await visit(port, "/?code=2&state=s")
        #expect(String(decoding: second.body, as: UTF8.self).contains("This sign-in has ended"))
        #expect(try await listener.place.answer.value["code"] == "1")
    }

    @Test func `a code that was used before is said, and is not sent again`() async throws {
        let transport = ScriptedTransport(
            TokenAnswers.refusal("invalid_grant", 54005, "The code was already redeemed."))
        let (grant, asked, port) = begin(transport)
        _ = try await visit(port, "/?code=c&state=\(asked["state"] ?? "")")
        let error = await credentialError(of: grant)
        #expect(error?.code == .signInRequired)
        #expect(error?.message.contains("valid only once") == true)
        #expect(transport.requests.count == 1)
    }

    @Test func `a lost answer is no reason to send the code again`() async throws {
        let transport = ScriptedTransport(.lost())
        let (grant, asked, port) = begin(transport)
        _ = try await visit(port, "/?code=c&state=\(asked["state"] ?? "")")
        #expect(await credentialError(of: grant)?.code == .serviceUnavailable)
        #expect(transport.requests.count == 1)
    }

    @Test func `what the person declined is said, and shown without obeying it`() async throws {
        let (grant, asked, port) = begin(ScriptedTransport())
        let page = try await visit(
            port,
            "/?error=access_denied&error_description=AADSTS65004%3A+User+%3Cb%3Edeclined&state=\(asked["state"] ?? "")")
        #expect(String(decoding: page.body, as: UTF8.self).contains("User &lt;b&gt;declined"))
        #expect(page.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        let error = await credentialError(of: grant)
        #expect(error?.code == .declined)
        #expect(error?.serviceMessage == "AADSTS65004: User <b>declined")
    }

    @Test func `a port that is taken is said`() async throws {
        let taken = try RedirectListener(port: 0, state: "s")
        defer { taken.place.stop() }
        let (grant, _, _) = begin(ScriptedTransport(), port: taken.port)
        let error = await credentialError(of: grant)
        #expect(error?.message.contains("Port \(taken.port) is used") == true)
    }

    @Test func `nobody who comes back ends the waiting after ten minutes`() async throws {
        let (grant, _, port) = begin(ScriptedTransport())
        clock.advance(by: .seconds(600))
        #expect(await credentialError(of: grant)?.code == .expired)
        await #expect(throws: HTTPFailure.self) {
            while true { _ = try await visit(port, "/") }
        }
    }

    @Test func `stopping twice ends no connection that has a number of the listener's`() async throws {
        let listener = try RedirectListener(port: 0, state: "s")
        try StoppedListener.check { listener.place.stop() }
    }

    @Test func `a page of the web cannot ask under a name of its own`() async throws {
        let listener = try RedirectListener(port: 0, state: "s")
        defer { listener.place.stop() }
        let url = try #require(URL(string: "http://127.0.0.1:\(listener.port)/?code=1&state=s"))
        var request = HTTPRequest("POST", url)
        let operation = HTTPOperation(name: "visit", effect: .once, example: HTTPResponse(status: 200))
        #expect(try await NetworkTransport(clock: .patient).send(request, for: operation).value.status == 405)
        request.method = "GET"
        request.url = try #require(URL(string: "http://127.0.0.2:\(listener.port)/?code=1&state=s"))
        await #expect(throws: HTTPFailure.self) {
            try await NetworkTransport(clock: .patient).send(request, for: operation).value
        }
        #expect(listener.place.answer.result == nil)
    }
}

/// A token endpoint that answers with a given nonce.
private final class NonceTransport: HTTPTransport {
    private let state = Locked<(nonce: String, form: [String: String])>(("", [:]))

    var form: [String: String] { state.withLock { $0.form } }
    func set(_ nonce: String) { state.withLock { $0.nonce = nonce } }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let nonce = state.withLock { state in
            state.form = Form.parse(String(decoding: request.body ?? Data(), as: UTF8.self))
            return state.nonce
        }
        guard case .answer(let response) = TokenAnswers.tokens(nonce: nonce) else {
            return Promise(error: HTTPFailure(phase: .sent, reason: .badResponse, detail: ""))
        }
        return .value(response)
    }
}
