/// Sends a message as a draft: creates it, adds attachments, reports and sends it, and looks it up if the outcome is
/// unknown.
///
/// Its id is immutable: it stays the same when the message moves from Drafts to Sent Items, which takes a while.
struct DraftDelivery: Sendable {
    var client: GraphClient
    let mail: Mail
    let user: String?
    let messages: GraphPath
    let answer: UnknownTokens.Answer
    private var inside: [Mail.Attachment]
    let added: [Mail.Attachment]

    struct Draft: Sendable {
        var id: String
        var internetMessageID: String?
    }

    init(_ mail: Mail, of user: String?, by client: GraphClient) throws(GraphError) {
        self.mail = mail
        self.user = user
        self.client = client
        answer = client.plannedAnswer("sendMail")
        messages = try GraphPath(user: user).adding("/messages")
        (inside, added) = try mail.division()
    }

    func plan() -> Promise<MailReceipt> {
        let open = mail.attachments.filter(\.content.hasUnknownSize)
        let drafted = open.isEmpty ? perform() : planOpen()
        guard mail.delivery == nil, mail.key == nil else { return drafted }
        // Without a permission for drafts, the message is sent directly.
        return drafted.then(on: nil) { receipt in
            client.when("if drafts are not permitted", isExtra: true).sendDirectly(mail, user: user)
                .map(on: nil) { _ in receipt }
                .recover(on: nil) { error -> Promise<MailReceipt> in
                    guard error is GraphError, !error.isCancelled else { throw error }
                    // It is too large to be sent directly.
                    return .value(receipt)
                }
        }
    }

    /// Plans a message with every attachment that may fit into it, and the requests that add those that do not.
    private func planOpen() -> Promise<MailReceipt> {
        firstly { () throws -> Promise<MailReceipt> in
            var sure: [Mail.Attachment] = []
            var draft = self
            draft.inside = []
            let message = try mail.message(with: [])
            for attachment in mail.attachments {
                let mayFit = attachment.content.hasUnknownSize || Mail.fit([attachment.encodedSize], into: message)[0]
                if mayFit { draft.inside.append(attachment) } else { sure.append(attachment) }
            }
            return draft.create().then(on: nil) { [sure, open = draft] draft in
                open.plan(0, to: draft).then(on: nil) { attach(sure[...], to: draft, count: 0) }
                    .then(on: nil) { client.barrier() }.then(on: nil) { send(draft) }
            }
        }
    }

    /// Plans the attachments from this one on that may not fit; each in both ways if its size is only known at run
    /// time.
    private func plan(_ number: Int, to draft: Draft) -> Promise<Void> {
        guard inside.indices.contains(number) else { return .value(()) }
        let attachment = inside[number]
        let limit = Mail.smallestSession
        func delivery(_ words: String, isLarge: Bool) throws -> AttachmentDelivery {
            var delivery = self
            let what = attachment.unknown == nil ? "it" : "one"
            delivery.client = client.when(
                "if \(what) does not fit into the message and \(words)", isExtra: true,
                attachment: .init(number: number, isLarge: isLarge))
            return try AttachmentDelivery(attachment, to: draft, of: delivery, count: 0)
        }
        return firstly { () throws -> Promise<Void> in
            let small = try delivery("has less than \(limit.bytesInWords)", isLarge: false)
            let large = try delivery("has \(limit.bytesInWords) or more", isLarge: true)
            return small.add(again: false).then(on: nil) {
                attachment.content.hasUnknownSize ? large.plan() : .value(())
            }.then(on: nil) { plan(number + 1, to: draft) }
        }
    }

    func perform() -> Promise<MailReceipt> {
        create().then(on: nil) { draft -> Promise<MailReceipt> in
            attach(added[...], to: draft, count: inside.count).recover(on: nil) { error -> Promise<Void> in
                // Nothing was sent, and an incomplete draft must not be sent by mistake.
                discard(draft).then(on: nil) { Promise(error: error) }
            }.then(on: nil) { () -> Promise<MailReceipt> in
                client.tell(.drafted(id: draft.id, internetMessageID: draft.internetMessageID), of: "sendMail")
                return commit(draft)
            }
        }.recover(on: nil) { error -> Promise<MailReceipt> in
            guard error is DraftsForbidden else { throw error }
            return client.sendDirectly(
                mail, user: user,
                because: "sent in one request, because drafts are not permitted: the token lacks Mail.ReadWrite")
        }
    }

    /// Drafts are not permitted, and the message does not require one.
    private struct DraftsForbidden: Error {}

    /// Creates the draft, again if the outcome is unknown: a surplus draft is never sent.
    private func create() -> Promise<Draft> {
        client.json {
            GraphRequest(
                "sendMail", .idempotent, "POST", messages,
                headers: ["Content-Type": "application/json", "Accept": "application/json", "Prefer": Self.immutable],
                body: try mail.message(with: inside).jsonData(),
                example: .json(
                    201,
                    [
                        "id": .string(answer("messageId", .text)), "isDraft": true,
                        "internetMessageId": .string(answer("internetMessageId")),
                    ]))
        } as: { draft throws(GraphError) in
            guard let id = draft["id"]?.string, !id.isEmpty else {
                throw GraphError(.badAnswer, message: "The answer describes no draft: it has no 'id'.")
            }
            return Draft(id: id, internetMessageID: draft["internetMessageId"]?.string)
        }.recover(on: nil) { error -> Promise<Draft> in
            guard let error = error as? GraphError, error.code == .forbidden, mail.delivery == nil, mail.key == nil
            else {
                throw error
            }
            throw DraftsForbidden()
        }
    }

    private func attach(_ rest: ArraySlice<Mail.Attachment>, to draft: Draft, count: Int) -> Promise<Void> {
        guard let first = rest.first else { return .value(()) }
        return firstly {
            try AttachmentDelivery(first, to: draft, of: self, count: count).perform().then(on: nil) {
                attach(rest.dropFirst(), to: draft, count: count + 1)
            }
        }
    }

    func tell(_ state: Effect.State) { client.tell(.effect(mail.effect(of: user), state), of: "sendMail") }

    /// Sends the draft after it is recorded on disk that it will be sent.
    func commit(_ draft: Draft) -> Promise<MailReceipt> {
        tell(.begun)
        return client.barrier().then(on: nil) { send(draft) }
    }

    /// Sends the draft, once.
    ///
    /// A message that is being sent may look like a draft for any length of time. A draft that remains after an unclear
    /// answer was most likely not sent. Only a person can take that risk, so the error says it.
    func send(_ draft: Draft) -> Promise<MailReceipt> {
        let receipt = MailReceipt(status: "accepted", messageID: draft.id)
        return client.exchange {
            var request = GraphRequest(
                "sendMail", .once, "POST", try path(of: draft).adding("/send"),
                headers: ["Accept": "application/json", "Prefer": Self.immutable], body: Data(),
                example: HTTPResponse(status: 202), check: check(draft))
            request.consequences = [mail.effect(of: user)]
            // Those of any draft, so that they are looked up once.
            let any = try GraphPath(user: user).adding("/messages/x/send")
            request.permissions = GraphClient.permissions(of: "POST", path: "\(any)")
            return request
        } _: { response, _ throws(GraphError) in
            try response.demandAccepted(check(draft))
            return receipt
        }.recover(on: nil) { error -> Promise<MailReceipt> in
            guard let error = error as? GraphError, !error.isCancelled else { throw error }
            // A refused message was not sent, and its draft is deleted.
            guard error.code == .unknownOutcome else {
                return discard(draft).then(on: nil) { Promise(error: error) }
            }
            return look(for: draft, at: 0, seen: .draft(nil)).then(on: nil) { standing -> Promise<MailReceipt> in
                switch standing {
                case .sent:
                    tell(.done)
                    return .value(receipt)
                case .draft, .away, .unknown: throw unknown(error, draft)
                }
            }
        }
    }

    private func discard(_ draft: Draft) -> Promise<Void> {
        client.send {
            GraphRequest(
                "sendMail", .idempotent, "DELETE", try path(of: draft),
                headers: ["Prefer": Self.immutable], example: HTTPResponse(status: 204))
        }.asVoid().recover(on: nil) { error -> Promise<Void> in
            guard !error.isCancelled else { throw error }
            return .value(())
        }
    }

    func unknown(_ error: GraphError, _ draft: Draft) -> GraphError {
        var error = error
        error.code = .unknownOutcome
        if !error.message.hasPrefix(GraphError.unknownOutcomePrefix) {
            error.message = GraphError.unknownOutcomePrefix + error.message
        }
        error.hint = check(draft)
        return error
    }

    private func check(_ draft: Draft) -> String {
        let subject = PlainText.exact(mail.subject, limit: 100)
        let id = draft.internetMessageID.map { ", Message-ID \(PlainText.exact($0, limit: 200))" } ?? ""
        return "Look for the message '\(subject)' (id \(PlainText.exact(draft.id, limit: 200))\(id)): in Sent Items it "
            + "was sent, in Drafts it was not and can be sent from there."
    }

    func path(of draft: Draft) throws(GraphError) -> GraphPath {
        try messages.adding(id: draft.id, what: "message's id")
    }

    /// Keeps a message's id the same when it moves.
    static let immutable = "IdType=\"ImmutableId\""
}
