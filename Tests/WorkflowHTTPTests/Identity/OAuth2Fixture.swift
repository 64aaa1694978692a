import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

/// An authority that issues tokens, and what a test sees of it.
enum OAuth2Fixture {
    static let base: Object = [
        "authority": "https://login.example.com/tenant", "grant": "client_credentials",
        "client": ["id": "cli:ent", "secret": "s%cret ä"],
    ]

    static func source(
        _ changes: Object = [:], isDiscovered: Bool = false, _ transport: ScriptedTransport,
        clock: ManualClock = ManualClock()
    ) throws -> OAuth2TokenSource {
        var data = base
        for (name, value) in changes { data[name] = value }
        return OAuth2TokenSource(
            try OAuth2Settings(.object(data), isDiscovered: isDiscovered), transport: transport, clock: clock,
            now: { Date(timeIntervalSince1970: 1_700_000_000) }, task: nil)
    }

    static func fields(of request: HTTPRequest?) -> [String] {
        String(decoding: request?.body ?? Data(), as: UTF8.self).split(separator: "&").map { String($0) }
    }

    static let granted = ScriptedTransport.Reply.json(
        #"{"access_token":"tok-1","token_type":"Bearer","expires_in":3600}"#)
}
