import Foundation
import Testing
import Workflows

@Suite struct SandboxFaultTests {
    @Test(arguments: [
        ("GET /me 500", "GET /me 500"),
        ("get /v1.0/me/photo/$value 503 x2 retry-after=7", "GET /me/photo/$value 503 x2 retry-after=7"),
        ("  POST   /me/sendMail\t504  processed ", "POST /me/sendMail 504 processed"),
        ("* * drop X3", "* * drop x3"),
        ("PUT /me/drive/* truncate retry-after=0", "PUT /me/drive/* truncate retry-after=0"),
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
        ("GET /me 500 retry-after=-1", "needs whole seconds"), ("GET /me 500 x99999999999999999999", "not understood"),
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

    @Test func `a pattern of many wildcards is matched without trying every way`() async throws {
        let fault = try Sandbox.Fault(parsing: "GET /\(String(repeating: "*a", count: 500))b 500")
        try await SandboxWay.inProcess.withSandbox(faults: [fault]) { (_, client) async throws in
            let path = "/" + String(repeating: "a", count: 2_000)
            #expect(try await client.send("GET", path).status == 400)
            #expect(try await client.send("GET", path + "b").status == 500)
        }
    }
}
