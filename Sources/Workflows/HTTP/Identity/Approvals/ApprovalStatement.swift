/// What a person approves, until when, and with which note.
///
/// The approver signs in with the statement's ``nonce``, so that the identity platform's token names it and nothing
/// else.
package struct ApprovalStatement: Sendable, Hashable {
    package enum Subject: Sendable, Hashable {
        /// A plan, by the SHA-256 of its file's canonical JSON in lowercase hexadecimal digits.
        case plan(digest: String)
        /// A question that a task of a run asks, with the task's pointer and rounds.
        case question(run: String, task: String, text: String, data: Value)
    }

    package let subject: Subject
    /// When the approval ends, as RFC 3339 writes it.
    package let expires: String
    package let note: String
    /// The moment that ``expires`` names.
    package let end: Date

    /// - Throws: ``ApprovalRefusal`` if the expiry is not a time.
    package init(_ subject: Subject, expires: String, note: String) throws(ApprovalRefusal) {
        if case .question(_, _, _, let data) = subject, data.losesDigits {
            throw ApprovalRefusal("its data have a number with more digits than an approval can name")
        }
        guard let end = Date(rfc3339: expires) else {
            throw ApprovalRefusal("its 'expires' is not a time such as 2026-01-05T09:00:00Z")
        }
        (self.subject, self.expires, self.note, self.end) = (subject, expires, note, end)
    }

    package init(_ subject: Subject, until end: Date, note: String) throws(ApprovalRefusal) {
        try self.init(subject, expires: end.formatted(.iso8601), note: note)
    }

    /// The statement as JSON, which the nonce is the hash of.
    package var members: Object {
        var members: Object =
            switch subject {
            case .plan(let digest): ["plan": .string(digest)]
            case .question(let run, let task, let text, let data):
                ["run": .string(run), "task": .string(task), "text": .string(text), "data": data]
            }
        members["expires"] = .string(expires)
        members["note"] = .string(note)
        return members
    }

    /// The nonce of the approver's sign-in: the SHA-256 of the canonical JSON, as base64url without padding.
    package var nonce: String {
        Base64URL.encode(SHA256.hash(of: Data(Value.object(members).canonicalJSON)))
    }
}

/// Why something does not count as an approval, or why a run needs one.
package struct ApprovalRefusal: Error, Hashable {
    /// Worded to follow `the approval:`.
    package let reason: String
    /// The next step; nil if there is none.
    package let hint: String?

    package init(_ reason: String, hint: String? = nil) { (self.reason, self.hint) = (reason, hint) }
}
