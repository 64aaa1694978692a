/// Whose approvals count, how many are needed, and whether the people who plan and run may be among them.
package struct ApprovalPolicy: Sendable, Hashable {
    /// User principal names and object ids; nil for anybody in the tenant.
    package var approvers: [String]?
    /// How many different people must approve.
    package var count = 1
    /// Whether the person who planned or runs it may approve it.
    package var allowsSelf = false

    package init(approvers: [String]? = nil, count: Int = 1, allowsSelf: Bool = false) {
        (self.approvers, self.count, self.allowsSelf) = (approvers, count, allowsSelf)
    }

    /// Reads a policy that the journal of an approved run has; nil if it has none.
    package init?(_ value: Value?) {
        guard let value, let count = value["count"]?.integer, let allowsSelf = value["self"]?.bool else { return nil }
        self.init(
            approvers: value["approvers"]?.array?.compactMap(\.string), count: count, allowsSelf: allowsSelf)
    }

    package var value: Value {
        [
            "approvers": approvers.map { .array($0.map(Value.string)) } ?? .null, "count": .integer(count),
            "self": .bool(allowsSelf),
        ]
    }

    /// Checks all approvals of a subject.
    /// - Parameters:
    ///   - planner: The object id of the person who planned it; nil if unknown.
    ///   - runner: The object id of the person who runs it; nil if unknown.
    /// - Throws: ``ApprovalRefusal`` unless every one of them holds, and they are enough.
    package func check(
        _ approvals: [SignedApproval], of subject: ApprovalStatement.Subject, plannedBy planner: String?,
        runBy runner: String?, with keys: ApprovalKeys, now: Date
    ) throws(ApprovalRefusal) -> [CheckedApproval] {
        var checked: [CheckedApproval] = []
        for approval in approvals {
            guard approval.statement.subject == subject else {
                throw ApprovalRefusal("it is for something else", hint: "approve this one")
            }
            let one = try check(approval, with: keys, now: now)
            guard !checked.contains(where: { $0.by == one.by }) else {
                throw ApprovalRefusal("two of them are by one person, \(PlainText.line(one.name, limit: 200))")
            }
            try demandOthers(than: one, planner, runner)
            checked.append(one)
        }
        guard checked.count >= count else {
            throw ApprovalRefusal(
                checked.isEmpty
                    ? "there is none" : "there is one by \(checked.count) of the \(count) people who are needed",
                hint: "ask for another one: graphflow approve …")
        }
        return checked
    }

    /// The approvals that count, if they are enough; one that does not count keeps no other one from counting.
    /// - Parameter onRefusal: Called with each approval that does not count.
    /// - Returns: Nil if they are not enough.
    package func selection(
        of approvals: [SignedApproval], of subject: ApprovalStatement.Subject, plannedBy planner: String?,
        runBy runner: String?, with keys: ApprovalKeys, now: Date,
        onRefusal: (SignedApproval, ApprovalRefusal) -> Void
    ) -> [CheckedApproval]? {
        var one = self
        one.count = 1
        var (good, checked) = ([SignedApproval](), [CheckedApproval]())
        for approval in approvals {
            do throws(ApprovalRefusal) {
                checked = try one.check(
                    good + [approval], of: subject, plannedBy: planner, runBy: runner, with: keys, now: now)
                good.append(approval)
            } catch {
                onRefusal(approval, error)
            }
        }
        return good.count >= count ? checked : nil
    }

    /// Checks one approval, and that its approver is among the approvers.
    package func check(
        _ approval: SignedApproval, with keys: ApprovalKeys, now: Date
    ) throws(ApprovalRefusal) -> CheckedApproval {
        let checked = try keys.check(approval, now: now)
        let name = Self.name(in: approval.idToken)
        guard hasApprover(checked.by, named: name) else {
            let who = PlainText.line(checked.name, limit: 200)
            throw ApprovalRefusal(
                "it is by \(who) (\(checked.by)), who is not among the approvers",
                hint: name == nil ? "a guest, or a person without a user principal name, is named by object id" : nil)
        }
        return checked
    }

    /// Checks the approvals of a run that continues, as its journal has them: they count as they would at its beginning.
    /// - Parameters:
    ///   - runner: The object id of the person who continues it; nil if unknown.
    ///   - acceptsForms: Whether an approval counts that a client's form gave, and no one signed.
    /// - Throws: ``ApprovalRefusal`` unless they are by approvers, and enough.
    package func demand(
        _ approvals: [Value], runBy runner: String?, acceptsForms: Bool = false
    ) throws(ApprovalRefusal) {
        guard !approvals.isEmpty else { throw ApprovalRefusal("the run was not approved") }
        var people: Set<String> = []
        for approval in approvals {
            guard let id = approval["by"]?.string, let token = approval["idToken"]?.string else {
                if acceptsForms { return }
                continue
            }
            guard hasApprover(id, named: Self.name(in: token)) else { continue }
            if !allowsSelf {
                // Who planned it is not the approver, if that was demanded at its beginning.
                guard ApprovalPolicy(approval["demand"])?.allowsSelf == false else { continue }
                guard let runner else { throw Self.unknown("runs") }
                guard !runner.equalsIgnoringASCIICase(id) else { continue }
            }
            people.insert(id.lowercased())
        }
        guard people.count >= count else {
            throw ApprovalRefusal("the run was approved by other people, or by too few")
        }
    }

    /// The name by which an approver may be named: that of a guest is given by another organization.
    private static func name(in idToken: String) -> String? {
        let claims = JSONWebToken(idToken).map { IDToken($0.claims) }
        return claims?.isOfGuest == false ? claims?.principalName : nil
    }

    private func hasApprover(_ id: String, named name: String?) -> Bool {
        approvers?.contains { approver in
            // A name that looks like an object id is none.
            UUID(uuidString: approver) == nil
                ? name?.equalsIgnoringASCIICase(approver) == true : approver.equalsIgnoringASCIICase(id)
        } ?? true
    }

    private static func unknown(_ what: String) -> ApprovalRefusal {
        ApprovalRefusal(
            "it is unknown who \(what) it, and somebody else has to approve",
            hint: "sign in, plan with '--dry-run=read', or allow it with '--self-approval'")
    }

    private func demandOthers(
        than approver: CheckedApproval, _ planner: String?, _ runner: String?
    ) throws(ApprovalRefusal) {
        guard !allowsSelf else { return }
        for (id, what) in [(planner, "planned"), (runner, "runs")] {
            guard let id else { throw Self.unknown(what) }
            guard !id.equalsIgnoringASCIICase(approver.by) else {
                throw ApprovalRefusal(
                    "it is by the person who \(what) it, and somebody else has to approve",
                    hint: "'--self-approval' allows it")
            }
        }
    }
}

extension String {
    /// Whether the texts have the same bytes, apart from the case of ASCII letters.
    ///
    /// Unicode's own comparison takes look-alikes such as the Kelvin sign for a letter.
    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        func lower(_ byte: UInt8) -> UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte }
        return utf8.elementsEqual(other.utf8) { lower($0) == lower($1) }
    }
}
