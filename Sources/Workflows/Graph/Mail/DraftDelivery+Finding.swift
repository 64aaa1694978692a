extension DraftDelivery {
    private struct Found: Sendable {
        let draft: Draft
        let isDraft: Bool
        let created: String
    }

    /// Sends the message unless any machine has already sent it.
    ///
    /// A sent message wins over drafts. The oldest of several drafts is sent unchanged; the others stay, because their
    /// owner is unknown. A message that is being sent is a draft for a while and then in no folder. It counts as not
    /// sent only if it is not found ``Mail/Key/patience`` after the last earlier sending.
    func perform(unlessSent key: Mail.Key) -> Promise<MailReceipt> {
        find(key, in: messages).then(on: nil) { found -> Promise<[Found]> in
            let rest = key.patience - .seconds(client.now().timeIntervalSince(key.begunAt))
            guard found.allSatisfy(\.isDraft), rest > .zero else { return .value(found) }
            return after(min(rest, key.patience), clock: client.clock).then(on: nil) { find(key, in: messages) }
        }.then(on: nil) { found -> Promise<MailReceipt> in
            if let sent = found.first(where: { !$0.isDraft }) {
                return .value(MailReceipt(status: "accepted", messageID: sent.draft.id))
            }
            guard !found.isEmpty else { return perform() }
            return firstToSend(of: found, key).then(on: nil) { draft -> Promise<MailReceipt> in
                guard let draft else { return perform() }
                client.tell(.drafted(id: draft.id, internetMessageID: draft.internetMessageID), of: "sendMail")
                return commit(draft)
            }
        }
    }

    func plan(unlessSent key: Mail.Key) -> Promise<MailReceipt> {
        var (asking, writing, finding) = (self, self, self)
        asking.client = client.when("if another machine may have sent it", isExtra: true)
        writing.client = client.when("unless it was sent before")
        finding.client = client.when("if a draft of it is found", isExtra: true)
        let found = Draft(id: client.plannedAnswer("sendMail.draft")("id", .text))
        return asking.find(key, in: messages).then(on: nil) { [writing] _ in writing.plan() }
            .then(on: nil) { [finding] receipt in
                finding.firstToSend(of: [Found(draft: found, isDraft: true, created: "")], key)
                    .then(on: nil) { _ in finding.send(found) }.map(on: nil) { _ in receipt }
            }
    }

    private func firstToSend(of drafts: [Found], _ key: Mail.Key) -> Promise<Draft?> {
        let all = drafts.sorted { ($0.created, $0.draft.id) < ($1.created, $1.draft.id) }.map(\.draft)
        return firstly {
            // Drafts that the service refused to send, or that lack an attachment, were moved there.
            find(key, in: try GraphPath(user: user).adding("/mailFolders/deleteditems/messages"))
        }.then(on: nil) { thrownAway in
            let ids = Set(thrownAway.map(\.draft.id))
            return firstComplete(of: all.filter { !ids.contains($0.id) }[...])
        }
    }

    /// The first draft with all attachments, because a program may have ended while it added them; nil if none.
    private func firstComplete(of drafts: ArraySlice<Draft>) -> Promise<Draft?> {
        guard let first = drafts.first, !mail.attachments.isEmpty else { return .value(drafts.first) }
        return firstly {
            AttachmentDelivery.count(in: try path(of: first).adding("/attachments"), client: client)
        }.then(on: nil) { count in
            count == mail.attachments.count ? .value(first) : firstComplete(of: drafts.dropFirst())
        }
    }

    private func find(_ key: Mail.Key, in messages: GraphPath) -> Promise<[Found]> {
        let page = client.plannedAnswer("sendMail.page")
        let answer = client.plannedAnswer("sendMail.found", isElement: true)
        return client.pages {
            GraphRequest(
                "sendMail", .read, "GET",
                messages.adding(query: "$filter", key.filter)
                    .adding(query: "$select", "id,isDraft,internetMessageId,createdDateTime"),
                headers: ["Accept": "application/json", "Prefer": Self.immutable],
                example: .json(
                    200,
                    .members([
                        ("@odata.nextLink", client.plannedNextPage(page)),
                        ("value", [["id": .string(answer("id", .text)), "isDraft": true]]),
                    ]))
            ).lookingUp("POST", messages)
        } upTo: {
            nil
        } as: { message throws(GraphError) in
            guard let id = message["id"]?.string, !id.isEmpty, let isDraft = message["isDraft"]?.bool else {
                throw GraphError(.badAnswer, message: "The answer does not say whether a message was sent.")
            }
            return Found(
                draft: Draft(id: id, internetMessageID: message["internetMessageId"]?.string), isDraft: isDraft,
                created: message["createdDateTime"]?.string ?? "")
        }
    }
}
