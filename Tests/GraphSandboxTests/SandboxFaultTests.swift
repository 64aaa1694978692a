import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox

@Suite struct SandboxFaultTests {
    @Test(arguments: [
        ("GET /me 500", "GET /me 500"),
        ("get /v1.0/me/photo/$value 503 x2 retry-after=7", "GET /me/photo/$value 503 x2 retry-after=7"),
        ("  POST   /me/sendMail\t504  processed ", "POST /me/sendMail 504 processed"),
        ("* * drop X3", "* * drop x3"),
        ("PUT /me/drive/* truncate retry-after=0", "PUT /me/drive/* truncate retry-after=0"),
        ("PUT /uploadSession/* RESET after=2", "PUT /uploadSession/* reset after=2"),
        ("GET /me 503 html delay=5", "GET /me 503 delay=5 html"), ("GET /me malformed", "GET /me malformed"),
        ("GET /me silence processed", "GET /me silence processed"),
    ])
    func `reads what the command line gives`(text: String, description: String) throws {
        #expect(try Sandbox.Fault(parsing: text).description == description)
    }

    @Test(arguments: [
        ("", "it is empty"), ("GET", "the path is missing"), ("GET /me", "the status is missing"),
        ("FETCH /me 500", "'FETCH' is not a method"), ("GET me 500", "does not begin with '/'"),
        ("GET /me 99", "'99' is not a status"), ("GET /me 600", "'600' is not a status"),
        ("GET /me often", "'often' is not a status"), ("GET /me 500 x0", "'x0' needs a number"),
        ("GET /me 500 twice", "'twice' is not understood"), ("GET /me 500 retry-after=soon", "needs whole seconds"),
        ("GET /me 500 retry-after=-1", "needs whole seconds"), ("GET /me 500 delay=601", "needs whole seconds"),
        ("GET /me 500 after=", "needs a number"), ("GET /me 500 x99999999999999999999", "not understood"),
    ])
    func `says what is wrong with what it cannot read`(text: String, message: String) {
        let error = #expect(throws: Sandbox.Fault.SyntaxError.self) { try Sandbox.Fault(parsing: text) }
        #expect(error?.description.contains(message) == true)
        #expect(error?.description.contains(Sandbox.Fault.syntax) == true)
    }

    @Test(arguments: SandboxWay.allCases)
    func `answers the next requests that match, and then no more`(way: SandboxWay) async throws {
        let faults = [
            try Sandbox.Fault(parsing: "GET /me/photo/* 500 x2 retry-after=3"),
            try Sandbox.Fault(parsing: "* /v1.0/me 401"),
        ]
        try await way.withSandbox(faults: faults) { (_, client) async throws in
            #expect(try await client.send("GET", "/me/photo").status == 200)
            for _ in 0..<2 {
                let answer = try await client.send("GET", "/me/photo/$value")
                #expect(answer.status == 500)
                #expect(answer.headers["Retry-After"] == "3")
                #expect(answer.errorCode == "ErrorInternalServerError")
            }
            #expect(try await client.send("GET", "/me/photo/$value").status == 200)
            let refused = try await client.send("GET", "/me")
            #expect(refused.status == 401)
            #expect(refused.headers["WWW-Authenticate"]?.hasPrefix("Bearer ") == true)
            #expect(try await client.send("GET", "/me").status == 200)
        }
    }

    @Test(
        arguments: [
            ("GET", "/me", 403, "Authorization_RequestDenied"), ("GET", "/me/photo/$value", 403, "ErrorAccessDenied"),
            ("GET", "/me/photo/$value", 404, "ImageNotFound"),
            ("PUT", "/me/drive/root:/x:/content", 507, "quotaLimitReached"),
            ("PUT", "/me/drive/root:/x:/content", 423, "resourceLocked"),
            ("POST", "/me/sendMail", 429, "ApplicationThrottled"), ("POST", "/me/sendMail", 503, "ErrorServerBusy"),
        ] as [(String, String, Int, String)])
    func `gives the code that the service behind the path gives`(
        method: String, path: String, status: Int, code: String
    ) async throws {
        let fault = Sandbox.Fault(method: method, path: path, answer: .status(status))
        try await SandboxWay.inProcess.withSandbox(faults: [fault]) { (sandbox, client) async throws in
            let answer = try await client.send(method, path, body: method == "GET" ? nil : Data())
            #expect(answer.status == status)
            #expect(answer.errorCode == code)
            #expect(sandbox.drive.isEmpty)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a dropped or truncated answer is a lost connection, with or without the effect`(way: SandboxWay) async throws
    {
        let faults = try ["PUT /me/drive/* drop", "PUT /me/drive/* drop processed", "PUT /me/drive/* truncate"]
            .map(Sandbox.Fault.init(parsing:))
        try await way.withSandbox(faults: faults) { (sandbox, client) async throws in
            for version in [nil, 1, 2] {
                let failure = await #expect(throws: HTTPFailure.self) {
                    try await client.put("/me/drive/root:/x.txt:/content", "x")
                }
                #expect(failure?.reason == .connectionLost)
                #expect(failure?.phase == .sent)
                #expect(sandbox.drive.first?.version == version)
            }
            #expect(sandbox.requests.map(\.outcome) == [.dropped, .dropped, .truncated])
            #expect(sandbox.requests.map(\.status) == [nil, nil, 200])
        }
    }

    @Test(arguments: SandboxWay.allCases, ["drop processed", "truncate"])
    func `a mail whose answer is lost is in the outbox all the same`(way: SandboxWay, fault: String) async throws {
        let fault = try Sandbox.Fault(parsing: "POST /me/sendMail \(fault)")
        try await way.withSandbox(faults: [fault]) { (sandbox, client) async throws in
            let mail: Value = ["message": ["toRecipients": [["emailAddress": ["address": "megan@contoso.com"]]]]]
            let failure = await #expect(throws: HTTPFailure.self) {
                try await client.send("POST", "/me/sendMail", json: mail)
            }
            #expect(failure?.phase == .sent)
            #expect(sandbox.outbox.count == 1)
            #expect(sandbox.requests.map(\.outcome) == [.dropped])
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a request that is cut off before its body has no effect`(way: SandboxWay) async throws {
        let fault = try Sandbox.Fault(parsing: "PUT /me/drive/* reset x2 after=1")
        try await way.withSandbox(faults: [fault]) { (sandbox, client) async throws in
            let path = "/me/drive/root:/x.txt:/content"
            #expect(try await client.put(path, "1").status == 201)
            for text in ["2", String(repeating: "3", count: 8_000_000)] {
                let failure = await #expect(throws: HTTPFailure.self) { try await client.put(path, text) }
                #expect(failure?.reason == .connectionLost)
            }
            #expect(try await client.put(path, "4").status == 200)
            #expect(sandbox.drive.map(\.version) == [2])
            #expect(sandbox.requests.map(\.outcome) == [.answered, .dropped, .dropped, .answered])
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `an answer can be half of its JSON, or a page of a proxy`(way: SandboxWay) async throws {
        let faults = try ["GET /me malformed", "GET /me 503 html retry-after=3"].map(Sandbox.Fault.init(parsing:))
        try await way.withSandbox(faults: faults) { (_, client) async throws in
            let half = try await client.send("GET", "/me")
            #expect(half.status == 200)
            #expect(half.body.starts(with: "{".utf8))
            #expect(throws: (any Error).self) { try half.json }
            let page = try await client.send("GET", "/me")
            #expect(page.status == 503)
            #expect(page.headers["Content-Type"] == "text/html")
            #expect(page.headers["Retry-After"] == "3")
            #expect(page.headers["request-id"] == nil)
            #expect(try await client.send("GET", "/me").status == 200)
        }
    }

    @Test(arguments: [true, false])
    func `a success that asks to come again is a success, with the effect or without`(isProcessed: Bool) async throws {
        let fault = try Sandbox.Fault(
            parsing: "POST /me/sendMail 202 retry-after=5\(isProcessed ? " processed" : "")")
        try await SandboxWay.inProcess.withSandbox(faults: [fault]) { (sandbox, client) async throws in
            let mail: Value = ["message": ["toRecipients": [["emailAddress": ["address": "megan@contoso.com"]]]]]
            let answer = try await client.send("POST", "/me/sendMail", json: mail)
            #expect(answer.status == 202)
            #expect(answer.headers["Retry-After"] == "5")
            #expect(answer.body.isEmpty)
            #expect(sandbox.outbox.count == (isProcessed ? 1 : 0))
        }
    }

    @Test func `silence lasts until a client gives up, and a delay until it is over`() async throws {
        let clock = ManualClock()
        let faults = try ["GET /me 500 delay=5", "GET /me silence"].map(Sandbox.Fault.init(parsing:))
        let sandbox = Sandbox(faults: faults, clock: clock)
        let url = try #require(URL(string: "https://graph.microsoft.com/v1.0/me"))
        let request = HTTPRequest("GET", url, headers: ["Authorization": "Bearer x"])
        let operation = HTTPOperation(name: "test", effect: .read, example: HTTPResponse(status: 200))
        let late = sandbox.transport.send(request, for: operation)
        clock.advance(by: .seconds(4))
        #expect(clock.waitCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await late.value.status == 500)
        let never = sandbox.transport.send(request, for: operation)
        clock.advance(by: .seconds(599))
        #expect(clock.waitCount == 1)
        clock.advance(by: .seconds(1))
        let failure = await #expect(throws: HTTPFailure.self) { try await never.value }
        #expect(failure?.reason == .timedOut)
    }

    @Test func `over a socket a delay is a delay, and others are answered meanwhile`() async throws {
        let fault = try Sandbox.Fault(parsing: "GET /me/photo silence")
        try await SandboxWay.overSocket.withSandbox(faults: [fault]) { (sandbox, client) async throws in
            let silent = Task { try await client.send("GET", "/me/photo") }
            while sandbox.requests.isEmpty { await pause() }
            #expect(try await client.send("GET", "/me").status == 200)
            silent.cancel()
            await #expect(throws: (any Error).self) { try await silent.value }
        }
    }

    @Test func `a pattern of many wildcards is matched without trying every way`() async throws {
        let fault = try Sandbox.Fault(parsing: "GET /\(String(repeating: "*a", count: 500))b 500")
        try await SandboxWay.inProcess.withSandbox(faults: [fault]) { (_, client) async throws in
            let path = "/" + String(repeating: "a", count: 2_000)
            #expect(try await client.send("GET", path).status == 400)
            #expect(try await client.send("GET", path + "b").status == 500)
        }
    }
}
