/// An approval as its file has it: a statement, the approver's ID token, and the key that signed the token.
package struct SignedApproval: Sendable, Hashable {
    package let statement: ApprovalStatement
    package let idToken: String
    /// The key (RFC 7517) as the platform published it then, so that the approval can be checked later.
    ///
    /// A run does not use it: it checks with the keys that are published now.
    package let key: Value

    package init(_ statement: ApprovalStatement, idToken: String, key: Value) {
        (self.statement, self.idToken, self.key) = (statement, idToken, key)
    }

    /// Reads the content of a file.
    /// - Throws: ``ApprovalRefusal`` if it is no approval, or if it has members that nothing signs.
    package init(_ value: Value) throws(ApprovalRefusal) {
        func text(_ name: String) throws(ApprovalRefusal) -> String {
            guard let text = value[name]?.string else { throw ApprovalRefusal("it has no '\(name)'") }
            return text
        }
        guard value.object != nil else {
            throw ApprovalRefusal("it is not a file that 'graphflow approve' wrote")
        }
        let subject: ApprovalStatement.Subject
        if value["plan"] != nil {
            subject = .plan(digest: try text("plan"))
        } else {
            subject = .question(
                run: try text("run"), task: try text("task"), text: try text("text"), data: value["data"] ?? .null)
        }
        statement = try ApprovalStatement(subject, expires: try text("expires"), note: try text("note"))
        idToken = try text("idToken")
        guard let key = value["key"] else { throw ApprovalRefusal("it has no 'key'") }
        self.key = key
        guard self.value == value else { throw ApprovalRefusal("it has members that an approval does not have") }
    }

    /// The content of the approval's file.
    package var value: Value {
        var members = statement.members
        members["idToken"] = .string(idToken)
        members["key"] = key
        return .object(members)
    }
}

/// An approval that holds.
package struct CheckedApproval: Sendable, Hashable {
    package let approval: SignedApproval
    /// The approver's object id.
    package let by: String
    /// The approver's user principal name, or else the display name.
    package let name: String
    /// When the approver signed in.
    package let at: Date
    package let issuer: String
    /// The key that signed the token, as it was published when the approval was checked.
    package let key: Value

    /// The approval as a run's journal keeps it, with what was checked.
    package var value: Value {
        var members = approval.value.object ?? [:]
        members["key"] = key
        members["approved"] = true
        members["by"] = .string(by)
        members["name"] = .string(name)
        members["at"] = .string(at.formatted(.iso8601))
        members["issuer"] = .string(issuer)
        return .object(members)
    }

    /// What identifies the use of the approval: the person and the statement.
    package var use: String { Self.use(approval.statement, by: by) }

    private static func use(_ statement: ApprovalStatement, by person: String) -> String {
        SHA256.hex(of: Data("\(person) \(statement.nonce)".utf8))
    }

    /// What identifies the use of an approval in a journal; nil if it is none of a plan.
    package static func use(of value: Value) -> String? {
        guard let digest = value["plan"]?.string, let expires = value["expires"]?.string, let by = value["by"]?.string,
            let statement = try? ApprovalStatement(
                .plan(digest: digest), expires: expires, note: value["note"]?.string ?? "")
        else { return nil }
        return use(statement, by: by)
    }
}
