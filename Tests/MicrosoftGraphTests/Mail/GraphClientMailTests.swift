import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox
import MicrosoftGraph

/// One mail, never two: drafts, looking for them, and attachments that are too large for one request.
struct GraphClientMailTests {
    /// A tenant on a clock that skips all waits.
    private struct Tenant {
        let clock = SkippingClock()
        let sandbox: Sandbox
        private let log = Locked<[GraphEvent]>([])
        private let sent = Locked<[HTTPRequest]>([])

        init(sentItemsDelay: Duration = .zero, faults: [String] = []) throws {
            var settings = Sandbox.Settings()
            settings.sentItemsDelay = sentItemsDelay
            let clock = clock
            sandbox = Sandbox(
                settings: settings, faults: try faults.map { try Sandbox.Fault(parsing: $0) },
                now: { Date(timeIntervalSince1970: 1_800_000_000 + clock.now.seconds) })
        }

        var events: [GraphEvent] { log.withLock { $0 } }
        var requests: [String] { sandbox.requests.map { "\($0.method) \($0.path.split(separator: "?")[0])" } }

        func client(fault: @escaping @Sendable (HTTPRequest) -> FaultyTransport.Fault? = { _ in nil }) -> GraphClient {
            GraphClient(
                credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL,
                transport: FaultyTransport(sandbox.transport, clock: clock) { request, _ in fault(request) },
                clock: clock, randomness: { 1 }, environment: [:],
                onEvent: { [log] event in log.withLock { $0.append(event) } })
        }
    }

    private static func mail(_ attachments: (String, Int)...) -> Mail {
        var mail = Mail(to: ["adelev@contoso.com"], subject: "Report", body: .text("Hi"))
        mail.attachments = attachments.map { name, size in
            Mail.Attachment(name: name, content: Blob(Data.periodic(size)))
        }
        return mail
    }

    @Test func `a mail is drafted under an id that stays, made known, and sent`() async throws {
        let fixture = GraphFixture(
            .json(#"{"id":"d/1=","internetMessageId":"<m@contoso.com>","isDraft":true}"#, status: 201), .status(202))
        var mail = Self.mail()
        mail.replyTo = ["help@contoso.com"]
        let receipt = try await fixture.client().sendMail(mail).value
        #expect(receipt.messageID == "d/1=")
        let requests = fixture.transport.requests
        #expect(requests.map(\.method) == ["POST", "POST"])
        #expect(
            requests.map(\.url.absoluteString) == [
                "https://graph.microsoft.com/v1.0/me/messages",
                "https://graph.microsoft.com/v1.0/me/messages/d%2F1%3D/send",
            ])
        #expect(requests.allSatisfy { $0.headers["Prefer"] == #"IdType="ImmutableId""# })
        #expect(requests[1].body == Data())
        let message = try Value(json: try #require(requests[0].body))
        #expect(message["replyTo"]?[0]?["emailAddress"]?["address"] == "help@contoso.com")
        #expect(message["saveToSentItems"] == nil)
        #expect(
            fixture.events.withoutEffects.map(\.kind) == [.drafted(id: "d/1=", internetMessageID: "<m@contoso.com>")])
        #expect(fixture.transport.operations.map(\.scopes) == [["Mail.ReadWrite"], ["Mail.Send"]])
        #expect(fixture.transport.operations.map(\.effect) == [.idempotent, .once])
    }

    @Test func `where drafts are not permitted the mail goes in one request, unless a draft was asked for`()
        async throws
    {
        let fixture = GraphFixture(.status(403), .status(202))
        #expect(try await fixture.client().sendMail(Self.mail()).value.messageID == nil)
        #expect(fixture.transport.requests.map(\.url.lastPathComponent) == ["messages", "sendMail"])
        guard case .committing(let reason?)? = fixture.events.withoutEffects.last?.kind else {
            Issue.record("\(fixture.events)")
            return
        }
        #expect(reason.contains("drafts are not permitted"))
        let strict = GraphFixture(.status(403), .status(202))
        var mail = Self.mail()
        mail.delivery = .draft
        let error = await graphError(of: strict.client().sendMail(mail))
        #expect(error?.code == .forbidden)
        #expect(error?.hint?.contains("Mail.ReadWrite") == true)
        #expect(strict.transport.requests.count == 1)
    }

    @Test func `without a copy the mail goes in one request`() async throws {
        let fixture = GraphFixture(.status(202))
        var mail = Self.mail()
        mail.saveToSentItems = false
        _ = try await fixture.client().sendMail(mail).value
        #expect(fixture.transport.requests.map(\.url.lastPathComponent) == ["sendMail"])
        mail.delivery = .draft
        #expect(await graphError(of: fixture.client().sendMail(mail))?.code == .invalidInput)
    }

    @Test(arguments: [0, 10, 60, 150])
    func `a mail whose answer is lost is found however long it takes to Sent Items`(delay: Int) async throws {
        for fault in ["504 processed", "drop processed"] {
            let tenant = try Tenant(sentItemsDelay: .seconds(delay), faults: ["POST /me/messages/*/send \(fault)"])
            let receipt = try await tenant.client().sendMail(Self.mail()).value
            #expect(receipt.messageID?.isEmpty == false)
            #expect(tenant.sandbox.outbox.map(\.deliveries) == [1])
            #expect(tenant.requests.count { $0.hasSuffix("/send") } == 1)
        }
    }

    @Test func `a mail that stays a draft is not sent again, and where to find it is said`() async throws {
        for fault in [FaultyTransport.Fault.resetBeforeBody, .answer(HTTPResponse(status: 500))] {
            let tenant = try Tenant()
            let once = Locked(true)
            let client = tenant.client { request in
                guard request.url.path().hasSuffix("/send"),
                    once.withLock({
                        let was = $0; $0 = false; return was
                    })
                else { return nil }
                return fault
            }
            let error = await graphError(of: client.sendMail(Self.mail()))
            #expect(error?.code == .unknownOutcome)
            #expect(error?.hint?.contains("in Drafts it was not and can be sent from there") == true)
            #expect(tenant.sandbox.outbox.isEmpty)
            #expect(tenant.clock.now >= .seconds(60))
        }
    }

    @Test func `a mail that cannot be found is unknown, and what to look for is said`() async throws {
        let tenant = try Tenant(faults: ["POST /me/messages/*/send drop processed", "GET /me/messages/* 500 x999"])
        let error = await graphError(of: tenant.client().sendMail(Self.mail()))
        #expect(error?.code == .unknownOutcome)
        #expect(error?.problem["type"] == "urn:graphflow:error:unknown-outcome")
        let hint = try #require(error?.hint)
        for words in ["'Report'", "Sent Items", "Drafts", "Message-ID <"] { #expect(hint.contains(words), "\(hint)") }
        #expect(tenant.sandbox.outbox.map(\.deliveries) == [1])
        #expect(tenant.requests.count { $0.hasSuffix("/send") } == 1)
    }

    @Test func `a mail that was refused for good leaves no draft`() async throws {
        let tenant = try Tenant(faults: ["POST /me/messages/*/send 403"])
        let error = await graphError(of: tenant.client().sendMail(Self.mail()))
        #expect(error?.code == .forbidden)
        #expect(tenant.requests.last?.hasPrefix("DELETE /v1.0/me/messages/") == true)
        #expect(tenant.sandbox.outbox.isEmpty)
    }

    @Test func `large attachments go in ranges, small ones with the message or by themselves`() async throws {
        let tenant = try Tenant()
        let mail = Self.mail(("small.bin", 2_000_000), ("big.bin", 4_500_000), ("middle.bin", 2_500_000))
        _ = try await tenant.client().sendMail(mail).value
        let sent = try #require(tenant.sandbox.outbox.first)
        #expect(sent.attachments.map(\.name).sorted() == ["big.bin", "middle.bin", "small.bin"])
        for attachment in mail.attachments {
            let there = sent.attachments.first { $0.name == attachment.name }
            #expect(try there?.content == attachment.content.bytes)
        }
        let puts = tenant.sandbox.requests.filter { $0.method == "PUT" }
        #expect(
            puts.map { $0.headers["Content-Range"] } == ["bytes 0-3932159/4500000", "bytes 3932160-4499999/4500000"])
        #expect(puts.allSatisfy { $0.headers["Authorization"] == nil && $0.headers["client-request-id"] == nil })
        #expect(tenant.requests.count { $0.hasSuffix("/attachments") } == 1)
    }

    @Test(arguments: Array(2_999_985...3_000_015) + [3_145_600, 3_145_700, 3_145_728, 3_200_000])
    func `an attachment is one request below 3 MB, and a session from there on`(size: Int) async throws {
        let names = ["a", String(repeating: "ä\"\u{1}\\", count: 4_000), String(repeating: "👩‍👩‍👧", count: 2_000)]
        let name = names[size % names.count]
        let tenant = try Tenant()
        _ = try await tenant.client().sendMail(Self.mail((name, size), ("small", 10), ("b", size))).value
        #expect(tenant.requests.count { $0.hasSuffix("/createUploadSession") } == (size < 3_000_000 ? 0 : 2))
        #expect(tenant.requests.count { $0.hasSuffix("/attachments") } == (size < 3_000_000 ? 2 : 0))
        let sent = try #require(tenant.sandbox.outbox.first)
        #expect(sent.attachments.map(\.size).sorted() == [10, size, size])
        #expect(Set(sent.attachments.map(\.name)) == [name, "small", "b"])
    }

    @Test(arguments: [Mail.Delivery.draft, .direct])
    func `pictures in the text are sent as such, large ones too`(delivery: Mail.Delivery) async throws {
        var mail = Self.mail(
            ("logo.png", 200), ("report.pdf", 300), ("photo.png", delivery == .draft ? 3_500_000 : 400))
        for (index, name) in [(0, "logo"), (2, "photo ü")] {
            mail.attachments[index].contentID = name
            mail.attachments[index].isInline = true
        }
        mail.body = .html("<img src=\"cid:logo\">")
        mail.delivery = delivery
        let tenant = try Tenant()
        _ = try await tenant.client().sendMail(mail).value
        let sent = try #require(tenant.sandbox.outbox.first?.attachments.sorted { $0.name < $1.name })
        #expect(sent.map(\.name) == ["logo.png", "photo.png", "report.pdf"])
        #expect(sent.map(\.isInline) == [true, true, false])
        #expect(sent.map(\.contentID) == ["logo", "photo ü", nil])
    }

    @Test func `an attachment that may have arrived is counted, not added twice`() async throws {
        for fault in [FaultyTransport.Fault.resetAfterBody, .resetBeforeBody] {
            let tenant = try Tenant()
            let seen = Locked<Set<String>>([])
            let client = tenant.client { request in
                let isFirst = seen.withLock {
                    $0.insert("\(request.method) \(request.url.path()) \(request.headers["Content-Range"] ?? "")")
                        .inserted
                }
                let isAttachment = request.url.path().hasSuffix("/attachments") || request.method == "PUT"
                return isFirst && isAttachment && request.method != "GET" ? fault : nil
            }
            _ = try await client.sendMail(Self.mail(("a", 2_900_000), ("b", 2_900_000), ("c", 4_000_000))).value
            #expect(tenant.sandbox.outbox.first?.attachments.map(\.name).sorted() == ["a", "b", "c"])
            #expect(tenant.sandbox.outbox.map(\.deliveries) == [1])
        }
    }

    @Test func `a mail whose attachments do not arrive is not sent, and leaves no draft`() async throws {
        let tenant = try Tenant(faults: ["POST /me/messages/*/attachments/createUploadSession 400 x9"])
        let error = await graphError(of: tenant.client().sendMail(Self.mail(("c", 4_000_000))))
        #expect(error?.code == .invalidRequest)
        #expect(tenant.sandbox.outbox.isEmpty)
        #expect(tenant.requests.last?.hasPrefix("DELETE ") == true)
    }

    @Test func `what no mailbox takes is refused before anything is sent`() async throws {
        let tenant = try Tenant()
        var long = Self.mail()
        long.body = .text(String(repeating: "x", count: 4_000_000))
        #expect(await graphError(of: tenant.client().sendMail(long))?.code == .invalidInput)
        var direct = Self.mail(("c", 3_100_000))
        direct.delivery = .direct
        #expect(await graphError(of: tenant.client().sendMail(direct))?.code == .invalidInput)
        #expect(tenant.requests.isEmpty)
    }
}
