extension DraftDelivery {
    /// The seconds between lookups; a message that is being sent looks like a draft for much less than these ninety.
    private static let looks = [0, 1, 2, 4, 8, 15, 20, 20, 20]
    /// The seconds between further lookups of a message that is neither in the drafts nor in Sent Items.
    private static let furtherLooks = [30, 30, 60, 60]

    enum Standing: Sendable {
        case sent(FoundMail)
        /// Nil before it was looked for.
        case draft(FoundMail?)
        /// Neither a draft nor sent: it is apparently being sent.
        case away
        case unknown
    }

    /// Looks until the message was sent; returns `draft` only if it was a draft at every lookup.
    func look(for draft: Draft, at position: Int, seen: Standing) -> Promise<Standing> {
        let looks = if case .away = seen { Self.looks + Self.furtherLooks } else { Self.looks }
        guard position < looks.count else { return .value(seen) }
        return after(.seconds(looks[position]), clock: client.clock).then(on: nil) {
            look(for: draft)
        }.then(on: nil) { standing -> Promise<Standing> in
            switch (standing, seen) {
            case (.sent, _): .value(standing)
            // A message that was away once is being sent, wherever it is seen later.
            case (.away, _), (_, .away): look(for: draft, at: position + 1, seen: .away)
            case (.unknown, _), (_, .unknown): look(for: draft, at: position + 1, seen: .unknown)
            case (.draft, _): look(for: draft, at: position + 1, seen: standing)
            }
        }
    }

    func look(for draft: Draft) -> Promise<Standing> {
        client.json {
            FoundMail.request(
                try path(of: draft), example: .json(200, ["id": .string(draft.id), "isDraft": false])
            ).lookingUp("POST", messages)
        } as: { answer throws(GraphError) -> Standing in
            guard let found = FoundMail(answer) else { return .unknown }
            return found.isDraft ? .draft(found) : .sent(found)
        }.recover(on: nil) { error -> Promise<Standing> in
            guard let error = error as? GraphError, !error.isCancelled else { throw error }
            return .value(error.code == .notFound ? .away : .unknown)
        }
    }
}
