import Foundation
package import Promises
import MicrosoftGraph

/// A client over a script, with a clock that does not wait, no jitter, and predictable ids.
package struct GraphFixture {
    package let transport: ScriptedTransport
    package let clock = ImpatientClock()
    private let seen = Locked<[GraphEvent]>([])

    package init(_ replies: ScriptedTransport.Reply...) { transport = ScriptedTransport(replies) }

    package var events: [GraphEvent] { seen.withLock { $0 } }

    package func client(
        credential: any Credential = .fixed(AccessToken("secret-token")), baseURL: URL? = nil
    ) -> GraphClient {
        GraphClient(
            credential: credential, baseURL: baseURL, transport: transport, clock: clock,
            now: { Date(timeIntervalSince1970: 784_111_777) }, randomness: { 1 }, ids: { "id-of-the-request" },
            environment: [:], onEvent: { [seen] event in seen.withLock { $0.append(event) } })
    }
}

/// The Graph error that a promise is rejected with; nil for any other result.
package func graphError<Value: Sendable>(of promise: Promise<Value>) async -> GraphError? {
    do {
        _ = try await promise.value
        return nil
    } catch {
        return GraphError(error)
    }
}

package enum Sample {
    package static let user = #"{"id":"1","displayName":"Megan Bowen","mail":"megan@contoso.com"}"#
    package static let item = #"{"id":"item!1","name":"me.jpg","size":3,"webUrl":"https://contoso.example/me.jpg"}"#
    package static let link = #"{"id":"p","link":{"type":"view","webUrl":"https://contoso.example/s"}}"#
    package static let photo = Blob.defaultPhoto
    package static let mail = {
        var mail = Mail(to: ["megan@contoso.com"], subject: "Hello", body: .text("Hi"))
        mail.delivery = .direct
        return mail
    }()
}

extension [GraphEvent] {
    /// The events that tell of requests, and not of what they did.
    package var withoutEffects: [GraphEvent] { filter { if case .effect = $0.kind { false } else { true } } }

    /// What the requests did, with what became of it.
    package var effects: [(effect: Effect, state: Effect.State)] {
        compactMap { if case .effect(let effect, let state) = $0.kind { (effect, state) } else { nil } }
    }
}
