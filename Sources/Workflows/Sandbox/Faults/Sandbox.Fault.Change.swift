extension Sandbox.Fault {
    /// A defect in how the service tells of changes, which a correct client must bear.
    public enum Change: String, Sendable, Hashable, CaseIterable {
        /// A delta query's page whose link leads to the same page again.
        case replay
        /// A page of a delta query that has its items twice: first as they may have been before.
        case twice
        /// A page of a delta query without items, and with a link to the next one.
        case empty
        /// A page of a delta query with one item that ends the round, although there are more.
        case early
        /// 410 with a Location to read everything again; the client's copy counts less than the server's.
        case resyncChangesApplyDifferences
        /// 410 with a Location to read everything again; the client's copy counts as much as the server's.
        case resyncChangesUploadDifferences
        /// 410 with a Location: a mailbox or the directory no longer knows the token.
        case syncStateNotFound
        /// 410 with a Location: a mailbox does not accept the token.
        case syncStateInvalid
        /// `NOTIFY`: the notification is sent twice.
        case duplicate
        /// `NOTIFY`: one with another client state and resource is sent first.
        case forged
        /// `NOTIFY`: the notification is not sent, and the lifecycle URL is notified that it is missed.
        case missed
        /// `NOTIFY`: the subscription is removed instead, and the lifecycle URL is notified.
        case subscriptionRemoved
        /// `NOTIFY`: the lifecycle URL is notified that the subscription must be authorized again.
        case reauthorizationRequired
        /// `NOTIFY`, or a request for a subscription: it is removed without a word.
        case lost

        /// The error's code; nil for an answer that is none.
        var resyncCode: String? {
            switch self {
            case .replay, .twice, .empty, .early, .duplicate, .forged, .missed, .subscriptionRemoved,
                .reauthorizationRequired, .lost:
                nil
            case .resyncChangesApplyDifferences, .resyncChangesUploadDifferences, .syncStateNotFound,
                .syncStateInvalid:
                rawValue
            }
        }
    }
}
