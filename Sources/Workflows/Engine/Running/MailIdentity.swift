/// Identifies the mails of one item of a named batch, so any machine can find them in the sender's mailbox.
///
/// A mail with an identity is always delivered as a draft: a direct delivery could not be looked up.
package struct MailIdentity: Sendable, Hashable {
    package var batch: String
    /// The item's key, as the batch's source has it.
    package var itemKey: Value
    /// Whether mails are looked up before they are written.
    ///
    /// Required unless the ledger goes back to the first start of the batch: another machine may have begun it before.
    package var lookup: Bool
    /// When this start of the batch began, after every other one had ended; nil for the beginning of the run.
    package var begunAt: Date?
    /// How long after that a mail that is not found as sent counts as not sent.
    package var patience = Mail.Key.usualPatience

    package init(batch: String, itemKey: Value, lookup: Bool, begunAt: Date? = nil) {
        self.batch = batch
        self.itemKey = itemKey
        self.lookup = lookup
        self.begunAt = begunAt
    }
}

extension Run {
    /// The ID by which Graph recognises a repeated event; `path` has the repetitions in the outer runs as well.
    ///
    /// In a named batch it is derived from the item, else from the run. All attempts of a `try` share it.
    func transactionID(of task: JSONPointer, at path: String) -> String {
        if let token = world.token(for: "transaction", of: "event") { return token }
        let digest: String
        if let mailKeys {
            digest = mailKeys.key(of: task, at: path, in: world).digest
        } else {
            let rounds = path.split(separator: "/").filter { !$0.hasPrefix("try:") }.map { Value.string(String($0)) }
            digest = SHA256.hex(
                of: Data(Value.array([.string(outermost), .string(task.description), .array(rounds)]).canonicalJSON))
        }
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map {
            digest.utf8.dropFirst($0.lowerBound).prefix($0.count)
        }
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }
}

/// The keys of the mails of a run and its inner runs.
final class MailKeys: Sendable {
    /// A task in a round of the loops around it; a `then` can perform it several times.
    private struct Place: Hashable {
        let task: JSONPointer
        let rounds: [Substring]
    }

    private let identity: MailIdentity
    private let workflow: [Value]
    private let begunAt: Date
    private let isResumed: Bool
    /// The jumps before each performance of a place, in order.
    private let jumps = Locked<[Place: [[Substring]]]>([:])

    /// Creates the keys; nil if nothing looks for the mails; a resumed run has not counted all jumps.
    init?(_ identity: MailIdentity?, of workflow: Workflow, since start: Date, isResumed: Bool) {
        guard let identity else { return nil }
        self.identity = identity
        self.workflow = [.string(workflow.metadata.namespace), .string(workflow.metadata.name)]
        begunAt = identity.begunAt ?? start
        self.isResumed = isResumed
    }

    /// The key of the mail that a task sends; `path` has all repetitions around it, in the outer runs as well.
    func key(of task: JSONPointer, at path: String, in world: any World) -> Mail.Key {
        let isLookedUp = identity.lookup
        let parts = path.split(separator: "/")
        // A plan does not always know the round or the number of jumps.
        if parts.contains(where: { $0.hasSuffix(":*") || $0.hasPrefix("jump:") }),
            let token = world.token(for: "key", of: "mail")
        {
            return Mail.Key(token: token, isLookedUp: isLookedUp, begunAt: begunAt)
        }
        let rounds = rounds(of: task, parts).map { Value.string(String($0)) }
        let whole: [Value] =
            workflow + [.string(identity.batch), identity.itemKey, .string(task.description), .array(rounds)]
        var key = Mail.Key(of: .array(whole), isLookedUp: isLookedUp, begunAt: begunAt)
        key.patience = identity.patience
        return key
    }

    /// The rounds of a mail, which are the same wherever the run begins again.
    ///
    /// Attempts of a `try` are left out: on another machine an earlier one may succeed. So is the number of jumps, as a
    /// task may jump while it waits. Only the jumps that led to this task count.
    private func rounds(of task: JSONPointer, _ parts: [Substring]) -> [Substring] {
        let rounds = parts.filter { !$0.hasPrefix("try:") && !$0.hasPrefix("jump:") }
        let own = parts.filter { $0.hasPrefix("jump:") }
        guard !own.isEmpty else { return rounds }
        // A resumed run does not know that number. Its mail must not be mistaken for another one.
        guard !isResumed || own.allSatisfy({ $0 == "jump:0" }) else { return rounds + ["resumed"] + own }
        let number = jumps.withLock { jumps in
            let place = Place(task: task, rounds: rounds)
            if let known = jumps[place, default: []].firstIndex(of: own) { return known }
            jumps[place, default: []].append(own)
            return jumps[place, default: []].count - 1
        }
        return number == 0 ? rounds : rounds + ["again:\(number)"]
    }
}
