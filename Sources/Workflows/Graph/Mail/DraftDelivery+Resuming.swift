extension Mail {
    package struct Draft: Sendable {
        let id: String
        let internetMessageID: String?
        let age: Duration
        let isUnsent: Bool

        /// - Parameters:
        ///   - id: The draft's immutable id.
        ///   - internetMessageID: The message's `Message-ID`; nil if unknown.
        ///   - age: How long ago the run was last known to be running.
        ///   - isUnsent: Whether the user states that it was not sent.
        package init(id: String, internetMessageID: String?, age: Duration, isUnsent: Bool) {
            self.id = id
            self.internetMessageID = internetMessageID
            self.age = age
            self.isUnsent = isUnsent
        }
    }
}

extension DraftDelivery {
    /// How long after the run's last sign of life a draft counts as not sent, instead of not yet picked up.
    static let quiet = Mail.Key.usualPatience

    /// Sends a draft that was made before the program ended, unless it was sent.
    ///
    /// The service keeps one message under the draft's id and moves it when it is sent. A message that is still a draft
    /// long after the program ended was not sent; it is sent then. Another one is created if its owner has changed it.
    /// - Parameter known: The draft.
    func resume(_ known: Mail.Draft) -> Promise<MailReceipt> {
        let draft = Draft(id: known.id, internetMessageID: known.internetMessageID)
        return look(for: draft).then(on: nil) { standing -> Promise<Standing> in
            switch standing {
            case .sent: return .value(standing)
            case .draft:
                let rest = known.isUnsent ? .zero : max(.zero, Self.quiet - known.age)
                guard rest > .zero else { return .value(standing) }
                return after(rest, clock: client.clock).then(on: nil) { look(for: draft) }
            case .away, .unknown: return look(for: draft, at: 1, seen: standing)
            }
        }.then(on: nil) { standing -> Promise<MailReceipt> in
            switch standing {
            case .sent(let found): return account(for: found)
            case .draft(let found?): return isMail(found).then(on: nil) { $0 ? commit(draft) : perform() }
            case .away where known.isUnsent: return perform()
            case .draft(nil), .away, .unknown:
                throw unknown(
                    GraphError(
                        .unknownOutcome,
                        message: "the program ended while sending the message, and the message cannot be found."),
                    draft)
            }
        }
    }

    /// Plans both ways: the draft is sent, or another one if its owner has changed it.
    func plan(resuming known: Mail.Draft) -> Promise<MailReceipt> {
        let draft = Draft(id: known.id, internetMessageID: known.internetMessageID)
        var (reading, sending, writing) = (self, self, self)
        reading.client = client.when("if it is still a draft", isExtra: true)
        sending.client = client.when("unless it was sent before")
        writing.client = client.when("if its owner has changed the draft", isExtra: true)
        // All that is read comes first, as in a run.
        return look(for: draft)
            .then(on: nil) { [reading] _ -> Promise<Standing> in
                known.isUnsent || known.age >= Self.quiet ? .value(.unknown) : reading.look(for: draft)
            }
            .then(on: nil) { [reading] _ in reading.readOwner() }
            .then(on: nil) { [reading] _ in reading.hasAttachments(draft) }
            .then(on: nil) { [sending] _ in sending.send(draft) }
            .then(on: nil) { [writing] receipt in writing.plan().map(on: nil) { _ in receipt } }
    }
}
