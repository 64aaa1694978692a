import Foundation
import Testing
import MicrosoftGraph

struct RedirectTests {
    private func request(_ method: String, _ url: String) throws -> HTTPRequest {
        HTTPRequest(
            method, try #require(URL(string: url)),
            headers: ["Authorization": "Bearer x", "Cookie": "id=1", "Accept": "*/*"],
            body: method == "GET" ? nil : Data("body".utf8))
    }

    private func redirect(
        _ status: Int, _ method: String = "GET", from: String = "https://graph.example/v1.0/me", to: String?,
        hop: Int = 0
    ) throws -> Redirect {
        let response = HTTPResponse(status: status, headers: HTTPHeaders(to.map { ["Location": $0] } ?? [:]))
        return Redirect(response, to: try request(method, from), hop: hop)
    }

    @Test(arguments: [200, 202, 300, 304, 305, 404])
    func `an answer that is no redirect goes nowhere`(status: Int) throws {
        #expect(try redirect(status, to: "https://graph.example/other") == .none)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `reading goes on with the token and cookies within the same origin`(status: Int) throws {
        let expected = try request("GET", "https://graph.example/v1.0/other")
        #expect(try redirect(status, to: "other") == .follow(expected))
        #expect(try redirect(status, to: "/v1.0/other") == .follow(expected))
        #expect(try redirect(status, to: "https://GRAPH.example:443/v1.0/other") != .none)
    }

    @Test(arguments: [
        "https://evil.example/v1.0/me", "https://graph.example:8443/v1.0/me", "https://graph.example.evil.example/",
        "//evil.example/me", "https://graph.example@evil.example/",
    ])
    func `reading goes on without the token and cookies to another host or port`(place: String) throws {
        guard case .follow(let next) = try redirect(302, to: place) else {
            Issue.record("not followed")
            return
        }
        #expect(next.headers["Authorization"] == nil)
        #expect(next.headers["Cookie"] == nil)
        #expect(next.headers["Accept"] == "*/*")
    }

    @Test(arguments: [
        "http://graph.example/v1.0/me", "http://evil.example/", "ftp://graph.example/", "file:///etc/passwd",
        "data:text/plain,x", "javascript:alert(1)", "", "https://", "http://127.0.0.1/",
    ])
    func `nothing goes where others can read along, nor from outside to this machine`(place: String) throws {
        switch try redirect(302, from: "https://graph.example/v1.0/me", to: place) {
        case .refuse: break
        case .follow(let next) where place.isEmpty: #expect(next.url.absoluteString == "https://graph.example/v1.0/me")
        case let other: Issue.record("\(other)")
        }
    }

    @Test func `plain http goes on between places on this machine`() throws {
        guard case .follow(let next) = try redirect(307, from: "http://127.0.0.1:8080/a", to: "http://localhost:9090/b")
        else {
            Issue.record("not followed")
            return
        }
        #expect(next.headers["Authorization"] == nil)
    }

    @Test func `a redirect without a place is refused`() throws {
        guard case .refuse(let why) = try redirect(302, to: nil) else {
            Issue.record("not refused")
            return
        }
        #expect(why.contains("302 Found"))
    }

    @Test func `the sixth redirect is refused`() throws {
        guard case .follow = try redirect(302, to: "/a", hop: 4) else {
            Issue.record("the fifth was not followed")
            return
        }
        guard case .refuse = try redirect(302, to: "/a", hop: 5) else {
            Issue.record("the sixth was followed")
            return
        }
    }

    @Test(arguments: ["PUT", "POST"])
    func `a request that changes something keeps its body, its method and its origin`(method: String) throws {
        for status in [307, 308] {
            guard case .follow(let next) = try redirect(status, method, to: "/v1.0/other") else {
                Issue.record("\(status) was not followed")
                continue
            }
            #expect(next.method == method)
            #expect(next.body == Data("body".utf8))
            guard case .refuse = try redirect(status, method, to: "https://evil.example/") else {
                Issue.record("\(status) went to another host")
                continue
            }
        }
        for status in [301, 302, 303] {
            guard case .refuse = try redirect(status, method, to: "/v1.0/other") else {
                Issue.record("\(status) turned a \(method) into something else")
                continue
            }
        }
    }
}
