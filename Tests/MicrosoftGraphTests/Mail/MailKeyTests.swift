import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox

@testable import MicrosoftGraph

/// A mail with a key, which any machine finds again in the mailbox.
@Suite struct MailKeyTests {
    /// A mailbox that outlives the machines that send from it, on a clock that skips all waits.
    final class Mailbox: Sendable {
        let clock = SkippingClock()
        let sandbox: Sandbox
        private let log = Locked<[GraphEvent]>([])

        init(sentItemsDelay: Duration = .zero, faults: [String] = []) throws {
            var settings = Sandbox.Settings()
            settings.sentItemsDelay = sentItemsDelay
            let clock = clock
            sandbox = Sandbox(
                settings: settings, faults: try faults.map { try Sandbox.Fault(parsing: $0) },
                now: { Date(timeIntervalSince1970: 1_800_000_000 + clock.now.seconds) })
        }

        var now: Date { Date(timeIntervalSince1970: 1_800_000_000 + clock.now.seconds) }
        var events: [GraphEvent.Kind] { log.withLock { $0.withoutEffects.map(\.kind) } }
        /// The accounts of sent mails.
        var accounts: [Effect] {
            log.withLock { events in
                events.compactMap { if case .effect(let effect, .done) = $0.kind { effect } else { nil } }
            }
        }
        var requests: [String] {
            sandbox.requests.map { "\($0.method) \($0.path.split(separator: "?")[0].dropFirst("/v1.0".count))" }
        }
        var drafts: [Value] {
            get async throws {
                let client = SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL)
                return try await client.get("/me/mailFolders/drafts/messages")["value"]?.array ?? []
            }
        }

        func client(fault: @escaping @Sendable (HTTPRequest) -> FaultyTransport.Fault? = { _ in nil }) -> GraphClient {
            let clock = clock
            return GraphClient(
                credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL,
                transport: FaultyTransport(sandbox.transport, clock: clock) { request, _ in fault(request) },
                clock: clock, now: { Date(timeIntervalSince1970: 1_800_000_000 + clock.now.seconds) },
                randomness: { 1 }, environment: [:], onEvent: { [log] event in log.withLock { $0.append(event) } })
        }

        func key(_ item: String = "7", isLookedUp: Bool = true) -> Mail.Key {
            Mail.Key(of: ["batch", .string(item)], isLookedUp: isLookedUp, begunAt: now)
        }

        /// What the first machine wrote before it burned, as the service has it.
        func write(_ item: String = "7", sent: Bool, subject: String = "Report") async throws -> String {
            let client = SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL)
            var mail = MailKeyTests.mail(key(item))
            mail.subject = subject
            let made = try await client.send(
                "POST", "/me/messages", headers: ["Prefer": "IdType=\"ImmutableId\""],
                json: try mail.message(with: mail.attachments))
            let id = try made.json["id"]?.string ?? ""
            if sent { _ = try await client.send("POST", "/me/messages/\(id)/send") }
            clock.advance(by: .seconds(1))
            return id
        }
    }

    static func mail(_ key: Mail.Key?, _ attachments: (String, Int)...) -> Mail {
        var mail = Mail(to: ["adelev@contoso.com"], subject: "Report", body: .text("Hi"))
        mail.key = key
        mail.attachments = attachments.map { name, size in
            Mail.Attachment(name: name, content: Blob(Data(repeating: 7, count: size)))
        }
        return mail
    }

    @Test func `the key is a property of the draft, and looked for before it is written`() async throws {
        let mailbox = try Mailbox()
        let receipt = try await mailbox.client().sendMail(Self.mail(mailbox.key())).value
        let id = try #require(receipt.messageID)
        #expect(
            mailbox.requests == [
                "GET /me/messages", "GET /me/messages", "POST /me/messages",
                "POST /me/messages/\(id.percentEncoded())/send",
            ])
        let property: Value = [
            [
                "id": "String {3c5a1f0e-93f4-4a4b-8f0b-6a1f8d6f7e52} Name graphflowMailKey",
                "value": .string(SHA256.hex(of: Data(#"["batch","7"]"#.utf8))),
            ]
        ]
        let body = try Value(json: try #require(mailbox.sandbox.requests[2].request.body))
        #expect(body["singleValueExtendedProperties"] == property)
        #expect(mailbox.sandbox.outbox.count == 1)
        // What was not found at first may still have been on its way.
        #expect(mailbox.clock.waits.contains(.seconds(60)))
    }

    @Test func `a machine that knows that it is the first looks nothing up`() async throws {
        let mailbox = try Mailbox()
        _ = try await mailbox.client().sendMail(Self.mail(mailbox.key(isLookedUp: false))).value
        #expect(mailbox.requests.first == "POST /me/messages")
        #expect(mailbox.clock.waits.isEmpty)
        let receipt = try await mailbox.client().sendMail(Self.mail(mailbox.key())).value
        #expect(receipt.messageID == mailbox.sandbox.outbox.first?.id)
        #expect(mailbox.sandbox.outbox.count == 1)
    }

    @Test func `a sent mail is not sent again, and nothing is waited for`() async throws {
        let mailbox = try Mailbox()
        _ = try await mailbox.write(sent: false)
        let sent = try await mailbox.write(sent: true)
        let before = mailbox.requests.count
        let receipt = try await mailbox.client().sendMail(Self.mail(mailbox.key())).value
        #expect(receipt == MailReceipt(status: "accepted", messageID: sent))
        #expect(mailbox.requests.dropFirst(before) == ["GET /me/messages", "GET /me"])
        #expect(mailbox.clock.waits.isEmpty)
        #expect(mailbox.sandbox.outbox.count == 1)
    }

    @Test func `the oldest of several drafts that are the mail is sent, and the others stay`() async throws {
        let mailbox = try Mailbox()
        _ = try await mailbox.write(sent: false, subject: "An earlier text")
        let first = try await mailbox.write(sent: false)
        _ = try await mailbox.write(sent: false)
        _ = try await mailbox.write("8", sent: false)
        let receipt = try await mailbox.client().sendMail(Self.mail(mailbox.key())).value
        #expect(receipt.messageID == first)
        #expect(mailbox.sandbox.outbox.map(\.subject) == ["Report"])
        let mail = try #require(mailbox.sandbox.outbox.first)
        #expect(mailbox.events == [.drafted(id: first, internetMessageID: mail.internetMessageID)])
        #expect(try await mailbox.drafts.count == 3)
        #expect(!mailbox.requests.contains { $0.hasPrefix("DELETE") })
    }

    @Test func `a draft that was thrown away is not sent`() async throws {
        let mailbox = try Mailbox(faults: ["POST /me/messages/*/send 403"])
        #expect(await graphError(of: mailbox.client().sendMail(Self.mail(mailbox.key())))?.code == .forbidden)
        let receipt = try await mailbox.client().sendMail(Self.mail(mailbox.key())).value
        #expect(receipt.messageID != nil)
        #expect(mailbox.requests.count { $0 == "POST /me/messages" } == 2)
        #expect(mailbox.sandbox.outbox.count == 1)
    }

    @Test func `a draft without all of its attachments is not sent`() async throws {
        let mailbox = try Mailbox()
        _ = try await mailbox.write(sent: false)
        let mail = Self.mail(mailbox.key(), ("a", 100), ("b", 4_000_000))
        let burning = mailbox.client { $0.method == "PUT" ? .refused : nil }
        #expect(await graphError(of: burning.sendMail(mail)) != nil)
        _ = try await mailbox.client().sendMail(mail).value
        #expect(mailbox.sandbox.outbox.map { $0.attachments.map(\.name).sorted() } == [["a", "b"]])
    }

    @Test(arguments: [0, 10, 40])
    func `a mail that is on its way when the machine burns is waited for`(delay: Int) async throws {
        for surplus in [false, true] {
            let mailbox = try Mailbox(sentItemsDelay: .seconds(delay))
            // An answer that was lost led to a second draft, which is older than the one that is sent.
            if surplus { _ = try await mailbox.write(sent: false) }
            let sent = try await mailbox.write(sent: true)
            mailbox.clock.advance(by: .seconds(delay / 2))
            let receipt = try await mailbox.client().sendMail(Self.mail(mailbox.key())).value
            #expect(receipt.messageID == sent, "\(delay) s, surplus: \(surplus)")
            #expect(mailbox.sandbox.outbox.count == 1)
        }
    }

    @Test func `a machine that has been at work for a minute waits no more`() async throws {
        let mailbox = try Mailbox()
        let key = mailbox.key()
        mailbox.clock.advance(by: .seconds(60))
        _ = try await mailbox.client().sendMail(Self.mail(key)).value
        #expect(mailbox.clock.waits.isEmpty)
        #expect(mailbox.requests.count { $0 == "GET /me/messages" } == 1)
    }

    @Test func `a message on a further page is found`() async throws {
        let fixture = GraphFixture(
            .json(
                #"{"value":[],"@odata.nextLink":"https://graph.microsoft.com/v1.0/me/messages?$skip=10"}"#, status: 200),
            .json(#"{"value":[{"id":"m1","isDraft":false}]}"#, status: 200))
        let key = Mail.Key(of: "x", isLookedUp: true, begunAt: .distantPast)
        #expect(try await fixture.client().sendMail(Self.mail(key)).value.messageID == "m1")
        #expect(fixture.transport.operations.allSatisfy { $0.effect == .read && $0.scopes == ["Mail.ReadWrite"] })
        let preference = #"IdType="ImmutableId", outlook.allow-unsafe-html"#
        #expect(fixture.transport.requests.allSatisfy { $0.headers["Prefer"] == preference })
    }

    @Test(arguments: [#"{"value":[{"id":"m1"}]}"#, #"{"value":[{"isDraft":true}]}"#, "{}"])
    func `an answer that does not say what was sent sends nothing`(answer: String) async throws {
        let fixture = GraphFixture(.json(answer, status: 200))
        let key = Mail.Key(of: "x", isLookedUp: true, begunAt: .distantPast)
        #expect(await graphError(of: fixture.client().sendMail(Self.mail(key)))?.code == .badAnswer)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `what cannot be looked up is refused, and a draft that is not permitted is an error`() async throws {
        let mailbox = try Mailbox(faults: ["POST /me/messages 403"])
        var direct = Self.mail(mailbox.key(isLookedUp: false))
        direct.delivery = .direct
        #expect(await graphError(of: mailbox.client().sendMail(direct))?.code == .invalidInput)
        var unsaved = Self.mail(mailbox.key())
        unsaved.saveToSentItems = false
        #expect(await graphError(of: mailbox.client().sendMail(unsaved))?.code == .invalidInput)
        #expect(mailbox.requests.isEmpty)
        let error = await graphError(of: mailbox.client().sendMail(Self.mail(mailbox.key())))
        #expect(error?.code == .forbidden)
        #expect(mailbox.sandbox.outbox.isEmpty)
    }

    /// The first machine ends before or after each of its requests, without a trace but for what the service has.
    @Test(arguments: [0, 10], [0, 2])
    func `a machine that burns at any request leads to one mail`(delay: Int, attachments: Int) async throws {
        for number in 0..<16 {
            for isAfter in [false, true] {
                let mailbox = try Mailbox(sentItemsDelay: .seconds(delay))
                var mail = Self.mail(mailbox.key())
                if attachments > 0 { mail = Self.mail(mailbox.key(), ("a", 100), ("b", 4_000_000)) }
                let count = Locked(0)
                let burning = mailbox.client { _ in
                    let position = count.withLock { count in
                        defer { count += 1 }
                        return count
                    }
                    guard position >= number else { return nil }
                    return position == number && isAfter ? .resetAfterBody : .refused
                }
                _ = await graphError(of: burning.sendMail(mail))
                mail.key = mailbox.key()
                let receipt = try await mailbox.client().sendMail(mail).value
                let words: Comment = "\(isAfter ? "after" : "before") request \(number)"
                mailbox.clock.advance(by: .seconds(delay))
                #expect(mailbox.sandbox.outbox.count == 1, words)
                #expect(mailbox.sandbox.outbox.first?.id == receipt.messageID, words)
                #expect(mailbox.sandbox.outbox.first?.attachments.count == attachments, words)
            }
        }
    }
}
