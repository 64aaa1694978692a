extension DraftDelivery {
    private typealias Found = (sent: FoundMail?, drafts: [FoundMail])

    /// Sends the message unless any machine has already sent it.
    ///
    /// A sent message wins over drafts. The oldest draft that is this message is sent; the others stay, because their
    /// owner is unknown. A message that is being sent is a draft for a while and then in no folder. It counts as not
    /// sent only if it is not found ``Mail/Key/patience`` after the last earlier sending.
    func perform(unlessSent key: Mail.Key) -> Promise<MailReceipt> {
        find(key).then(on: nil) { found -> Promise<Found> in
            let rest = key.patience - .seconds(client.now().timeIntervalSince(key.begunAt))
            guard found.sent == nil, rest > .zero else { return .value(found) }
            return after(min(rest, key.patience), clock: client.clock).then(on: nil) { find(key) }
        }.then(on: nil) { found -> Promise<MailReceipt> in
            if let sent = found.sent { return account(for: sent) }
            return firstToSend(of: found.drafts, key).then(on: nil) { draft -> Promise<MailReceipt> in
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
        let draft = Draft(id: client.plannedAnswer("sendMail.draft")("id", .text))
        // All that is read comes first, as in a run.
        return asking.messages(with: key, in: messages)
            .then(on: nil) { [asking] found in asking.readOwner().map(on: nil) { _ in found } }
            .then(on: nil) { [finding] found in finding.firstToSend(of: found, key) }
            .then(on: nil) { [finding] _ in finding.hasAttachments(draft) }
            .then(on: nil) { [writing] _ in writing.plan() }
            .then(on: nil) { [finding] receipt in finding.send(draft).map(on: nil) { _ in receipt } }
    }

    /// The message with the key that the mailbox's owner sent, wherever it is now, and the drafts, the oldest first.
    private func find(_ key: Mail.Key) -> Promise<Found> {
        messages(with: key, in: messages).then(on: nil) { found -> Promise<Found> in
            let others = found.filter { !$0.isDraft && !$0.wasReceived }
            let drafts = found.filter(\.isDraft).sorted { ($0.created, $0.draft.id) < ($1.created, $1.draft.id) }
            // Where the owner cannot be read, it is the headers alone that tell what was sent.
            return owner(of: others).map(on: nil) { owner in
                (others.first { message in owner.map { message.isFrom($0) } ?? true }, drafts)
            }
        }
    }

    /// Accounts for a message that was sent before, and may say something else than this one does now.
    func account(for sent: FoundMail) -> Promise<MailReceipt> {
        let isPlain = mail.attachments.isEmpty && !sent.hasAttachments
        return (isPlain ? .value(sent.says(what: mail)) : isMail(sent)).map(on: nil) { isSame in
            client.tell(.effect(isSame ? mail.effect(of: user) : sent.effect(of: user), .done), of: "sendMail")
            return MailReceipt(status: "accepted", messageID: sent.draft.id)
        }
    }

    /// The first of the drafts that is this message and still among the drafts; nil if none.
    private func firstToSend(of drafts: [FoundMail], _ key: Mail.Key) -> Promise<Draft?> {
        guard !drafts.isEmpty else { return .value(nil) }
        return firstly {
            messages(with: key, in: try GraphPath(user: user).adding("/mailFolders/drafts/messages"))
        }.then(on: nil) { unmoved in
            let ids = Set(unmoved.map(\.draft.id))
            return firstMail(of: drafts.filter { ids.contains($0.draft.id) }[...])
        }
    }

    private func firstMail(of drafts: ArraySlice<FoundMail>) -> Promise<Draft?> {
        guard let first = drafts.first else { return .value(nil) }
        return isMail(first).then(on: nil) { $0 ? .value(first.draft) : firstMail(of: drafts.dropFirst()) }
    }

    /// Whether a message is this one in all that its recipients would get.
    ///
    /// Attachments that do not fit into the message are not read, so a message that has them counts as another one.
    func isMail(_ found: FoundMail) -> Promise<Bool> {
        guard added.isEmpty, found.says(what: mail) else { return .value(false) }
        return owner(of: [found]).then(on: nil) { owner -> Promise<Bool> in
            guard let owner, found.isFrom(owner) else { return .value(false) }
            return hasAttachments(found.draft)
        }
    }

    func hasAttachments(_ draft: Draft) -> Promise<Bool> {
        client.json {
            var request = GraphRequest(
                "sendMail", .read, "GET", try path(of: draft).adding("/attachments"),
                headers: ["Accept": "application/json", "Prefer": Self.immutable],
                example: .json(200, ["value": []]))
            request.maximumResponseSize = 2 * Mail.largestRequest
            return request.lookingUp("POST", messages)
        } as: { answer throws(GraphError) -> Bool in
            FoundMail.areAttachments(answer, of: mail)
        }.recover(on: nil) { error -> Promise<Bool> in
            guard let error = error as? GraphError, !error.isCancelled else { throw error }
            return .value(false)
        }
    }

    /// The addresses of the mailbox's owner: only the one that is known if all messages are from it, else all that can
    /// be read; nil if none can.
    private func owner(of messages: [FoundMail]) -> Promise<Set<[UInt8]>?> {
        let known = FoundMail.forms(of: [user].compactMap(\.self))
        return messages.allSatisfy { $0.isFrom(known) } ? .value(known) : readOwner()
    }

    func readOwner() -> Promise<Set<[UInt8]>?> {
        client.json {
            GraphRequest(
                "sendMail", .read, "GET",
                try GraphPath(user: user).adding(query: "$select", "mail,userPrincipalName,proxyAddresses"),
                headers: ["Accept": "application/json"], example: .json(200, [:])
            ).lookingUp("POST", messages)
        } as: { answer throws(GraphError) -> Set<[UInt8]>? in
            let others = (answer["proxyAddresses"]?.array ?? []).compactMap { address in
                address.string?.split(separator: ":", maxSplits: 1).last.map(String.init)
            }
            return FoundMail.forms(
                of: ["mail", "userPrincipalName"].compactMap { answer[$0]?.string } + others)
        }.recover(on: nil) { error -> Promise<Set<[UInt8]>?> in
            guard let error = error as? GraphError, !error.isCancelled else { throw error }
            return .value(nil)
        }
    }

    private func messages(with key: Mail.Key, in messages: GraphPath) -> Promise<[FoundMail]> {
        let page = client.plannedAnswer("sendMail.page")
        let answer = client.plannedAnswer("sendMail.found", isElement: true)
        return client.pages {
            FoundMail.request(
                messages.adding(query: "$filter", key.filter),
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
            guard message["id"]?.string?.isEmpty == false, let found = FoundMail(message) else {
                throw GraphError(.badAnswer, message: "The answer does not say whether a message was sent.")
            }
            return found
        }
    }
}
