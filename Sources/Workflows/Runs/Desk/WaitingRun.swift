/// A run that waits for a person, and what it waits for.
package struct WaitingRun: Sendable {
    package enum Decision: Sendable { case approve, reject }

    package let summary: RunSummary
    package let folder: RunsFolder
    package let request: ApprovalRequest

    package init(_ summary: RunSummary, _ folder: RunsFolder, _ request: ApprovalRequest) {
        (self.summary, self.folder, self.request) = (summary, folder, request)
    }

    /// What an approver signs; fails if the plan that is shown is not the one that is signed, and if it has expired.
    package func statement(_ note: String) throws(ApprovalRefusal) -> ApprovalStatement {
        if case .plan = request.subject, request.intactPlan == nil { throw ApprovalRefusal("its plan was changed") }
        guard request.expires > Date() else {
            throw ApprovalRefusal("it could be approved until \(request.expires.formatted(.iso8601))")
        }
        return try ApprovalStatement(request.subject, until: request.expires, note: note)
    }

    /// What a person signs to decide; who signs a rejection has approved nothing.
    package func statement(
        to decision: Decision, _ note: String
    ) throws(ApprovalRefusal) -> ApprovalStatement {
        let approval = try statement(note)
        guard decision == .reject else { return approval }
        let rejected: Value = .object(approval.members)
        return try ApprovalStatement(
            .question(run: summary.run, task: "reject", text: request.id, data: rejected), until: request.expires,
            note: note)
    }

    /// Keeps the decision of a person who signed in.
    /// - Returns: What the person reads in the browser then.
    package func keep(_ decision: Decision, by person: CheckedApproval) throws -> RedirectPage {
        let what =
            switch request.subject {
            case .plan: "the plan of '\(summary.workflow?.name ?? summary.run)'"
            case .question(_, let task, _, _): "'\(request.name ?? task)'"
            }
        // It may have been decided, or have expired, while the person signed in.
        guard let open = try requests.request(request.id), open.subject == request.subject, open.expires > Date() else {
            throw ApprovalRefusal("the run \(summary.run) no longer waits for it")
        }
        switch decision {
        case .approve: try requests.answer(request.id, by: person.by, person.approval.value)
        case .reject:
            try reject(by: person.by, named: person.name, person.approval.statement.note, at: person.at)
        }
        return .decided(
            title: "You \(decision == .approve ? "approved" : "rejected") \(what)",
            text: "You signed in as \(person.name). You can close this window.")
    }

    /// Where the answer goes.
    var requests: ApprovalRequests {
        get throws { try ApprovalRequests(of: summary.run, in: folder) }
    }

    /// Records that somebody rejects it.
    package func reject(by id: String, named name: String, _ note: String, at now: Date) throws {
        let rejection: Value = [
            "approved": false, "by": .string(id), "name": .string(name),
            "at": .string(now.iso8601), "note": .string(note),
        ]
        switch request.subject {
        case .question: try requests.answer(request.id, by: "rejection", rejection)
        case .plan:
            var members = rejection.object ?? [:]
            members["state"] = "rejected"
            try folder.cancel(summary.run, at: now, because: .object(members))
            try requests.settle(request.id)
        }
    }
}
